// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Checks in which `halimede` goes further than `b3sum`.

use serde_json::{json, Value};

use crate::sandbox::Sandbox;

/// Creates a folder with the files a and b. Returns the lines with their hashes too.
fn with_sums() -> (Sandbox, String) {
    let sandbox = Sandbox::new();
    sandbox.random("a", 1500, 1);
    sandbox.random("b", 15, 2);
    let sums = sandbox.halimede(&["a", "b"], b"").text();
    sandbox.write("sums", sums.as_bytes());
    (sandbox, sums)
}

#[test]
fn tagged_lines_of_names_with_two_spaces_are_read() {
    let sandbox = Sandbox::new();
    for (seed, name) in ["a  b", "  ", "x  (y) = z\n  "].iter().enumerate() {
        sandbox.random(name, 10, seed as u64);
    }
    let tagged = sandbox.halimede(&["--tag", "a  b", "  ", "x  (y) = z\n  "], b"");
    let run = sandbox.halimede(&["--check"], &tagged.stdout);
    assert_eq!(run.text(), "a  b: OK\n  : OK\n\\x  (y) = z\\n  : OK\n");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
}

#[test]
fn a_hash_of_other_letters_is_no_hash() {
    let (sandbox, sums) = with_sums();
    // A hash of 64 bytes but fewer characters: b3sum 1.8.7 stops here.
    let lines = format!("{}é{}", &sums[..62], &sums[64..]);
    let run = sandbox.halimede(&["--check"], lines.as_bytes());
    assert_eq!((run.code, run.text().as_str()), (Some(1), "b: OK\n"));
    assert!(run.stderr.contains("-: line 1: expected a hash of the digits"), "{}", run.stderr);
}

#[test]
fn a_check_file_that_cannot_be_read_does_not_end_the_check() {
    let (sandbox, _) = with_sums();
    let run = sandbox.halimede(&["--check", "missing", "sums", ".", "sums"], b"");
    assert_eq!((run.code, run.text()), (Some(1), "a: OK\nb: OK\n".repeat(2)));
    assert!(run.stderr.contains("halimede: missing: No such file"), "{}", run.stderr);
    assert!(run.stderr.contains("2 check files could not be read"), "{}", run.stderr);
}

#[test]
fn a_check_file_on_standard_input_cannot_name_it() {
    let (sandbox, sums) = with_sums();
    let lines = sums.replace("  a\n", "  -\n");
    let run = sandbox.halimede(&["--check"], lines.as_bytes());
    let said = "-: FAILED (standard input is the check file)\nb: OK\n";
    assert_eq!((run.code, run.text().as_str()), (Some(1), said));
}

#[test]
fn a_line_without_end_ends_the_check_in_bounded_memory() {
    let (sandbox, sums) = with_sums();
    let mut lines = sums.clone().into_bytes();
    lines.resize(lines.len() + (1 << 20), b'x');
    let run = sandbox.halimede(&["--check", "-", "sums"], &lines);
    assert_eq!((run.code, run.text()), (Some(1), "a: OK\nb: OK\n".repeat(2)));
    assert!(run.stderr.contains("-: line 3: longer than 65536 bytes"), "{}", run.stderr);
}

#[test]
fn objects_tell_what_became_of_each_line() {
    let (sandbox, sums) = with_sums();
    let other = sums.lines().next().unwrap().replace("  a", "  b");
    let lines = format!("{sums}\n{other}\n{}", other.replace("  b", "  missing"));
    let run = sandbox.halimede(&["--json", "--check"], lines.as_bytes());
    let said: Vec<Value> = run.text().lines().map(|it| serde_json::from_str(it).unwrap()).collect();
    let expected = [
        json!({ "file": "a", "ok": true }),
        json!({ "file": "b", "ok": true }),
        json!({ "file": "-", "error": "line 3: the line is empty" }),
        json!({ "file": "b", "ok": false }),
        json!({ "file": "missing", "ok": false, "error": "No such file or directory (os error 2)" }),
    ];
    assert_eq!(said, expected);
    let report: Value = serde_json::from_str(&run.stderr).unwrap();
    assert_eq!((run.code, &report["exit"]), (Some(1), &json!(1)));
    let run = sandbox.halimede(&["--json", "--check", "--quiet", "sums"], b"");
    assert_eq!((run.code, run.stdout.len()), (Some(0), 0));
}

#[test]
fn names_do_not_write_on_a_terminal() {
    let sandbox = Sandbox::new();
    sandbox.random("ok\x1b[2K\x07", 10, 1);
    sandbox.random("plain \u{e9} \u{4e2d}", 10, 2);
    let sums = sandbox.halimede(&["ok\x1b[2K\x07", "plain \u{e9} \u{4e2d}"], b"").text();
    let missing = format!("{}  \x1b[31mgone\u{9b}\u{202e}\n", "0".repeat(64));
    let lines = format!("{sums}{missing}no line \x1b[1m\n");
    let run = sandbox.halimede(&["--check", "-", "no\x1b[2Kfile"], lines.as_bytes());
    let said = run.text();
    let expected = ["ok\\u{1b}[2K\\u{7}: OK", "plain \u{e9} \u{4e2d}: OK"];
    assert_eq!(said.lines().take(2).collect::<Vec<_>>(), expected, "{said}");
    assert!(said.contains("\n\\u{1b}[31mgone\\u{9b}\\u{202e}: FAILED"), "{said}");
    assert!(run.stderr.contains("no\\u{1b}[2Kfile: No such file"), "{}", run.stderr);
    for text in [&said, &run.stderr] {
        assert!(!text.contains(['\x1b', '\x07', '\u{9b}', '\u{202e}']), "{text:?}");
    }
    // In JSON, names are not changed.
    let object = sandbox.halimede(&["--check", "--json"], missing.as_bytes()).text();
    assert_eq!(
        serde_json::from_str::<Value>(&object).unwrap()["file"],
        "\x1b[31mgone\u{9b}\u{202e}"
    );
}
