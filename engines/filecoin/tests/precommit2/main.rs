// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The second phase over whole sectors.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod continued;
mod refused;
mod sectors;
mod spread;
mod vectors;
