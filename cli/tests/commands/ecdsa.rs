// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede batch secp256k1.verify`: one verdict per line, for any lines.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "tests report what they measured or skipped"
)]

use std::io::Write;

use crate::common::halimede;
use halimede_secp256k1::secp256k1::{ecdsa, Message, PublicKey, SecretKey};
use proptest::prelude::*;
use rand::{Rng, RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{json, Value};
use sha2::{Digest, Sha256, Sha512};
use sha3::Sha3_256;

type Hash = fn(&[u8]) -> Vec<u8>;

/// A key, which signs messages.
struct Signer {
    random: ChaCha8Rng,
    secret: SecretKey,
}

impl Signer {
    fn new(seed: u64) -> Self {
        println!("seed {seed}");
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let secret = SecretKey::from_secret_bytes(random.gen()).unwrap();
        Self { random, secret }
    }

    fn key(&self) -> PublicKey {
        PublicKey::from_secret_key(&self.secret)
    }

    fn bytes(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count];
        self.random.fill_bytes(&mut bytes);
        bytes
    }

    fn sign(&self, digest: &[u8]) -> ecdsa::Signature {
        ecdsa::sign(Message::from_digest(digest[..32].try_into().unwrap()), &self.secret)
    }

    /// Returns a line with a valid signature of a random message of this many bytes.
    fn line(&mut self, bytes: usize) -> String {
        let message = self.bytes(bytes);
        let signature = self.sign(&Sha256::digest(&message)).serialize_der();
        self.message_line(&message, &signature)
    }

    fn message_line(&self, message: &[u8], signature: &[u8]) -> String {
        let key = hex::encode(self.key().serialize());
        let (message, signature) = (hex::encode(message), hex::encode(signature));
        json!({ "key": key, "msg": message, "sig": signature }).to_string()
    }
}

const SHA256: &[&str] = &["--hash", "sha256"];

fn verify(arguments: &[&str], input: &[u8]) -> crate::common::Outcome {
    halimede(&[&["batch", "secp256k1.verify"], arguments].concat(), input)
}

#[test]
fn every_format_hash_and_form_of_key_is_read() {
    let mut signer = Signer::new(1);
    let hashes: [(&str, Hash); 4] = [
        ("sha256", |message| Sha256::digest(message).to_vec()),
        ("sha512", |message| Sha512::digest(message).to_vec()),
        ("sha3-256", |message| Sha3_256::digest(message).to_vec()),
        ("any-length", <[u8]>::to_vec),
    ];
    for (name, hash) in hashes {
        let message = signer.bytes(77);
        let digest = hash(&message);
        let signature = signer.sign(&digest);
        let key = signer.key();
        let mut hybrid = key.serialize_uncompressed();
        hybrid[0] = 6 + (hybrid[64] & 1);
        let keys = [&key.serialize()[..], &key.serialize_uncompressed(), &hybrid].map(hex::encode);
        for (format, signature) in [
            ("der", signature.serialize_der().to_vec()),
            ("der-lax", signature.serialize_der().to_vec()),
            ("compact", signature.serialize_compact().to_vec()),
        ] {
            let sig = hex::encode(&signature);
            let (message, digest) = (hex::encode(&message), hex::encode(&digest));
            let (mut input, mut digests) = (String::new(), String::new());
            for key in &keys {
                input += &format!("{}\n", json!({ "key": key, "msg": message, "sig": sig }));
                input +=
                    &format!("{}\n", json!({ "key": key, "digest": message, "signature": sig }));
                digests += &format!("{}\n", json!({ "sig": sig, "digest": digest, "key": key }));
            }
            let arguments = ["--format", format, "--hash", name, "--low-s", "true"];
            let run = verify(&arguments, input.as_bytes());
            assert_eq!((run.code, run.stdout.as_str()), (Some(0), &*"valid\n".repeat(6)), "{name}");
            let other = if name == "sha256" { "sha512" } else { "sha256" };
            let run = verify(&["--format", format, "--hash", other], input.as_bytes());
            let mismatch = "invalid: the signature is not this key's on this digest\n".repeat(6);
            assert_eq!((run.code, run.stdout), (Some(1), mismatch), "{name}");
            assert!(run.stderr.contains("6 of 6 checks failed"), "{}", run.stderr);
            let run = verify(&["--format", format, "--hash", "any-length"], digests.as_bytes());
            assert_eq!((run.code, run.stdout), (Some(0), "valid\n".repeat(3)), "{name}");
        }
    }
}

