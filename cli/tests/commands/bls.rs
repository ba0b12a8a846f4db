// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede bls …`: lines in, an answer each out.

use halimede_bls12_381::hash::{hash_to_curve, map_to_curve};
use halimede_bls12_381::pairing::pairing_product;
use halimede_bls12_381::{Curve, Fr, Point, G1, G2};
use serde_json::{json, Value};

use crate::common::halimede;

const DOMAIN: &[u8] = b"BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_";

/// A line of the default suite, which is Ethereum's: keys in G1, proof of possession.
fn line(number: u8) -> Value {
    let secret = blst::min_pk::SecretKey::key_gen(&[number; 32], &[]).unwrap();
    let message = [number, 7, number];
    let signature = secret.sign(&message, DOMAIN, &[]).to_bytes();
    let key = hex::encode(secret.sk_to_pk().to_bytes());
    let signature = format!("0x{}", hex::encode(signature));
    json!({ "key": key, "msg": hex::encode(message), "sig": signature })
}

#[test]
fn each_signature_has_its_verdict_in_its_place() {
    let mut lines: Vec<Value> = (0..9).map(line).collect();
    lines[3]["msg"] = "00".into();
    lines[5]["key"] = "c0".into();
    lines[6]["sig"] = format!("c0{}", "0".repeat(190)).into();
    let text = |lines: &[Value]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    let outcome = halimede(&["bls", "verify"], text(&lines).as_bytes());
    let verdicts: Vec<&str> = outcome.stdout.lines().collect();
    assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
    assert_eq!(verdicts[3], "invalid: the signature does not match");
    assert_eq!(verdicts[5], "invalid: key: a point of G1 has 48 bytes, not 1");
    assert_eq!(verdicts[6], "invalid: the signature does not match");
    for number in [0, 1, 2, 4, 7, 8] {
        assert_eq!(verdicts[number], "valid");
    }
    let outcome = halimede(&["bls", "verify"], text(&lines[..3]).as_bytes());
    assert_eq!((outcome.code, &outcome.stdout[..]), (Some(0), "valid\nvalid\nvalid\n"));
    let outcome = halimede(&["bls", "verify", "--json"], text(&lines[2..4]).as_bytes());
    let answers: Vec<Value> =
        outcome.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let suite = |mut answer: Value| {
        answer["scheme"] = "pop".into();
        answer["group"] = "min-pk".into();
        answer
    };
    let mismatch = json!({ "valid": false, "reason": "the signature does not match" });
    assert_eq!(answers, [suite(json!({ "valid": true })), suite(mismatch)]);
    for other in [&["--scheme", "basic"], &["--scheme", "aug"], &["--group", "min-sig"]] {
        let outcome =
            halimede(&[&["bls", "verify"], &other[..]].concat(), text(&lines[..1]).as_bytes());
        assert_eq!(outcome.code, Some(1), "{other:?}");
    }
    let bad = format!("{}\nnonsense\n{{\"key\":\"\",\"msg\":\"\"}}\n", lines[0]);
    let outcome = halimede(&["bls", "verify"], bad.as_bytes());
    let expected = "valid\nerror: column 1: a line is a JSON object, from { on\nerror: column 19: \
                    missing field `sig`\n";
    assert_eq!((outcome.code, &outcome.stdout[..]), (Some(2), expected));
}

fn hex_of<C: Curve>(scalar: u64) -> String {
    hex::encode(Point::<C>::generator().times(&Fr::from(scalar)).to_compressed())
}

/// A command's only line of output.
fn one(arguments: &[&str], line: &str) -> String {
    let outcome = halimede(&[&["bls"], arguments].concat(), format!("{line}\n").as_bytes());
    assert_eq!(outcome.code, Some(0), "{}", outcome.stdout);
    outcome.stdout.trim_end().to_owned()
}

