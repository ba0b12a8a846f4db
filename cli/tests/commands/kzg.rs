// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede kzg verify`: Ethereum's cases as lines.

use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;

use crate::common::halimede;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../engines/bls12_381/vectors/kzg")
}

fn text_of(path: &Path) -> String {
    let bytes = std::fs::read(path).unwrap();
    let mut text = String::new();
    match path.extension().is_some_and(|extension| extension == "gz") {
        true => GzDecoder::new(&bytes[..]).read_to_string(&mut text).unwrap(),
        false => (&bytes[..]).read_to_string(&mut text).unwrap(),
    };
    text
}

/// The cases as lines, and what each is answered by begins with.
fn cases() -> (String, Vec<&'static str>) {
    let (mut lines, mut expected) = (String::new(), Vec::new());
    for kind in ["verify_kzg_proof", "verify_blob_kzg_proof"] {
        for entry in std::fs::read_dir(folder().join(kind)).unwrap() {
            let text = text_of(&entry.unwrap().path());
            let fields = text.lines().filter_map(|line| line.trim().split_once(": '"));
            let fields =
                fields.map(|(name, value)| format!("\"{name}\":\"{}\"", value.trim_matches('\'')));
            lines += &format!("{{{}}}\n", fields.collect::<Vec<_>>().join(","));
            expected.push(match text.trim().rsplit_once(": ").unwrap().1 {
                "true" => "valid",
                "false" => "invalid: the proof does not match",
                _ => "error: ",
            });
        }
    }
    (lines, expected)
}

#[test]
fn published_cases_as_lines() {
    let scratch = tempfile::tempdir().unwrap();
    let setup = scratch.path().join("setup.txt");
    std::fs::write(&setup, text_of(&folder().join("trusted_setup.txt.gz"))).unwrap();
    let verify = ["kzg", "verify", "--setup", setup.to_str().unwrap()];
    let empty = halimede(&verify, b"");
    assert_eq!((empty.code, empty.stdout.as_str()), (Some(2), ""), "{}", empty.stderr);
    let (lines, expected) = cases();
    assert_eq!(expected.len(), 69);
    let outcome = halimede(&verify, lines.as_bytes());
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    let answers: Vec<&str> = outcome.stdout.lines().collect();
    assert_eq!(answers.len(), expected.len());
    for (answer, expected) in answers.iter().zip(&expected) {
        let is_it =
            if *expected == "error: " { answer.starts_with(expected) } else { answer == expected };
        assert!(is_it, "{answer} {expected}");
    }
    let of = |wanted: &str| {
        let lines = lines.lines().zip(&expected).filter(|(_, expected)| **expected == wanted);
        lines.map(|(line, _)| format!("{line}\n")).collect::<String>()
    };
    assert_eq!(halimede(&verify, of("valid").as_bytes()).code, Some(0));
    let invalid = of("invalid: the proof does not match");
    let outcome = halimede(&[&verify[..], &["--json"]].concat(), invalid.as_bytes());
    assert_eq!(outcome.code, Some(1));
    assert!(outcome.stdout.lines().all(|line| line.contains("\"valid\":false")));
    for (line, expected) in [
        (
            "{\"commitment\":\"\",\"proof\":\"\"}",
            "error: there is neither `blob` nor `z` and `y`\n",
        ),
        (
            "{\"commitment\":\"\",\"proof\":\"\",\"y\":\"\"}",
            "error: there is one of `z` and `y` alone\n",
        ),
        (
            "{\"commitment\":\"\",\"proof\":\"\",\"y\":\"\",\"blob\":\"\"}",
            "error: there are both `blob` and `z` or `y`\n",
        ),
    ] {
        assert_eq!(halimede(&verify, line.as_bytes()).stdout, expected);
    }
}

#[test]
fn what_is_no_setup_is_named() {
    let scratch = tempfile::tempdir().unwrap();
    let setup = scratch.path().join("setup.txt");
    let long = " ".repeat((2 << 20) + 1);
    for (content, expected) in
        [("4096\n64\n", "line 2: the number of points"), ("", "line 1"), (&long, "")]
    {
        std::fs::write(&setup, content).unwrap();
        let outcome = halimede(&["kzg", "verify", "--setup", setup.to_str().unwrap()], b"");
        assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
        assert!(outcome.stderr.contains(expected), "{}", outcome.stderr);
    }
}