#[test]
fn digests_of_any_length_are_numbers() {
    let mut signer = Signer::new(2);
    let key = hex::encode(signer.key().serialize());
    let mut input = String::new();
    for bytes in 1..=32 {
        let digest = signer.bytes(bytes);
        let padded = [vec![0; 32 - bytes], digest.clone()].concat();
        let sig = hex::encode(signer.sign(&padded).serialize_der());
        input +=
            &format!("{}\n", json!({ "key": key, "digest": hex::encode(&digest), "sig": sig }));
        let longer = [padded, signer.bytes(bytes)].concat();
        input +=
            &format!("{}\n", json!({ "key": key, "digest": hex::encode(&longer), "sig": sig }));
    }
    let run = verify(&["--hash", "any-length"], input.as_bytes());
    assert_eq!((run.code, run.stdout), (Some(0), "valid\n".repeat(64)));
    let run = verify(&[], input.as_bytes());
    assert_eq!(run.stdout.matches("valid\n").count(), 1);
    assert_eq!(run.stdout.matches("for a message, set its hash function").count(), 63);
}

#[test]
fn what_is_invalid_says_why() {
    let mut signer = Signer::new(3);
    let message = signer.bytes(30);
    let signature = signer.sign(&Sha256::digest(&message));
    let compact = signature.serialize_compact();
    let with = |name: &str, value: Value| {
        let mut line = json!({
            "key": hex::encode(signer.key().serialize()),
            "msg": hex::encode(&message),
            "sig": hex::encode(compact),
        });
        line[name] = value;
        line.to_string()
    };
    let mut high_s = compact;
    let n = halimede_secp256k1::constants::GROUP_ORDER;
    let s = num_bigint::BigUint::from_bytes_be(&compact[32..]);
    let minus_s = (num_bigint::BigUint::from_bytes_be(&n) - s).to_bytes_be();
    high_s[32..].copy_from_slice(&minus_s);
    let r_zero = [[0; 32], compact[32..].try_into().unwrap()].concat();
    let s_n = [compact[..32].try_into().unwrap(), n].concat();
    let (r_zero, s_n) = (hex::encode(r_zero), hex::encode(s_n));
    let off_curve = format!("02{}05", "00".repeat(31));
    let cases = [
        (with("x", 1.into()), "valid"),
        (with("sig", hex::encode(high_s).into()), "invalid: s is above n/2"),
        (with("sig", r_zero.into()), "invalid: r is not from 1 to n - 1"),
        (with("sig", s_n.into()), "invalid: s is not from 1 to n - 1"),
        (with("sig", "00".into()), "invalid: a compact signature has 64 bytes, got 1"),
        (with("sig", "".into()), "invalid: a compact signature has 64 bytes, got 0"),
        (with("msg", "".into()), "invalid: the signature is not this key's on this digest"),
        (with("key", "00".into()), "invalid: the key is the point at infinity"),
        (with("key", "0203".into()), "invalid: a key has 33 bytes (compressed) or 65, got 2"),
        (with("key", off_curve.into()), "invalid: the key is not a point of the curve"),
    ];
    let input: String = cases.iter().map(|(line, _)| format!("{line}\n")).collect();
    let run =
        verify(&["--format", "compact", "--low-s", "true", "--hash", "sha256"], input.as_bytes());
    let expected: Vec<&str> = cases.iter().map(|(_, text)| *text).collect();
    assert_eq!(run.stdout.lines().collect::<Vec<_>>(), expected);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("9 of 10 checks failed"), "{}", run.stderr);
    let run = verify(
        &["--format", "compact", "--low-s", "true", "--hash", "sha256", "--json"],
        input.as_bytes(),
    );
    assert_eq!(run.code, Some(1));
    for (line, (_, text)) in run.stdout.lines().zip(&cases) {
        let object: Value = serde_json::from_str(line).unwrap();
        assert_eq!(object["valid"], *text == "valid");
        let reason = object["reason"].as_str().map(|reason| format!("invalid: {reason}"));
        assert_eq!(reason.as_deref().unwrap_or("valid"), *text);
    }
    // Without the low-s rule, n - s is valid too.
    let run = verify(&["--format", "compact", "--hash", "sha256"], cases[1].0.as_bytes());
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), "valid\n"));
}

