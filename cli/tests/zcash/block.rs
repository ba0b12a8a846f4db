// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede zcash verify-block`: verdicts, reasons, places and exit codes.

use crate::common::{halimede, Outcome};
use halimede_zcash::{merkle_root, BlockTransaction};
use rand::seq::index::sample;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde_json::Value;
use tempfile::TempDir;

/// See engines/zcash/vectors/README.md.
const BLOCK_346: &str = include_str!("../../../engines/zcash/vectors/zcash_block_346.hex");
const TRANSACTIONS: &str = include_str!("../../../engines/zcash/vectors/transactions_bitcoin.json");
const HASH_346: &str = "000000eff179fb1e47b7aa8667ad4d8e1ef3dbb0d79144030482bf93b5e6339f";
/// The offset of the solution, after its length.
const SOLUTION_AT: usize = 143;
const TRANSACTIONS_AT: usize = SOLUTION_AT + 1344 + 1;

fn block_346() -> Vec<u8> {
    decode(BLOCK_346.trim())
}

fn decode(digits: &str) -> Vec<u8> {
    let byte = |at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap();
    (0..digits.len()).step_by(2).map(byte).collect()
}

fn verify(options: &[&str], input: &[u8]) -> Outcome {
    halimede(&[&["zcash", "verify-block", "-"], options].concat(), input)
}

fn verify_json(options: &[&str], input: &[u8]) -> (Option<i32>, Value) {
    let outcome = verify(&[options, &["--json"]].concat(), input);
    let json = serde_json::from_str(&outcome.stdout);
    (outcome.code, json.unwrap_or_else(|_| panic!("{}{}", outcome.stdout, outcome.stderr)))
}

fn check<'j>(json: &'j Value, name: &str) -> &'j Value {
    json["checks"].as_array().unwrap().iter().find(|check| check["check"] == name).unwrap()
}

#[test]
fn block_346_is_valid_in_every_form() {
    let raw = block_346();
    for input in [BLOCK_346.as_bytes(), BLOCK_346.to_uppercase().as_bytes(), &raw[..]] {
        let outcome = verify(&["--height", "346"], input);
        assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
        let lines: Vec<_> = outcome.stdout.lines().collect();
        assert_eq!(lines[..2], [format!("block   {HASH_346}"), "height  346, main network".into()]);
        assert_eq!(outcome.stdout.matches(" valid ").count(), 6, "{}", outcome.stdout);
        assert!(!outcome.stdout.contains("not checked"), "{}", outcome.stdout);
        assert!(lines[lines.len() - 2].starts_with("only the chain decides: "));
        assert!(lines.last().unwrap().starts_with("valid ("));
    }
    let file = TempDir::new().unwrap();
    let path = file.path().join("block");
    std::fs::write(&path, &raw).unwrap();
    let path = path.to_str().unwrap();
    let outcome = halimede(&["zcash", "verify-block", path, "--json", "--height", "346"], &[]);
    let json: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(
        (outcome.code, &json["verdict"], &json["hash"]),
        (Some(0), &"valid".into(), &HASH_346.into())
    );
    assert_eq!(json["unchecked"], serde_json::json!([]));
    assert_eq!((&json["height"], &json["bytes"]), (&346.into(), &1619.into()));
    let (code, json) = verify_json(&[], &raw);
    assert_eq!((code, &json["verdict"]), (Some(5), &"incomplete".into()));
    assert_eq!(json["unchecked"][0]["name"], "block height");
    let (code, json) = verify_json(&["--height", "345"], &raw);
    assert_eq!((code, &check(&json, "header")["verdict"]), (Some(1), &"invalid".into()));
}

