// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Prints BLOCKS.md, the verdicts on real blocks:
//! `cargo run -p halimede-zcash --example blocks > engines/zcash/BLOCKS.md`

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]
#![allow(dead_code, missing_docs)]

#[path = "../tests/common/mod.rs"]
mod common;

fn main() {
    print!("{}", common::real::page());
}