#[test]
fn bad_lines_are_answered_in_their_places_and_the_others_still() {
    let mut signer = Signer::new(4);
    let good = signer.line(40);
    let garbage = signer.bytes(300);
    let garbage: Vec<u8> = garbage.into_iter().filter(|byte| *byte != b'\n').collect();
    let cases: Vec<(Vec<u8>, &str)> = vec![
        (good.clone().into(), "valid"),
        (b"".to_vec(), "error: column 1: expected a JSON object"),
        (garbage, "error: the line is not UTF-8 text after its byte "),
        (b"not json".to_vec(), "error: column 1: "),
        (good[..good.len() - 1].into(), "error: column "),
        (good.replace("\"key\"", "\"kez\"").into(), "error: `key` is missing"),
        (good.replace("\"sig\"", "\"sgi\"").into(), "error: `signature` is missing"),
        (good.replace("\"msg\"", "\"massage\"").into(), "error: `digest` is missing"),
        (good.replace("\"sig\":\"30", "\"sig\":\"3z").into(), "error: `signature`: "),
        (good.replace("\"sig\":\"30", "\"sig\":\"3").into(), "error: `signature`: "),
        (good.replace("\"key\":\"", "\"key\":[\"").into(), "error: column "),
        (
            good.replace("\"msg\"", "\"digest\":\"00\",\"msg\"").into(),
            "error: duplicate field `digest`",
        ),
        ([good.as_bytes(), b" {}"].concat(), "error: column "),
        (vec![b'['; 100_000], "error: column 1: "),
        ([good.as_bytes(), b"\r"].concat(), "valid"),
        (good.replace("\"msg\"", "\"message\"").into(), "valid"),
    ];
    let input: Vec<u8> =
        cases.iter().flat_map(|(line, _)| [line.as_slice(), b"\n"].concat()).collect();
    let run = verify(SHA256, &input);
    assert_eq!(run.code, Some(2));
    assert_eq!(run.stdout.lines().count(), cases.len());
    for (answer, (line, expected)) in run.stdout.lines().zip(&cases) {
        let line = String::from_utf8_lossy(&line[..line.len().min(80)]);
        assert!(answer.starts_with(expected), "{line}: {answer}");
    }
    assert!(run.stderr.contains("13 of 16 lines were bad input; the first is line 2"));
    let run = verify(&["--hash", "sha256", "--json"], &input);
    let objects: Vec<Value> =
        run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(objects.iter().filter(|object| object["error"].is_string()).count(), 13);
    assert_eq!(objects[15], json!({ "valid": true }));
}

