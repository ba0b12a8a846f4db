// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede groth16 verify`, with proofs by who knows what the key is made from.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

#[path = "../examples/curves.rs"]
#[allow(dead_code)] // the files of other commands
mod curves;

use crate::common::halimede;

#[test]
fn each_proof_has_its_verdict_in_its_place() {
    let scratch = tempfile::tempdir().unwrap();
    let [key, proofs] = ["circuit.vk", "proofs.jsonl"].map(|name| scratch.path().join(name));
    std::fs::write(&key, curves::key()).unwrap();
    let made = String::from_utf8(curves::proofs(&mut ChaCha8Rng::seed_from_u64(7))).unwrap();
    let mut lines: Vec<Value> =
        made.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let verify = |lines: &[Value], json: bool| {
        let text = lines.iter().map(|line| format!("{line}\n")).collect::<String>();
        std::fs::write(&proofs, text).unwrap();
        let (key, proofs) = (key.to_str().unwrap(), proofs.to_str().unwrap());
        let verify = ["groth16", "verify", "--vk", key, "--proofs", proofs, "--json"];
        halimede(&verify[..if json { 7 } else { 6 }], b"")
    };
    let outcome = verify(&lines, false);
    assert_eq!((outcome.code, &outcome.stdout[..]), (Some(0), "valid\nvalid\nvalid\n"));
    lines[1]["inputs"][0] = "0x2a".into();
    lines[2]["inputs"] = Value::Array(vec![]);
    lines.push(lines[0].clone());
    lines[3]["proof"] = "00".into();
    let outcome = verify(&lines, false);
    let expected = "valid\ninvalid: the proof does not match\ninvalid: the key takes 1 public \
                    inputs, not 0\ninvalid: a proof has 192 bytes, not 1\n";
    assert_eq!((outcome.code, &outcome.stdout[..]), (Some(1), expected));
    let outcome = verify(&lines[..1], true);
    assert_eq!(outcome.stdout, "{\"valid\":true}\n");
    lines[0]["inputs"][0] = "f".repeat(64).into();
    let outcome = verify(&lines[..1], false);
    let expected = "error: input 0 is not below the order of the groups\n";
    assert_eq!((outcome.code, &outcome.stdout[..]), (Some(2), expected));
}

#[test]
fn what_is_no_key_is_named() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("circuit.vk");
    let mut key = curves::key();
    std::fs::write(&path, &key).unwrap();
    let outcome = halimede(&["groth16", "verify", "--vk", path.to_str().unwrap()], b"");
    assert_eq!(outcome.code, Some(2));
    assert!(outcome.stderr.contains("0 items"), "{}", outcome.stderr);
    key.pop();
    std::fs::write(&path, &key).unwrap();
    let outcome = halimede(&["groth16", "verify", "--vk", path.to_str().unwrap()], b"");
    assert_eq!(outcome.code, Some(2));
    assert!(outcome.stderr.contains("the key has 1059 bytes, not 1060"), "{}", outcome.stderr);
}
