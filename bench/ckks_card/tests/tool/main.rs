// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The program `ckks-card`: its output and its files.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::print_stdout, reason = "tests print what they skipped")]

mod compile;
mod explore;
mod tables;
mod trace;

use std::process::Command;

/// The outcome of a run of the program.
struct Outcome {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

/// Runs `ckks-card` with these arguments, which are words.
fn ckks_card(arguments: &str) -> Outcome {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ckks-card"));
    let output = command.args(arguments.split_whitespace()).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Outcome { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}
