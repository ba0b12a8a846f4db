// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The comparisons of `halimede-bench poseidon`, under Criterion.

mod common;

fn main() -> std::process::ExitCode {
    common::main(halimede_bench::poseidon::comparisons)
}
