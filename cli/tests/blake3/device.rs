// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Hashes on the simulated card: the output is the same as on the processor. Without a built
//! simulator, the tests are skipped with a note.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "tests report what they measured or skipped"
)]

use serde_json::Value;

use crate::sandbox::{random, Run, Sandbox};

/// Returns `true` if the simulator has been built. Without it, a test passes with a note, or fails
/// with `HALIMEDE_REQUIRE_RTL=1`.
fn simulator_is_here() -> bool {
    let missing = match halimede_device::simulator::Image::default().find() {
        Ok(_) => return true,
        Err(error) => error,
    };
    let required = std::env::var("HALIMEDE_REQUIRE_RTL").is_ok_and(|value| value == "1");
    assert!(!required, "{missing}");
    eprintln!("skipped: {missing}");
    false
}

/// Runs on both devices, and compares the results. Returns the run on the card.
fn on_both(sandbox: &Sandbox, arguments: &[&str], input: &[u8]) -> Run {
    let processor = sandbox.halimede(arguments, input);
    let card = sandbox.halimede(&[&["--device", "sim"], arguments].concat(), input);
    assert_eq!(
        (card.stdout.escape_ascii().to_string(), card.code),
        (processor.stdout.escape_ascii().to_string(), processor.code),
        "{arguments:?}: {}",
        card.stderr
    );
    card
}

#[test]
fn files_hash_alike_in_all_modes() {
    if !simulator_is_here() {
        return;
    }
    let sandbox = Sandbox::new();
    let lengths = [0, 1, 63, 64, 65, 1023, 1024, 1025, 2048, 5000, 31_744, 70_001];
    let mut names: Vec<String> = Vec::new();
    for (seed, length) in lengths.into_iter().enumerate() {
        names.push(format!("f{length}"));
        sandbox.random(&names[seed], length, seed as u64);
    }
    names.insert(4, "missing".into());
    let key = random(32, 20);
    for options in [
        &["--tag"][..],
        &["--keyed"],
        &["--derive-key", "example.com 2026-11-22 card", "--length", "131"],
        &["--seek", "100", "--length", "77"],
    ] {
        let mut arguments = options.to_vec();
        arguments.extend(names.iter().map(String::as_str));
        let run = on_both(&sandbox, &arguments, &key);
        assert_eq!((run.code, run.text().lines().count()), (Some(1), lengths.len()));
        assert!(run.stderr.contains("missing: No such file"), "{}", run.stderr);
    }
    assert_eq!(on_both(&sandbox, &["--raw", "-"], &random(3000, 21)).code, Some(0));
}

#[test]
fn files_are_checked_alike() {
    if !simulator_is_here() {
        return;
    }
    let sandbox = Sandbox::new();
    for name in ["a", "b\n", "c"] {
        sandbox.random(name, 2000, name.len() as u64);
    }
    let mut sums = sandbox.halimede(&["a", "b\n", "c"], b"").text();
    sums += "nonsense\n";
    sums += &sums.lines().next().unwrap().replace("  a", "  missing");
    sandbox.random("c", 2000, 99);
    let run = on_both(&sandbox, &["--check"], sums.as_bytes());
    assert_eq!(run.code, Some(1));
    assert!(run.text().starts_with("a: OK\n\\b\\n: OK\nc: FAILED\nmissing: FAILED (No such"));
    let run = sandbox.halimede(&["--json", "--check", "--device", "sim"], sums.as_bytes());
    let said: Vec<Value> = run.text().lines().map(|it| serde_json::from_str(it).unwrap()).collect();
    assert_eq!(
        said[3]["error"],
        "line 4: the line is neither `HASH  FILE` nor `BLAKE3 (FILE) = HASH`"
    );
}

#[test]
fn what_is_too_long_for_a_device_is_refused() {
    if !simulator_is_here() {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.random("a", 100, 1);
    std::fs::File::create(sandbox.path("long")).unwrap().set_len((1 << 30) + 1).unwrap();
    let run = sandbox.halimede(&["--device", "sim", "long", "a"], b"");
    assert_eq!((run.code, run.text().lines().count()), (Some(1), 1));
    assert!(
        run.stderr.contains("long: a device accepts at most 1073741824 bytes"),
        "{}",
        run.stderr
    );
    let run = sandbox.halimede(&["--device", "sim", "--length", "1048577", "a"], b"");
    assert_eq!((run.code, run.stdout.len()), (Some(2), 0));
    assert!(run.stderr.contains("--length"), "{}", run.stderr);
}
