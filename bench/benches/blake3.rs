// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The small messages of `halimede-bench blake3`, under Criterion.

mod common;

fn main() -> std::process::ExitCode {
    common::main(halimede_bench::blake3::comparisons)
}
