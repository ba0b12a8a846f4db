// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Checks, headers and the solver.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod backends;
mod batches;
#[path = "../common/mod.rs"]
mod common;
mod encoding;
mod header;
mod solved;
mod solver;
mod vectors;
