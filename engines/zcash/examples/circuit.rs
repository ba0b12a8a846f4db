// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Prints the description of the Orchard circuit:
//! `cargo run -p halimede-zcash --example circuit > engines/zcash/src/halo2/orchard.txt`

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]
#![allow(dead_code, missing_docs)]

#[path = "../tests/common/circuit.rs"]
mod circuit;

fn main() {
    print!("{}", circuit::description(circuit::ALL));
}
