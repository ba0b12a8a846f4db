// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Failures of standard output and error: no command panics, and the exit code reports the loss.
#![cfg(target_os = "linux")]

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, ExitStatus, Stdio};

use crate::common::halimede;

/// Commands that print in every possible way, with their inputs.
const PRINTING: [(&[&str], &[u8]); 24] = [
    (&["--help"], b""),
    (&["--version"], b""),
    (&["ckks", "eval", "--help"], b""),
    (&["completions", "bash"], b""),
    (&["devices"], b""),
    (&["devices", "--json"], b""),
    (&["tour"], b""),
    (&["tour", "--json"], b""),
    (&["card", "selftest", "--device", "cpu"], b""),
    (&["card", "selftest", "--device", "cpu", "--json"], b""),
    (&["batch", "poseidon.filecoin_hash", "--arity", "2"], b"1 2\n"),
    (&["batch", "poseidon.permute", "--instance", "stark-3"], b"1 2 3\n"),
    (&["poseidon", "params", "--instance", "filecoin-2"], b""),
    (&["poseidon", "params", "--field", "pallas", "--width", "3"], b""),
    (&["blake3"], b"abc"),
    (&["blake3", "--raw"], b"abc"),
    (&["blake3", "tree", "-"], b"abc"),
    (&["batch", "secp256k1.verify", "--hash", "sha256"], br#"{"key":"","msg":"00","sig":""}"#),
    (&["batch", "bls12_381.verify_signature"], br#"{"key":"","msg":"","sig":""}"#),
    (&["batch", "bls12_381.hash_to_curve", "--domain", "T"], br#"{"message":"616263"}"#),
    (&["zcash", "solve", "--n", "48", "--k", "5"], b""),
    (&["zcash", "verify-block", "BLOCK", "--allow-incomplete"], b""),
    (&["ckks", "params"], b""),
    (&["ckks", "params", "n14", "--json"], b""),
];

const BLOCK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/zcash_block_346.hex");

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_halimede"));
    command
        .args(arguments.iter().map(|argument| if *argument == "BLOCK" { BLOCK } else { argument }));
    // Starting the simulator takes time, and is tested elsewhere.
    command.env("HALIMEDE_CARD_SIM", "/nonexistent");
    command
}

fn run(mut command: Command, input: &[u8]) -> ExitStatus {
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait().unwrap()
}

fn full() -> Stdio {
    File::options().write(true).open("/dev/full").unwrap().into()
}

/// Returns a pipe without a reader.
fn closed_pipe() -> Stdio {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    writer.into()
}

#[test]
fn a_full_output_ends_every_command_with_its_own_code() {
    for (arguments, input) in PRINTING {
        let mut command = command(arguments);
        command.stdout(full()).stderr(Stdio::piped());
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        let _ = child.stdin.take().unwrap().write_all(input);
        let output = child.wait_with_output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(4), "{arguments:?}: {message}");
        assert!(message.contains("standard output: No space left"), "{arguments:?}: {message}");
        assert!(!message.contains("panicked"), "{arguments:?}: {message}");
    }
}

#[test]
fn a_closed_output_ends_every_command_quietly() {
    for (arguments, input) in PRINTING {
        let mut command = command(arguments);
        command.stdout(closed_pipe()).stderr(Stdio::piped());
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        let _ = child.stdin.take().unwrap().write_all(input);
        let output = child.wait_with_output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(4), "{arguments:?}: {message}");
        let is_note = |line: &str| line.starts_with("halimede: generated a header");
        assert!(message.lines().all(is_note), "{arguments:?}: {message}");
    }
}

#[test]
fn a_reader_that_has_seen_enough_gets_no_message() {
    let mut child = command(&["poseidon", "params", "--instance", "filecoin-36"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = String::new();
    BufReader::with_capacity(16, child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    assert_eq!(first, "{\n");
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr), (Some(4), vec![]));
}

#[test]
fn messages_that_cannot_be_written_do_not_change_the_exit_code() {
    let failing: [(&[&str], &[u8], i32); 9] = [
        (&["nonsense"], b"", 2),
        (&["tour", "--retries", "x"], b"", 2),
        (&["ckks"], b"", 2),
        (&["batch", "poseidon.permute", "--instance", "nonsense"], b"", 2),
        (&["batch", "poseidon.starknet_hash"], b"x\n", 2),
        (&["tour", "--device", "xdma:/nonexistent"], b"", 3),
        (&["batch", "secp256k1.verify", "--hash", "sha256"], br#"{"key":"","msg":"","sig":""}"#, 1),
        (&["blake3", "/nonexistent"], b"", 1),
        (&["zcash", "solve", "--n", "48", "--k", "5"], b"", 0),
    ];
    for (arguments, input, code) in failing {
        for stderr in [full, closed_pipe] {
            for json in [&[][..], &["--json"]] {
                let mut command = command(&[arguments, json].concat());
                command.stdout(Stdio::null()).stderr(stderr());
                assert_eq!(run(command, input).code(), Some(code), "{arguments:?} {json:?}");
            }
        }
    }
    // Neither stream can be written.
    let mut command = command(&["devices"]);
    command.stdout(full()).stderr(full());
    assert_eq!(run(command, b"").code(), Some(4));
}

#[test]
fn errors_of_usage_are_json_wherever_json_is_asked_for() {
    for arguments in [
        &["--json", "nonsense"][..],
        &["nonsense", "--json"],
        &["batch", "poseidon.permute", "--json"],
        &["batch", "--json", "poseidon.permute", "--instance"],
        &["tour", "--retries", "many", "--json"],
        &["--json"],
        &["ckks", "--json"],
        &["zcash", "verify-headers", "--network", "moon", "-", "--json"],
    ] {
        let outcome = halimede(arguments, b"");
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""), "{arguments:?}");
        let object: serde_json::Value = serde_json::from_str(&outcome.stderr).unwrap();
        assert_eq!(object["exit"], 2, "{arguments:?}");
        let error = object["error"].as_str().unwrap();
        assert!(!error.is_empty() && !error.contains('\n'), "{error:?}");
    }
    // Help and the version are text even with --json; after `--`, an argument is a file name.
    for (arguments, start) in [
        (&["--json", "--help"][..], "An accelerator"),
        (&["poseidon", "tree", "--help", "--json"], "Compute the Merkle root"),
        (&["--version", "--json"], "halimede "),
    ] {
        let outcome = halimede(arguments, b"");
        assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""), "{arguments:?}");
        assert!(outcome.stdout.starts_with(start), "{}", outcome.stdout);
    }
    let outcome = halimede(&["blake3", "--nonsense", "--", "--json"], b"");
    assert_eq!(outcome.code, Some(2));
    assert!(outcome.stderr.starts_with("error: "), "{}", outcome.stderr);
}