#[test]
fn the_order_is_kept_from_file_and_pipe() {
    let mut signer = Signer::new(5);
    let (mut input, mut expected) = (String::new(), String::new());
    let mut lines = 0;
    // Several batches, in an irregular order.
    while lines < 20_000 {
        let good = signer.line(1 + lines % 50);
        let bad = good.replace("\"msg\":\"", "\"msg\":\"00");
        for _ in 0..250 {
            let (line, answer) = match signer.random.gen_range(0..4) {
                0 => (good.as_str(), "valid\n"),
                1 => (bad.as_str(), "invalid: the signature is not this key's on this digest\n"),
                2 => ("?", "error: column 1: expected a JSON object, which begins with {\n"),
                _ => (
                    r#"{"key":"05","msg":"","sig":""}"#,
                    "invalid: a key has 33 bytes (compressed) or 65, got 1\n",
                ),
            };
            input += &format!("{line}\n");
            expected += answer;
            lines += 1;
        }
    }
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(input.as_bytes()).unwrap();
    let path = file.path().to_str().unwrap();
    for (path, input) in [(path, &b""[..]), ("-", input.as_bytes())] {
        let run = verify(&[&[path], SHA256].concat(), input);
        assert_eq!(run.code, Some(2));
        assert!(run.stdout == expected, "the answers differ");
    }
}

#[test]
fn long_lines_are_hashed_and_too_long_ones_refused() {
    let mut signer = Signer::new(6);
    let long = signer.line(3 << 20);
    let too_long = signer.line(9 << 20);
    let short = signer.line(0);
    let run = verify(SHA256, format!("{long}\n{too_long}\n{short}").as_bytes());
    let answers: Vec<&str> = run.stdout.lines().collect();
    assert_eq!((answers[0], answers[2], answers.len()), ("valid", "valid", 3));
    assert_eq!(answers[1], "error: the line is longer than 16777216 bytes");
    assert_eq!(run.code, Some(2));
}

#[test]
fn wrong_options_and_missing_files_are_bad_input() {
    let cases: [(&[&str], &str); 5] = [
        (&["--format", "pem"], "invalid value 'pem'"),
        (&["--hash", "md5"], "invalid value 'md5'"),
        (&["/nonexistent/lines"], "/nonexistent/lines: No such file"),
        (&["/"], "is a directory"),
        (&["a", "b"], "unexpected argument 'b'"),
    ];
    for (arguments, reason) in cases {
        let run = verify(arguments, b"{}\n");
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(run.stderr.contains(reason), "{arguments:?}: {}", run.stderr);
    }
    for device in ["xdma:/nonexistent", "sim:/nonexistent/socket"] {
        let run = verify(&["--device", device], b"{}\n");
        assert_eq!((run.code, run.stdout.as_str()), (Some(3), ""), "{device}: {}", run.stderr);
    }
    let help = verify(&["--help"], b"").stdout;
    assert!(help.contains("Exit codes: 0 success") && help.contains("Example:"), "{help}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// For any standard input: no panic, one answer per line, and the matching exit code.
    #[test]
    fn any_input_is_answered(input in prop::collection::vec(
        prop_oneof![
            Just(Signer::new(7).line(20).into_bytes()),
            Just(b"\r\n".to_vec()),
            Just(b"{\"key\":\"02\",\"msg\":\"00\",\"sig\":\"3000\"}\n".to_vec()),
            prop::collection::vec(any::<u8>(), 0..60),
            "\\{\"key\":\"[0-9a-f]{0,70}\",\"digest\":\"[0-9a-f]{0,70}\",\"sig\":\"30[0-9a-f]{0,144}\"\\}\n"
                .prop_map(String::into_bytes),
        ],
        0..12,
    ), format in prop_oneof![Just("der"), Just("der-lax"), Just("compact")]) {
        let input = input.concat();
        let run = verify(&["--format", format, "--hash", "any-length"], &input);
        let ended = input.iter().filter(|&&byte| byte == b'\n').count();
        let unended = usize::from(input.last().is_some_and(|&byte| byte != b'\n'));
        let answers: Vec<&str> = run.stdout.lines().collect();
        prop_assert_eq!(answers.len(), ended + unended);
        let starts = |with: &str| answers.iter().any(|answer| answer.starts_with(with));
        // An empty input is bad input too.
        let is_bad = answers.is_empty() || starts("error: ");
        let code = if is_bad { 2 } else { i32::from(starts("invalid: ")) };
        prop_assert_eq!(run.code, Some(code));
    }
}
