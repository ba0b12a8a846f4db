// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The commands in the README of CKKS print the output that is written below them.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::Path;
use std::process::Command;

const README: &str = include_str!("../../engines/ckks/README.md");

/// The tolerance for decrypted values and precisions: errors are random.
const TOLERANCE: f64 = 1e-4;

/// Returns the commands of all `console` blocks, each with its expected lines.
fn transcript(text: &str) -> Vec<(&str, Vec<&str>)> {
    let blocks = text.split("```console\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let mut commands: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in blocks.flat_map(str::lines) {
        match line.strip_prefix("$ ") {
            Some(command) => commands.push((command, Vec::new())),
            None => commands.last_mut().expect("a block begins with a command").1.push(line),
        }
    }
    commands
}

/// Returns a search path that begins with the folder of the command that was built for this test.
fn search_path() -> std::ffi::OsString {
    let built = Path::new(env!("CARGO_BIN_EXE_halimede")).parent().unwrap().to_path_buf();
    let others = std::env::var_os("PATH").unwrap();
    std::env::join_paths(std::iter::once(built).chain(std::env::split_paths(&others))).unwrap()
}

/// Compares word by word. Numbers may differ by the tolerance, and identifiers of keys and
/// sessions, which are random, may differ.
fn is_same(printed: &str, written: &str) -> bool {
    let is_identifier = |word: &str| {
        let word = word.trim_end_matches(',');
        word.len() == 16 && word.bytes().all(|b| b.is_ascii_hexdigit())
    };
    let (printed, written) = (printed.split_whitespace(), written.split_whitespace());
    let is_near = |a: &str, b: &str| match (a.parse::<f64>(), b.parse::<f64>()) {
        _ if is_identifier(a) && is_identifier(b) => true,
        (Ok(a), Ok(b)) => (a - b).abs() <= TOLERANCE,
        _ => a == b,
    };
    printed.clone().count() == written.clone().count()
        && printed.zip(written).all(|(a, b)| is_near(a, b))
}

#[test]
fn the_readme_is_a_transcript() {
    let folder = tempfile::tempdir().unwrap();
    let commands = transcript(README);
    for verb in ["params", "keygen", "encrypt", "eval", "inspect", "decrypt", "party"] {
        let start = format!("halimede ckks {verb} ");
        assert!(commands.iter().any(|(command, _)| command.starts_with(&start)), "{verb}");
    }
    for (command, written) in commands {
        let mut shell = Command::new("sh");
        shell.args(["-c", command]).current_dir(folder.path()).env("PATH", search_path());
        let output = shell.output().unwrap();
        let [printed, said] =
            [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        assert!(output.status.success(), "{command}: {said}");
        let printed: Vec<&str> = printed.lines().collect();
        assert_eq!(printed.len(), written.len(), "{command}: {printed:#?}");
        for (printed, written) in printed.iter().zip(written) {
            assert!(
                is_same(printed, written),
                "{command}: {printed:?}, but {written:?} is written"
            );
        }
    }
}

#[test]
fn a_line_that_differs_is_noticed() {
    assert!(is_same("7.68753  x", "7.6875 x"));
    for other in ["7.69 x", "7.6875 y", "7.6875", "7.6875 x z", "NaN x"] {
        assert!(!is_same(other, "7.6875 x"), "{other}");
    }
    assert!(is_same("key  0123456789abcdef", "key fedcba9876543210"));
    for other in ["key 0123456789abcde", "hash 0123456789abcdef", "key 0123456789abcdef x"] {
        assert!(!is_same(other, "key fedcba9876543210"), "{other}");
    }
    assert_eq!(
        transcript("a\n```console\n$ b\nc\nd\n$ e\n```\nf"),
        [("b", vec!["c", "d"]), ("e", vec![])]
    );
}
