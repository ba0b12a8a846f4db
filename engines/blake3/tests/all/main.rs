// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares hashes of every backend with the crate `blake3` and published vectors.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod backends;
#[path = "../common/mod.rs"]
mod common;
mod messages;
mod vectors;
