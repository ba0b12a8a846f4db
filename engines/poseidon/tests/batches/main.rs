// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares batches and the optimized permutation with the plain one.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod agreement;
mod backends;
mod batch;
