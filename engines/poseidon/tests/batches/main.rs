// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Batches and the optimized permutation, against the plain one.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod agreement;
mod backends;
mod batch;
