// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What `halimede-bench ecdsa` compares, under Criterion.

mod common;

fn main() -> std::process::ExitCode {
    common::main(halimede_bench::ecdsa::comparisons)
}
