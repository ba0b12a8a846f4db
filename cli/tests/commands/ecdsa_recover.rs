// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede batch secp256k1.recover`: one key or address per line, for any lines.

use crate::common::{halimede, Outcome};
use halimede_secp256k1::recovery::RecoveredKey;
use halimede_secp256k1::secp256k1::ecdsa::RecoverableSignature;
use halimede_secp256k1::secp256k1::{Message, PublicKey, SecretKey};
use serde_json::{json, Value};
use sha2::{Digest, Sha256};
use sha3::Keccak256;

fn recover(arguments: &[&str], input: &[u8]) -> Outcome {
    halimede(&[&["batch", "secp256k1.recover"], arguments].concat(), input)
}

/// Returns a line with a message and its signature, whose recovery id is raised, and the key.
fn signed(number: u8, digest: [u8; 32], raised: u8) -> (String, RecoveredKey) {
    let secret = SecretKey::from_secret_bytes([number + 1; 32]).unwrap();
    let signature =
        RecoverableSignature::sign_ecdsa_recoverable(Message::from_digest(digest), &secret);
    let (id, compact) = signature.serialize_compact();
    let signature = [&compact[..], &[id.to_u8() + raised]].concat();
    let key = PublicKey::from_secret_key(&secret).serialize_uncompressed();
    (hex::encode(signature), RecoveredKey(key[1..].try_into().unwrap()))
}

#[test]
fn keys_and_addresses_are_recovered() {
    let (mut plain, mut ethereum) = (String::new(), String::new());
    let (mut keys, mut addresses) = (String::new(), String::new());
    for number in 0..40 {
        let message = vec![number; usize::from(number)];
        let hex_message = hex::encode(&message);
        let (sig, key) = signed(number, Sha256::digest(&message).into(), 0);
        plain += &format!("{}\n", json!({ "msg": hex_message, "sig": sig }));
        keys += &format!("{}\n", hex::encode(key.0));
        let (sig, key) = signed(number, Keccak256::digest(&message).into(), 27);
        ethereum += &format!("{}\n", json!({ "sig": format!("0x{sig}"), "msg": hex_message }));
        addresses += &format!("{}\n", hex::encode(key.address()));
    }
    let run = recover(&["--hash", "sha256"], plain.as_bytes());
    assert_eq!((run.code, run.stdout), (Some(0), keys.clone()));
    let options = [
        "--numbering",
        "ethereum",
        "--hash",
        "keccak256",
        "--low-s",
        "true",
        "--answer",
        "address",
    ];
    let run = recover(&options, ethereum.as_bytes());
    assert_eq!((run.code, run.stdout), (Some(0), addresses.clone()));
    let run = recover(&[&options[..], &["--json"]].concat(), ethereum.as_bytes());
    for (line, address) in run.stdout.lines().zip(addresses.lines()) {
        let expected = json!({ "recovered": address });
        assert_eq!(serde_json::from_str::<Value>(line).unwrap(), expected);
    }
}

#[test]
fn what_has_no_key_says_why_and_the_others_are_answered() {
    let (sig, key) = signed(9, [7; 32], 0);
    let good = json!({ "digest": "07".repeat(32), "sig": sig }).to_string();
    let key = hex::encode(key.0);
    let with = |signature: String| good.replace(&sig, &signature);
    let cases: Vec<(String, &str)> = vec![
        (good.clone(), &key),
        (with(sig[2..].into()), "error: `signature`: "),
        (with(format!("{}04", &sig[..128])), "error: the recovery id 4 is not from 0 to 3"),
        (with(format!("{}02", &sig[..128])), "error: r + n is not below p"),
        (with(format!("{}{}", "00".repeat(32), &sig[64..])), "error: r is not from 1 to n - 1"),
        (with(format!("{}{}00", &sig[..64], "ff".repeat(32))), "error: s is not from 1 to n - 1"),
        (
            with(format!("{}05{}", "00".repeat(31), &sig[64..])),
            "error: no point of the curve has the x that r says",
        ),
        ("{}".into(), "error: `digest` is missing"),
        (good.replace("digest", "hash"), "error: `digest` is missing"),
        (good.replace("\"digest\"", "\"msg\":\"\",\"digest\""), "error: duplicate field `digest`"),
        (good.clone(), &key),
    ];
    let repeated = || cases.iter().cycle().take(20 * cases.len() + 1);
    let input: String = repeated().map(|(line, _)| format!("{line}\n")).collect();
    let run = recover(&[], input.as_bytes());
    assert_eq!(run.code, Some(2));
    assert_eq!(run.stdout.lines().count(), 20 * cases.len() + 1);
    for (answer, (line, expected)) in run.stdout.lines().zip(repeated()) {
        assert!(answer.starts_with(expected), "{line}: {answer}");
    }
    let run = recover(&["--numbering", "ethereum", "--json"], good.as_bytes());
    assert_eq!(run.code, Some(2));
    assert!(run.stdout.contains("is neither 27 nor 28"), "{}", run.stdout);
}
