// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Programs of operations: recorded, replayed, and run by executors.

mod card;
mod circuit_executor;
mod executor;
mod instructions;
mod operations;
#[path = "../pipe/mod.rs"]
mod pipe;
mod replay;
mod same_bits;
#[path = "../setting/mod.rs"]
mod setting;
mod stream;
