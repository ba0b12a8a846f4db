// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Hashing like `b3sum`: each behavior that its help and documentation describe, byte for byte.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::unix::ffi::OsStrExt;

use crate::sandbox::{random, Peer};

/// Lengths around the limits of blocks, chunks, memory mapping and several threads.
const LENGTHS: [usize; 16] = [
    0, 1, 63, 64, 65, 1023, 1024, 1025, 2048, 3073, 16_383, 16_384, 16_385, 131_077, 1_048_576,
    1_048_583,
];

#[test]
fn files_of_all_lengths_in_all_forms() {
    let Some(peer) = Peer::find() else { return };
    let mut names = Vec::new();
    for (seed, length) in LENGTHS.into_iter().enumerate() {
        names.push(format!("f{length}"));
        peer.sandbox.random(&names[seed], length, seed as u64);
    }
    for options in [
        &[][..],
        &["--tag"],
        &["--no-names"],
        &["--no-names", "--tag"],
        &["--no-mmap"],
        &["--num-threads", "1"],
        &["--num-threads", "3", "--no-mmap", "--tag"],
        &["--num-threads", "0"],
        &["--num-threads", "300"],
    ] {
        let arguments: Vec<&str> =
            options.iter().copied().chain(names.iter().map(String::as_str)).collect();
        let run = peer.agree(&arguments, b"");
        assert_eq!((run.code, run.text().lines().count()), (Some(0), LENGTHS.len()));
    }
}

#[test]
fn standard_input_has_no_name_or_a_dash() {
    let Some(peer) = Peer::find() else { return };
    peer.sandbox.random("a", 2000, 1);
    for length in [0, 5, 70_000, 3 << 20 | 1] {
        let input = random(length, 2);
        for arguments in [
            &[][..],
            &["-"],
            &["--tag"],
            &["--raw"],
            &["--no-names", "-"],
            &["a", "-", "a"],
            &["-", "-"],
            &["--no-mmap", "-l", "7"],
        ] {
            assert_eq!(peer.agree(arguments, &input).code, Some(0));
        }
    }
}

#[test]
fn extended_output_of_any_length_from_any_place() {
    let Some(peer) = Peer::find() else { return };
    peer.sandbox.random("a", 5000, 3);
    for length in ["0", "1", "31", "33", "63", "64", "65", "1000", "16385", "1000000"] {
        for form in ["--tag", "--raw", "--no-names", "--no-mmap"] {
            peer.agree(&["--length", length, form, "a"], b"");
        }
        peer.agree(&["-l", length, "a"], b"");
        peer.agree(&["--seek", "77", &format!("-l{length}"), "a"], b"");
    }
    let places = [0, 1, 32, 63, 64, 65, 1 << 20, 1 << 32, 1 << 63, u64::MAX - 16, u64::MAX];
    for seek in places.map(|place| place.to_string()) {
        peer.agree(&["--seek", &seek, "a"], b"");
        peer.agree(&["--seek", &seek, "--length", "100", "--raw", "-"], &random(100, 4));
    }
}

#[test]
fn names_that_lines_cannot_hold_are_escaped() {
    let Some(peer) = Peer::find() else { return };
    let mut names: Vec<OsString> = [
        "plain",
        "two words",
        " lead",
        "trail ",
        "tab\t",
        "new\nline",
        "\n",
        "back\\slash",
        "\\",
        "\\n",
        "cr\r",
        "\r\n",
        "é",
        "日本語",
        "🐟",
        "quote\"",
        "a  b",
        "x) = y",
        "BLAKE3 (q",
        "\u{fffd}",
        "./-dash",
        "\u{1b}[31m",
    ]
    .map(OsString::from)
    .to_vec();
    names.push(OsStr::from_bytes(b"bad\xff\xfe").into());
    names.push(OsStr::from_bytes(b"bad\xff\n\\").into());
    for (seed, name) in names.iter().enumerate() {
        peer.sandbox.random(name, 100 + seed, seed as u64);
    }
    for option in ["--no-mmap", "--tag", "--no-names"] {
        let mut arguments = vec![OsString::from(option)];
        arguments.extend_from_slice(&names);
        let run = peer.agree(&arguments, b"");
        assert_eq!((run.code, run.text().lines().count()), (Some(0), names.len()));
    }
    let after_dashes = [OsStr::new("--"), OsStr::new("-dash"), &names[5]];
    assert_eq!(peer.agree(&after_dashes, b"").code, Some(0));
}