/// Mainnet block 1,687,106, intact and with a bit flipped in a part of a transaction of version 5
/// that its identifier does not cover: byte 3,000 of the first one.
#[test]
fn a_damaged_proof_is_named() {
    let text = include_str!("../../../engines/zcash/vectors/blocks/main_1687106.hex");
    let whole = decode(text.trim());
    let (code, json) = verify_json(&[], &whole);
    assert_eq!((code, &json["verdict"]), (Some(5), &"incomplete".into()));
    assert_eq!(json["proofs"], 11);
    let begins = json["transactions"].as_array().unwrap().iter();
    let mut begins = begins.map(|of| of["begins_at"].as_u64().unwrap() as usize);
    let begins = begins.find(|begins| whole[*begins] == 5).unwrap();
    let mut damaged = whole.clone();
    damaged[begins + 3_000] ^= 1;
    let (code, json) = verify_json(&["--height", "1687106"], &whole);
    assert_eq!((code, &json["faults"]), (Some(5), &serde_json::json!([])));
    let open: Vec<_> = json["unchecked"].as_array().unwrap().iter().collect();
    assert_eq!((open.len(), &open[0]["option"]), (1, &"history-root".into()));
    let (code, json) = verify_json(&["--height", "1687106"], &damaged);
    assert_eq!((code, &json["verdict"]), (Some(1), &"invalid".into()));
    let fault = &json["faults"][0];
    assert!(fault["reason"].as_str().unwrap().contains("Sapling"), "{fault}");
    let text = verify(&[], &whole);
    assert_eq!(text.code, Some(5));
    for words in ["1 commitment of the header", "1 block height", "--allow-incomplete"] {
        assert!(text.stderr.contains(words), "{}", text.stderr);
    }
    for words in ["--height: give the height", "--history-root: give the root", "11 proofs"] {
        assert!(text.stdout.contains(words), "{}", text.stdout);
    }
    let allowed = verify(&["--allow-incomplete"], &whole);
    assert_eq!((allowed.code, allowed.stderr.as_str()), (Some(0), ""));
    assert_eq!(verify(&["--allow-incomplete"], &damaged).code, Some(1));
    // Another root of the history.
    let root = ["--height", "1687106", "--history-root", HASH_346];
    let (code, json) = verify_json(&root, &whole);
    assert_eq!((code, &json["faults"][0]["section"]), (Some(1), &"7.6".into()));
}

#[test]
fn every_flipped_bit_has_its_reason() {
    let block = block_346();
    let mut random = ChaCha8Rng::seed_from_u64(346);
    for bit in sample(&mut random, 8 * (TRANSACTIONS_AT - 1), 500) {
        let mut flipped = block.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        if (140..SOLUTION_AT).contains(&(bit / 8)) {
            let outcome = verify(&[], &flipped);
            assert_eq!(outcome.code, Some(2), "{bit}");
            assert!(outcome.stderr.contains("not a block: at byte 140: "), "{}", outcome.stderr);
            continue;
        }
        let (code, json) = verify_json(&[], &flipped);
        assert_eq!((code, &json["verdict"]), (Some(1), &"invalid".into()), "{bit}");
        assert_ne!(json["hash"], HASH_346);
        assert_eq!(check(&json, "equihash")["verdict"], "invalid", "{bit}");
        let in_root = (36..68).contains(&(bit / 8));
        let root = if in_root { "invalid" } else { "valid" };
        assert_eq!(check(&json, "merkle root")["verdict"], root, "{bit}");
        let mask = json["proof_of_work"]["mask"].as_u64().unwrap();
        let named = check(&json, "equihash")["detail"].as_str().unwrap();
        assert!(named.ends_with(&format!("(mask {mask:#04x})")) && mask & 0b1_1110 != 0, "{named}");
    }
}

#[test]
fn what_is_no_block_ends_with_its_place() {
    let block = block_346();
    let cases: [(&[u8], &str); 6] = [
        (&[], "it is empty"),
        (&block[..139], "at byte 139: unexpected end within the header's 140 bytes"),
        (&block[..1486], "at byte 1486: unexpected end within the solution"),
        (
            &block[..1600],
            "at byte 1600: the block ends within transaction 0, which begins at byte 1488",
        ),
        (b"040000004g", "character 9 is 'g', which is not a hexadecimal digit"),
        (&[&block[..], &[0]].concat(), "at byte 1619: 1 bytes follow the last transaction"),
    ];
    for (input, reason) in cases {
        let outcome = verify(&[], input);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""), "{reason}");
        assert_eq!(outcome.stderr, format!("halimede: -: not a block: {reason}\n"));
        let json: Value = serde_json::from_str(&verify(&["--json"], input).stderr).unwrap();
        assert_eq!(
            (&json["exit"], &json["error"]),
            (&2.into(), &format!("-: not a block: {reason}").into())
        );
    }
    let outcome = verify(&["--network", "regtest"], &block);
    assert_eq!(outcome.code, Some(2));
    assert!(outcome.stderr.contains("at byte 140: a solution of 1344 bytes, but (48, 5) needs 36"));
    let long = verify(&[], &vec![b' '; 6_000_001]);
    assert_eq!((long.code, long.stderr.contains("more than 6000000 bytes")), (Some(2), true));
}

