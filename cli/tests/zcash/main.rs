// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede zcash`: blocks, headers and Equihash.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod block;
mod blocks;
#[path = "../../../engines/zcash/tests/common/mod.rs"]
mod chain;
#[path = "../common/mod.rs"]
mod common;
mod headers;
mod regtest;
mod sapling;
mod solve;
