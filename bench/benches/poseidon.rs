// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What `halimede-bench poseidon` compares, under Criterion.

mod common;

fn main() -> std::process::ExitCode {
    common::main(halimede_bench::poseidon::comparisons)
}
