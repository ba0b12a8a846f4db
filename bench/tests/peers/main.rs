// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The same answers as the peers.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod halo2_parameters;
mod neptune_arities;
mod neptune_sponge;
mod tree_levels;
mod tree_root;
