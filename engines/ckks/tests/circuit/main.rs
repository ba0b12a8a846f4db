// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Expressions and their plans.

mod block_polynomials;
mod blocks;
mod checkpoints;
mod expressions;
mod low_levels;
mod mlir;
mod plain_parts;
#[path = "../setting/mod.rs"]
mod setting;
