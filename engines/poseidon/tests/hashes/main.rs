// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares hashes, sponges and parameters with published vectors and references.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod generate;
mod poseidon2;
mod sponge;
mod ten_thousand;
mod vectors;
