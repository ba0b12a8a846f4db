// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs `halimede`, and collects its output.

use std::io::Write;
use std::process::{Command, Output, Stdio};

/// The outcome of a run of the command.
pub struct Outcome {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

/// Runs `halimede` with these arguments and this standard input.
pub fn halimede(arguments: &[&str], input: &[u8]) -> Outcome {
    halimede_with(&[], arguments, input)
}

/// Runs `halimede` with additional environment variables.
pub fn halimede_with(variables: &[(&str, &str)], arguments: &[&str], input: &[u8]) -> Outcome {
    let mut child = Command::new(env!("CARGO_BIN_EXE_halimede"))
        .args(arguments)
        .envs(variables.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    // A command that refuses its options does not read its input: ignore the broken pipe.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    outcome(output)
}

fn outcome(output: Output) -> Outcome {
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Outcome { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}
