// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Halimede gives the same answers as its peers.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod halo2_parameters;
mod neptune_arities;
mod neptune_sponge;
mod tree_levels;
mod tree_root;
