// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One permutation at a time, as [`halimede_arith::serial`] kernels. Each round waits only for its
//! S-box and one addition; the rest of the linear layer is computed before.

pub(super) mod filecoin;
pub(super) mod quintic;
pub(super) mod stark;