#[test]
fn keyed_hashing_takes_32_bytes_from_standard_input() {
    let Some(peer) = Peer::find() else { return };
    peer.sandbox.random("a", 3000, 5);
    peer.sandbox.random("b", 10, 6);
    let key = random(32, 7);
    assert_eq!(peer.agree(&["--keyed", "a", "b"], &key).code, Some(0));
    peer.agree(&["--keyed", "--raw", "--seek", "9", "--length", "99", "b"], &key);
    let run = peer.agree(&["--keyed", "a", "-", "b"], &key);
    assert_eq!((run.code, run.text().lines().count()), (Some(1), 2));
    assert!(run.stderr.contains("-: standard input is the key"), "{}", run.stderr);
    for length in [0, 1, 31, 33, 64, 100_000] {
        let run = peer.agree(&["--keyed", "a"], &random(length, 8));
        assert_eq!((run.code, run.stdout.as_slice()), (Some(1), &b""[..]));
        assert!(run.stderr.contains("a key of 32 bytes"), "{}", run.stderr);
    }
    assert_eq!(peer.agree(&["--keyed"], &key).code, Some(2));
}

#[test]
fn keys_are_derived_for_any_context() {
    let Some(peer) = Peer::find() else { return };
    let material = peer.sandbox.random("material", 1500, 9);
    for context in ["", "example.com 2026-11-22 key", "ключ", "-", "two\nlines"] {
        let option = format!("--derive-key={context}");
        peer.agree(&[&option, "material"], b"");
        peer.agree(&["--length", "64", "--raw", &option], &material);
    }
    peer.agree(&["--derive-key", "a context of two arguments", "--tag", "material", "-"], b"x");
}

#[test]
fn raw_output_is_of_one_input() {
    let Some(peer) = Peer::find() else { return };
    peer.sandbox.random("a", 1025, 10);
    assert_eq!(peer.agree(&["--raw", "a"], b"").stdout.len(), 32);
    peer.agree(&["--raw", "--tag", "--no-names", "a"], b"");
    for arguments in [&["--raw", "a", "a"][..], &["--raw", "-", "a", "missing"]] {
        let run = peer.agree(arguments, b"");
        assert_eq!((run.code, run.stdout.len()), (Some(1), 0));
    }
    assert_eq!(peer.agree(&["--raw", "missing"], b"").code, Some(1));
}

#[test]
fn what_cannot_be_read_is_said_and_the_others_are_hashed() {
    let Some(peer) = Peer::find() else { return };
    peer.sandbox.random("a", 100, 11);
    peer.sandbox.random("secret", 100, 12);
    std::fs::create_dir(peer.sandbox.path("folder")).unwrap();
    std::os::unix::fs::symlink("nowhere", peer.sandbox.path("dangling")).unwrap();
    std::os::unix::fs::symlink("a", peer.sandbox.path("link")).unwrap();
    let mut permissions = std::fs::metadata(peer.sandbox.path("secret")).unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0);
    std::fs::set_permissions(peer.sandbox.path("secret"), permissions).unwrap();
    let arguments = ["a", "missing", "folder", "dangling", "a/", "link", "a"];
    let run = peer.agree(&arguments, b"");
    assert_eq!((run.code, run.text().lines().count()), (Some(1), 3));
    for name in ["missing: No such file", "folder: Is a directory", "dangling: ", "a/: Not a dir"] {
        assert!(run.stderr.contains(&format!("halimede: {name}")), "{}", run.stderr);
    }
    // A privileged user can read the file; both programs run as the same user.
    peer.agree(&["secret", "a", "--tag"], b"");
    peer.agree(&["folder", "--no-mmap"], b"");
}

#[test]
fn options_that_exclude_or_need_each_other() {
    let Some(peer) = Peer::find() else { return };
    peer.sandbox.random("a", 100, 13);
    for arguments in [
        "--keyed --derive-key x a",
        "--check --keyed a",
        "--check --derive-key x a",
        "--check --length 5 a",
        "--check --raw a",
        "--check --tag a",
        "--check --no-names a",
        "--quiet a",
        "--quiet",
        "--length x a",
        "--length -1 a",
        "--length 18446744073709551616 a",
        "--seek 18446744073709551616 a",
        "--num-threads x a",
        "--derive-key",
        "-cc a",
        "--raw --raw a",
        "--no-mmap --no-mmap a",
        "--unknown a",
        "-x a",
    ] {
        let words: Vec<&str> = arguments.split(' ').collect();
        let run = peer.agree(&words, b"");
        assert_eq!((run.code, run.stdout.len()), (Some(2), 0), "{arguments}");
    }
    assert_eq!(peer.agree(&[""], b"").code, Some(2));
}

#[test]
fn a_file_with_holes_is_hashed_in_bounded_memory() {
    let Some(peer) = Peer::find() else { return };
    let file = File::create(peer.sandbox.path("sparse")).unwrap();
    file.set_len((300 << 20) + 5).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&file, &random(5000, 14), 200 << 20 | 77).unwrap();
    assert_eq!(peer.agree(&["sparse"], b"").code, Some(0));
    let mapped = peer.sandbox.halimede(&["sparse"], b"");
    assert_eq!(peer.sandbox.halimede(&["--no-mmap", "sparse"], b"").stdout, mapped.stdout);
}