#[test]
fn points_are_added_multiplied_and_paired() {
    let [p1, p2, p5] = [1, 2, 5].map(hex_of::<G1>);
    let [q1, q3, q4] = [1, 3, 4].map(hex_of::<G2>);
    assert_eq!(one(&["add", "--curve", "g1"], &format!("{p1} {p2} 0x{p2}")), p5);
    assert_eq!(one(&["add", "--curve", "g2"], &format!("{q1} {q3}")), q4);
    assert_eq!(one(&["mul", "--curve", "g1"], &format!("{p1} 5")), p5);
    let r_plus_4 = "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000005";
    assert_eq!(one(&["mul", "--curve", "g2"], &format!("{q1} {r_plus_4}")), q4);
    assert_eq!(one(&["msm", "--curve", "g1"], &format!("{p1} 1 {p2} 0x2")), p5);
    let expected =
        pairing_product(&[(Point::generator(), Point::<G2>::generator().times(&6.into()))]);
    assert_eq!(one(&["pairing"], &format!("{p2} {q3}")), hex::encode(expected));
    assert_eq!(one(&["multi-pairing"], &format!("{p1} {q4} {p2} {q1}")), hex::encode(expected));
    let opposite = hex::encode(Point::<G1>::generator().negated().to_compressed());
    assert_eq!(one(&["multi-pairing", "--check"], &format!("{p1} {q1} {opposite} {q1}")), "true");
    assert_eq!(one(&["multi-pairing", "--check"], &format!("{p1} {q1}")), "false");
    assert_eq!(one(&["multi-pairing", "--check"], ""), "true");
    let lines = format!("{p1} {q1} {p1} {q1}\n{q1}\n{p1} {p1}\n");
    let outcome = halimede(&["bls", "pairing"], lines.as_bytes());
    let expected = "error: 4 points instead of two\nerror: a point of G1 without one of G2 behind \
                    it\nerror: word 2: a point of G2 has 96 bytes, not 48\n";
    assert_eq!((outcome.code, &outcome.stdout[..]), (Some(2), expected));
}

#[test]
fn messages_are_hashed_and_elements_mapped() {
    let expected = hash_to_curve::<G1>(b"TAG", b"abc").unwrap().to_compressed();
    assert_eq!(one(&["hash-to-g1", "--domain", "TAG"], "616263"), hex::encode(&expected));
    let expected = hash_to_curve::<G2>(b"TAG", b"").unwrap().to_compressed();
    assert_eq!(one(&["hash-to-g2", "--domain", "TAG"], ""), hex::encode(&expected));
    assert_ne!(one(&["hash-to-g2", "--domain", "TAG", "--encode"], ""), hex::encode(&expected));
    let expected = map_to_curve::<G1>(&[5; 48]).unwrap().to_compressed();
    assert_eq!(one(&["map", "--curve", "g1"], &"05".repeat(48)), hex::encode(&expected));
    let outcome = halimede(&["bls", "map", "--curve", "g2"], "05".repeat(48).as_bytes());
    assert_eq!(outcome.stdout, "error: an element of the field of G2 has 96 bytes, not 48\n");
    assert_eq!(outcome.code, Some(2));
    let outcome = halimede(&["bls", "hash-to-g1", "--domain", ""], b"00");
    assert_eq!(outcome.code, Some(2));
}

#[test]
fn precompiles_answer_lines_and_empty_ones() {
    let zero = "0".repeat(512);
    let input = format!("{zero}\n\n0x{zero}\n{zero}00\nxy\n");
    let outcome = halimede(&["bls", "eip2537", "g1add"], input.as_bytes());
    let infinity = "0".repeat(256);
    let expected = [
        infinity.clone(),
        "error: the input has 0 bytes, not 256".into(),
        infinity,
        "error: the input has 257 bytes, not 256".into(),
        "error: 'x' is not a hexadecimal digit".into(),
    ];
    assert_eq!(outcome.stdout.lines().collect::<Vec<_>>(), expected);
    assert_eq!(outcome.code, Some(2));
    let outcome = halimede(&["bls", "eip2537", "pairing_check"], "0".repeat(768).as_bytes());
    assert_eq!((outcome.code, &outcome.stdout[..]), (Some(0), &format!("{:064x}\n", 1)[..]));
    for name in ["g1msm", "g2add", "g2msm", "map_fp_to_g1", "map_fp2_to_g2"] {
        let outcome = halimede(&["bls", "eip2537", name, "--json"], b"\n");
        assert!(outcome.stdout.starts_with("{\"error\":\"the input has 0 bytes"), "{name}");
    }
}
