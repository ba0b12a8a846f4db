// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The comparisons of `halimede-bench equihash`, under Criterion.

mod common;

fn main() -> std::process::ExitCode {
    common::main(halimede_bench::equihash::comparisons)
}
