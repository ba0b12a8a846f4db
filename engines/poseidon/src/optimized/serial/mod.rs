// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One permutation at a time, as [`halimede_arith::serial`] kernels: what a round waits for is its
//! S-box and one addition; everything else of the linear layer is known before.

pub(super) mod filecoin;
pub(super) mod stark;