#[test]
fn options_that_are_wrong_are_refused() {
    let block = block_346();
    for (options, reason) in [
        (&["--network", "nowhere"][..], "main, test or regtest"),
        (&["--branch", "12345678"], "unknown branch 12345678"),
        (&["--branch", "x"], "not a hexadecimal number of 32 bits"),
        (&["--height", "3x"], "--height"),
        (&["--spent", "/nowhere/at/all"], "/nowhere/at/all: "),
        (&["--spent", "-"], "only one of the inputs can be standard input"),
        (&["--state", "-"], "only one of the inputs can be standard input"),
        (&["--state", "/nowhere/at/all"], "/nowhere/at/all: "),
    ] {
        let outcome = verify(options, &block);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""), "{options:?}");
        assert!(outcome.stderr.contains(reason), "{}", outcome.stderr);
    }
}

/// Returns a block at a height before Overwinter: block 346 with its first transaction, then these;
/// its solution is invalid.
fn block_of(transactions: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = block_346();
    let first = bytes.split_off(TRANSACTIONS_AT);
    let all: Vec<_> = [&[first], transactions].concat();
    let parsed = all.iter().map(|bytes| BlockTransaction::parse(bytes).unwrap());
    let root = merkle_root(parsed.map(|transaction| transaction.txid())).root;
    bytes[36..68].copy_from_slice(&root.0);
    *bytes.last_mut().unwrap() = all.len() as u8;
    [bytes, all.concat()].concat()
}

#[test]
fn inputs_are_checked_against_what_they_spend() {
    let vectors: Vec<Value> = serde_json::from_str(TRANSACTIONS).unwrap();
    let transactions: Vec<_> =
        vectors.iter().map(|vector| decode(vector["tx"].as_str().unwrap())).collect();
    // Several transactions spend the same invented output: each is in a separate block.
    let folder = TempDir::new().unwrap();
    let spent_path = folder.path().join("spent");
    for (vector, transaction) in vectors.iter().zip(transactions) {
        let spent = vector["spent"].as_array().unwrap();
        let line = |output: &Value| {
            format!(
                "{{\"txid\": {}, \"vout\": {}, \"value\": 99000000000000, \"script\": {}}}\n",
                output[0], output[1], output[2]
            )
        };
        let lines: String = spent.iter().map(line).collect();
        std::fs::write(&spent_path, lines).unwrap();
        let options = ["--spent", spent_path.to_str().unwrap()];
        let counts = |json: &Value| {
            ["valid", "invalid", "incomplete"].map(|key| json["inputs"][key].as_u64().unwrap())
        };
        let inputs = spent.len() as u64;

        let good = block_of(std::slice::from_ref(&transaction));
        let (code, json) = verify_json(&options, &good);
        assert_eq!((code, counts(&json)), (Some(1), [inputs, 0, 0]), "{}", vector["name"]);
        assert_eq!(check(&json, "merkle root")["verdict"], "valid");
        assert_eq!(
            (&json["transactions"][1]["verdict"], &json["signatures"]),
            (&"valid".into(), &inputs.into())
        );
        assert_eq!(json["transactions"][1]["begins_at"], 1619);

        let (_, json) = verify_json(&[], &good);
        assert_eq!(counts(&json), [0, 0, inputs]);
        let text = verify(&[], &good).stdout;
        assert!(text.contains("the spent output of input 0 is unknown"), "{text}");

        let mut changed = transaction.clone();
        *changed.last_mut().unwrap() ^= 0x40; // the lock time
        let changed = block_of(&[changed]);
        let (_, json) = verify_json(&options, &changed);
        assert_eq!(counts(&json), [0, inputs, 0]);
        assert_eq!(json["transactions"][1]["inputs"][0]["verdict"], "invalid");
        let text = verify(&options, &changed).stdout;
        assert!(text.contains("the signature is not this key's on this digest"), "{text}");

        std::fs::write(&spent_path, "{\"txid\": 1}\n").unwrap();
        let outcome = verify(&options, &good);
        assert_eq!(outcome.code, Some(2));
        assert!(outcome.stderr.contains("spent: line 1: "), "{}", outcome.stderr);
    }
}
