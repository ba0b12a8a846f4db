// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Hashes the official vectors, and tests the features that `halimede blake3` has but `b3sum` has
//! not.

use std::io::Read;
use std::process::{Command, Stdio};

use serde_json::{json, Value};

use crate::sandbox::{random, Sandbox};

fn vectors() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../engines/blake3/vectors/blake3.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn the_official_vectors_come_out_in_all_modes() {
    let vectors = vectors();
    let sandbox = Sandbox::new();
    let mut names = Vec::new();
    for case in vectors["cases"].as_array().unwrap() {
        let length = case["input_len"].as_u64().unwrap();
        let input: Vec<u8> = (0..length).map(|index| (index % 251) as u8).collect();
        names.push(format!("f{length}"));
        sandbox.write(&names[names.len() - 1], &input);
    }
    assert_eq!(names.len(), 35);
    let key = vectors["key"].as_str().unwrap();
    let derive = format!("--derive-key={}", vectors["context_string"].as_str().unwrap());
    for (mode, option) in
        [("hash", "--no-mmap"), ("keyed_hash", "--keyed"), ("derive_key", &derive)]
    {
        let mut arguments = vec!["--no-names", "--length", "131", option];
        arguments.extend(names.iter().map(String::as_str));
        let run = sandbox.halimede(&arguments, key.as_bytes());
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let text = run.text();
        let cases = vectors["cases"].as_array().unwrap();
        let expected: Vec<&str> = cases.iter().map(|case| case[mode].as_str().unwrap()).collect();
        assert_eq!(text.lines().collect::<Vec<_>>(), expected, "{mode}");
    }
}

#[test]
fn objects_stand_in_the_places_of_lines() {
    let sandbox = Sandbox::new();
    sandbox.random("a\n\"", 77, 1);
    let digest = sandbox.halimede(&["--no-names", "-l", "40", "a\n\""], b"").text();
    let run = sandbox.halimede(&["--json", "--length", "40", "missing", "a\n\""], b"");
    let said: Vec<Value> = run.text().lines().map(|it| serde_json::from_str(it).unwrap()).collect();
    assert_eq!(said[0]["file"], "missing");
    assert!(said[0]["error"].as_str().unwrap().contains("No such file"));
    assert_eq!(said[1], json!({ "file": "a\n\"", "digest": digest.trim() }));
    let report: Value = serde_json::from_str(&run.stderr).unwrap();
    assert_eq!((run.code, report["exit"].as_u64(), said.len()), (Some(1), Some(1), 2));
    let run = sandbox.halimede(&["--json", "--raw", "a\n\""], b"");
    assert_eq!((run.code, run.stdout.len()), (Some(2), 0));
}

#[test]
fn long_inputs_and_outputs_need_little_memory() {
    let sandbox = Sandbox::new();
    std::fs::File::create(sandbox.path("sparse")).unwrap().set_len(600 << 20).unwrap();
    let mapped = sandbox.halimede(&["--no-names", "sparse"], b"").text();
    let program = env!("CARGO_BIN_EXE_halimede");
    // The limit includes pages of the program and stacks of threads; the file is twice as large.
    let limited = |command: &str| {
        let script = format!("ulimit -v 300000; {command}");
        sandbox.run(Command::new("sh").args(["-c", &script, "sh", program]), b"")
    };
    for command in [
        "\"$1\" blake3 --num-threads 2 --no-mmap --no-names sparse",
        "\"$1\" blake3 --num-threads 2 --no-names - < sparse",
        "cat sparse | \"$1\" blake3 --num-threads 2 --no-names",
    ] {
        let run = limited(command);
        assert_eq!((run.code, run.text()), (Some(0), mapped.clone()), "{}", run.stderr);
    }
    let run =
        limited("\"$1\" blake3 --num-threads 1 --raw --length 400000000 - < /dev/null | wc -c");
    assert_eq!((run.code, run.text().trim()), (Some(0), "400000000"), "{}", run.stderr);
}

#[test]
fn a_reader_that_has_seen_enough_ends_the_command_in_silence() {
    let sandbox = Sandbox::new();
    sandbox.random("a", 77, 1);
    for form in ["--raw", "--tag", "--json"] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_halimede"))
            .current_dir(sandbox.path(""))
            .args(["blake3", form, "--length", "4000000000000", "a"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut start = [0; 100];
        child.stdout.take().unwrap().read_exact(&mut start).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
        assert_eq!(output.status.code(), Some(4), "{form}");
    }
}

#[test]
fn devices_that_are_not_there_are_named() {
    let sandbox = Sandbox::new();
    sandbox.random("a", 77, 1);
    for arguments in [
        &["--device", "xdma:/nonexistent", "a"][..],
        &["--check", "--device", "xdma:/nonexistent", "a"],
    ] {
        let run = sandbox.halimede(arguments, b"");
        assert_eq!((run.code, run.stdout.len()), (Some(3), 0));
        assert!(run.stderr.contains("xdma:/nonexistent"), "{}", run.stderr);
    }
    let run = sandbox.halimede(&["--device", "cpu", "--fallback", "a"], b"");
    assert_eq!(run.stdout, sandbox.halimede(&["a"], b"").stdout);
}

#[test]
fn files_are_told_from_commands() {
    let sandbox = Sandbox::new();
    for (seed, name) in ["tree", "slice", "verify", "help"].iter().enumerate() {
        sandbox.random(name, 10, seed as u64);
    }
    for arguments in [
        &["./tree", "slice", "verify"][..],
        &["--tag", "tree", "slice", "verify"],
        &["help", "tree"],
        &["--", "tree"],
    ] {
        let run = sandbox.halimede(arguments, b"");
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let names = arguments.iter().filter(|name| !name.starts_with("--")).count();
        assert_eq!(run.text().lines().count(), names);
    }
    for command in ["tree", "slice", "verify"] {
        assert_eq!(sandbox.halimede(&[command], b"").code, Some(2));
        let run = sandbox.halimede(&["--json", command, "missing"], b"");
        assert_eq!(run.text().lines().count(), 2, "both are files behind an option");
    }
    let run = sandbox.halimede(&["--json", "tree", "missing"], &random(5, 1));
    assert_eq!(run.code, Some(1));
    std::fs::remove_file(sandbox.path("tree")).unwrap();
    let run = sandbox.halimede(&["--no-names", "tree", "help"], b"");
    assert!(run.stderr.contains("must come before the options"), "{}", run.stderr);
}

#[test]
fn help_shows_examples_and_the_exit_codes() {
    let sandbox = Sandbox::new();
    let text = sandbox.halimede(&["--help"], b"").text();
    assert!(text.contains("halimede blake3 --check") && text.contains("exit codes"), "{text}");
    for command in ["tree", "slice", "verify"] {
        let run = sandbox.halimede(&[command, "--help"], b"");
        assert!(run.text().contains(&format!("halimede blake3 {command} ")), "{}", run.text());
    }
}
