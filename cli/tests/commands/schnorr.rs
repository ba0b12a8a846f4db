// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede schnorr verify`: lines in, a verdict each out, whatever the lines are.

use crate::common::{halimede, Outcome};
use serde_json::Value;

const VECTORS: &str = include_str!("../../../engines/secp256k1/vectors/bip340.csv");

/// A line of each of BIP 340's vectors, and what it begins to be answered with.
fn vectors() -> Vec<(String, &'static str)> {
    let vector = |(index, line): (usize, &str)| {
        let fields: Vec<&str> = line.splitn(8, ',').collect();
        let (key, msg, sig) = (fields[2], fields[4], fields[5]);
        let line = format!(r#"{{"key":"{key}","msg":"0x{msg}","sig":"{sig}","index":{index}}}"#);
        let expected = match index {
            5 => "invalid: the key is not a point of the curve",
            6 => "invalid: the signature leads to a point with an odd y",
            7 | 8 | 11 => "invalid: the signature is not this key's on this message",
            9 | 10 => "invalid: the signature leads to the point at infinity",
            12 => "invalid: r is not below p",
            13 => "invalid: s is not below n",
            14 => "invalid: the key's x is not below p",
            _ => "valid",
        };
        assert_eq!(expected == "valid", fields[6] == "TRUE", "vector {index}");
        (line, expected)
    };
    VECTORS.lines().skip(1).enumerate().map(vector).collect()
}

fn verify(arguments: &[&str], input: &[u8]) -> Outcome {
    halimede(&[&["schnorr", "verify"], arguments].concat(), input)
}

#[test]
fn published_vectors_are_answered_with_reasons() {
    let vectors = vectors();
    let input: String = vectors.iter().map(|(line, _)| format!("{line}\n")).collect();
    let expected: Vec<&str> = vectors.iter().map(|(_, answer)| *answer).collect();
    let run = verify(&[], input.as_bytes());
    assert_eq!((run.code, run.stdout.lines().collect()), (Some(1), expected));
    assert!(run.stderr.contains("10 of 19 checks failed"), "{}", run.stderr);
    let run = verify(&["--json"], input.as_bytes());
    assert_eq!(run.code, Some(1));
    for (line, (_, answer)) in run.stdout.lines().zip(&vectors) {
        let object: Value = serde_json::from_str(line).unwrap();
        assert_eq!(object["valid"], *answer == "valid");
        let reason = object["reason"].as_str().map(|reason| format!("invalid: {reason}"));
        assert_eq!(reason.as_deref().unwrap_or("valid"), *answer);
    }
}

#[test]
fn bad_lines_are_answered_in_their_places_and_the_others_still() {
    let (good, _) = vectors().swap_remove(1);
    let cases: Vec<(Vec<u8>, &str)> = vec![
        (good.clone().into(), "valid"),
        (b"".to_vec(), "error: column 1: a line is a JSON object"),
        (b"\xff\xfe".to_vec(), "error: the line is not UTF-8 text after its byte 0"),
        (good.replace("\"msg\"", "\"message\"").into(), "error: column "),
        (good.replace("\"key\":\"D", "\"key\":\"").into(), "error: column "),
        (good.replace("\"key\":\"DF", "\"key\":\"").into(), "invalid: a key has 32 bytes, got 31"),
        (good.replace("\"sig\":\"", "\"sig\":\"zz").into(), "error: column "),
        (
            good.replace("\"sig\":\"", "\"sig\":\"00").into(),
            "invalid: a signature has 64 bytes, got 65",
        ),
        (good.clone().into(), "valid"),
    ];
    // Enough lines for lanes, each case in each place.
    let repeated = || cases.iter().cycle().take(20 * cases.len() + 1);
    let input: Vec<u8> = repeated().flat_map(|(line, _)| [&line[..], b"\n"].concat()).collect();
    let run = verify(&[], &input);
    assert_eq!(run.code, Some(2));
    assert_eq!(run.stdout.lines().count(), 20 * cases.len() + 1);
    for (answer, (line, expected)) in run.stdout.lines().zip(repeated()) {
        assert!(answer.starts_with(expected), "{}: {answer}", String::from_utf8_lossy(line));
    }
}

#[test]
fn help_and_wrong_options() {
    let help = verify(&["--help"], b"").stdout;
    assert!(help.contains("Exit codes: 0 all are valid") && help.contains("BIP 340"), "{help}");
    assert_eq!(verify(&[], b"").code, Some(2));
    assert_eq!(verify(&["/nonexistent/lines"], b"").code, Some(2));
    assert_eq!(verify(&["--device", "cuda:0"], b"{}\n").code, Some(3));
}
