// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede poseidon …` and `halimede batch poseidon.…` on the processor: answers, refusals, exit
//! codes.

use std::io::Write;

use crate::common::halimede;
use halimede_arith::Fr;
use halimede_poseidon::filecoin::{HashType, Hasher};
use halimede_poseidon::Strength;
use proptest::prelude::*;
use serde_json::Value;

const R: &str = "0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001";

fn vectors() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../engines/poseidon/vectors/poseidon.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn joined(list: &Value) -> String {
    let texts: Vec<&str> = list.as_array().unwrap().iter().map(|t| t.as_str().unwrap()).collect();
    texts.join(" ")
}

#[test]
fn published_filecoin_hashes_come_out_line_by_line() {
    let vectors = vectors();
    for arity in [2, 4, 8, 11] {
        for (tag, prefix) in [("merkle", "MerkleTree"), ("constant", "ConstantLength")] {
            let chosen = vectors["filecoin_poseidon"]["vectors"].as_array().unwrap().iter().filter(
                |vector| {
                    vector["arity"] == arity
                        && vector["strength"] == "Standard"
                        && vector["hash_type"].as_str().unwrap().starts_with(prefix)
                },
            );
            let (mut input, mut expected) = (String::new(), String::new());
            for vector in chosen {
                input += &(joined(&vector["input"]) + "\n");
                expected += &(vector["digest"].as_str().unwrap().to_string() + "\n");
            }
            let arity = arity.to_string();
            let arguments = ["batch", "poseidon.filecoin_hash", "--arity", &arity, "--tag", tag];
            let run = halimede(&arguments, input.as_bytes());
            assert_eq!((run.code, run.stdout), (Some(0), expected), "{}", run.stderr);
        }
    }
}

#[test]
fn published_stark_answers_come_out() {
    let vectors = vectors();
    for vector in vectors["starknet_hash"]["vectors"].as_array().unwrap() {
        let input = joined(&vector["input"]);
        let (arguments, expected) = match vector["fn"].as_str().unwrap() {
            "poseidon_hash" => (["--mode", "pair"], &vector["output"]),
            "poseidon_hash_single" => (["--mode", "single"], &vector["output"]),
            "poseidon_hash_many" => (["--mode", "many"], &vector["output"]),
            _ => {
                let arguments = ["batch", "poseidon.permute", "--instance", "stark-3"];
                let run = halimede(&arguments, input.as_bytes());
                assert_eq!(run.stdout.trim(), joined(&vector["output"]));
                continue;
            }
        };
        let arguments = [&["batch", "poseidon.starknet_hash"][..], &arguments].concat();
        let run = halimede(&arguments, input.as_bytes());
        assert_eq!((run.code, run.stdout.trim()), (Some(0), expected.as_str().unwrap()));
    }
}

#[test]
fn bad_lines_are_answered_in_their_places_and_the_others_still() {
    let input = format!("0x1 0x2\n0x1\n\n0x1 0x2 0x3\n{R} 0x1\n0x1 2\n0xg 0x1\n0x2 0x1\n");
    let run = halimede(&["batch", "poseidon.filecoin_hash", "--arity", "2"], input.as_bytes());
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(run.code, Some(2));
    assert_eq!(lines.len(), 8);
    assert!(lines[0].starts_with("0x") && lines[7].starts_with("0x") && lines[0] != lines[7]);
    assert_eq!(lines[1], "error: expected 2 elements, got 1");
    assert!(lines[2].starts_with("error: `elements`: "), "{}", lines[2]);
    assert_eq!(lines[3], "error: expected 2 elements, got 3");
    assert!(lines[4].starts_with("error: element 0: 0x73eda753"), "{}", lines[4]);
    assert!(
        lines[5].starts_with("error: `elements`: element 1: a number begins with 0x"),
        "{}",
        lines[5]
    );
    assert!(lines[6].contains("element 0: a number has hexadecimal digits"), "{}", lines[6]);
    assert!(run.stderr.contains("6 of 8 lines were bad input; the first is line 2"));
}

#[test]
fn json_answers_are_objects() {
    let arguments = ["--json", "batch", "poseidon.starknet_hash", "--mode", "many"];
    let run = halimede(&arguments, b"0x1 0x2\n\nnonsense\n");
    let lines: Vec<Value> =
        run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines[0]["digest"].is_string() && lines[1]["digest"].is_string());
    assert!(lines[2]["error"].is_string());
    let report: Value = serde_json::from_str(&run.stderr).unwrap();
    assert_eq!((run.code, &report["exit"]), (Some(2), &Value::from(2)));
    let run =
        halimede(&["--json", "batch", "poseidon.permute", "--instance", "stark-3"], b"0x1 0x2 0x3");
    let state: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(state["state"].as_array().unwrap().len(), 3);
}

#[test]
fn wrong_options_are_refused_by_name() {
    let cases: [(&str, &str); 9] = [
        ("batch poseidon.filecoin_hash --arity 37", "`arity`: 2 to 36 is expected"),
        ("batch poseidon.filecoin_hash", "--arity"),
        ("batch poseidon.filecoin_hash --arity 2 --tag leaf", "invalid value 'leaf'"),
        (
            "batch poseidon.filecoin_hash --arity 2 --tag custom --id 0",
            "`id`: 1 to 256 is expected",
        ),
        (
            "batch poseidon.filecoin_hash --arity 2 --tag custom --id x",
            "`id`: 1 to 256 is expected",
        ),
        ("batch poseidon.starknet_hash --tag merkle", "unexpected argument '--tag'"),
        ("batch poseidon.filecoin_hash --arity 2 --mode many", "unexpected argument '--mode'"),
        ("batch poseidon.permute --instance stark-6", "unknown instance \"stark-6\""),
        ("poseidon params --instance stark-3 --strength standard", "Filecoin's instances"),
    ];
    for (arguments, reason) in cases {
        let arguments: Vec<&str> = arguments.split(' ').collect();
        let run = halimede(&arguments, b"0x1 0x2\n");
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(run.stderr.contains(reason), "{arguments:?}: {}", run.stderr);
    }
}

#[test]
fn devices_that_are_not_there_are_failures_of_the_device() {
    for device in ["xdma:/nonexistent/xdma0", "sim:/nonexistent/socket", "tape:1"] {
        let arguments = ["batch", "poseidon.filecoin_hash", "--arity", "2", "--device", device];
        let run = halimede(&arguments, b"0x1 0x2\n");
        assert_eq!((run.code, run.stdout.as_str()), (Some(3), ""), "{device}: {}", run.stderr);
        assert!(run.stderr.contains(device), "{}", run.stderr);
    }
}

#[test]
fn params_are_the_published_ones() {
    let run = halimede(&["poseidon", "params", "--instance", "filecoin-8"], b"");
    let numbers: Value = serde_json::from_str(&run.stdout).unwrap();
    let published = &vectors()["filecoin_poseidon"]["params"]["t9_RP57"];
    let constants = numbers["round_constants"].as_array().unwrap();
    assert_eq!(constants.first(), published.get("first_round_constant"));
    assert_eq!(constants.last(), published.get("last_round_constant"));
    assert_eq!(numbers["mds"][0][0], published["mds_00"]);
    assert_eq!((&numbers["width"], &numbers["partial_rounds"]), (&9.into(), &57.into()));
}

#[test]
fn params_of_any_field_are_generated() {
    let params = |arguments: &[&str]| {
        let run = halimede(&[&["poseidon", "params"], arguments].concat(), b"");
        assert_eq!(run.code, Some(0), "{arguments:?}: {}", run.stderr);
        serde_json::from_str::<Value>(&run.stdout).unwrap()
    };
    let rounds = |numbers: &Value| {
        (numbers["full_rounds"].as_u64().unwrap(), numbers["partial_rounds"].as_u64().unwrap())
    };
    let bn254 = params(&["--field", "bn254", "--width", "3"]);
    assert_eq!((rounds(&bn254), &bn254["alpha"]), ((8, 57), &5.into()));
    // The first constant of circomlib for width 3.
    let first = "0x0ee9a592ba9a9518d05986d656f40c2114c4993c11bb29938d21d47304cd8e6e";
    assert_eq!(bn254["round_constants"][0], first);
    let by_prime = params(&["--prime", bn254["modulus"].as_str().unwrap(), "--width", "3"]);
    assert_eq!(rounds(&by_prime), (8, 56));
    let multiple = ["--prime", bn254["modulus"].as_str().unwrap(), "--width", "3", "--partial"];
    assert_eq!(params(&[&multiple[..], &["multiple"]].concat()), bn254);
    let baby_bear = ["--field", "babybear", "--width", "16", "--alpha", "7", "--security", "120"];
    assert_eq!(rounds(&params(&baby_bear)), (8, 13));
    let inverse = ["--field", "vesta", "--width", "3", "--alpha", "inverse", "--rounds", "10,60"];
    let inverse = params(&inverse);
    assert_eq!((rounds(&inverse), &inverse["alpha"]), ((10, 60), &(-1).into()));

    // Filecoin's convention and rounds generate Filecoin's instance.
    let ours = params(&["--instance", "filecoin-3"]);
    let (full, partial) = rounds(&ours);
    let asked = format!("{full},{partial}");
    let alike = ["--field", "bls12-381", "--width", "4", "--convention", "filecoin", "--rounds"];
    let alike = params(&[&alike[..], &[asked.as_str()]].concat());
    assert_eq!(alike["round_constants"], ours["round_constants"]);
    assert_eq!((&alike["mds"], &alike["modulus"]), (&ours["mds"], &ours["modulus"]));
}

#[test]
fn params_that_cannot_be_generated_are_refused() {
    let cases: [(&[&str], &str); 18] = [
        (&["--prime", "0x0", "--width", "3"], "the prime has 0 bits; 31 to 768"),
        (&["--prime", "0x1", "--width", "3"], "the prime has 1 bits"),
        (&["--field", "bn254", "--width", "99999999999"], "2..=64, got 99999999999"),
        (&[], "required"),
        (&["--width", "3"], "required"),
        (&["--field", "bn254"], "--width"),
        (
            &["--field", "bn255", "--width", "3"],
            "unknown field \"bn255\"; the fields are bn254, bls12",
        ),
        (&["--field", "bn254", "--prime", "0x1", "--width", "3"], "cannot be used with"),
        (&["--field", "bn254", "--width", "3", "--strength", "standard"], "cannot be used with"),
        (&["--instance", "filecoin-2", "--width", "3"], "cannot be used with"),
        (&["--prime", "12345", "--width", "3"], "expected 0x and hexadecimal digits"),
        (&["--prime", "0x", "--width", "3"], "expected 0x and hexadecimal digits"),
        (&["--prime", "0xffffffff00000003", "--width", "8"], "0xffffffff00000003 is not prime"),
        (&["--field", "bn254", "--width", "1"], "the width must be in 2..=64, got 1"),
        (&["--field", "bn254", "--width", "3", "--alpha", "3"], "x^3 is not a permutation"),
        (
            &["--field", "bn254", "--width", "3", "--alpha", "five"],
            "expected a number or `inverse`",
        ),
        (&["--field", "bn254", "--width", "3", "--rounds", "8"], "expected two numbers"),
        (&["--field", "bn254", "--width", "3", "--security", "9999"], "64 to 512 bits, got 9999"),
    ];
    for (arguments, reason) in cases {
        let run = halimede(&[&["poseidon", "params"], arguments].concat(), b"");
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(run.stderr.contains(reason), "{arguments:?}: {}", run.stderr);
    }
}

#[test]
fn arities_without_published_answers_work_in_every_command() {
    let hasher = Hasher::new(3, Strength::Strengthened, HashType::MerkleTree).unwrap();
    let digest = hasher.hash(&[1, 2, 3].map(Fr::from)).unwrap().to_string();
    let strengthened = ["--arity", "3", "--strength", "strengthened"];
    let hash = [&["batch", "poseidon.filecoin_hash"], &strengthened[..]].concat();
    let run = halimede(&hash, b"0x1 0x2 0x3");
    assert_eq!((run.code, run.stdout.trim()), (Some(0), digest.as_str()), "{}", run.stderr);
    let permute = ["batch", "poseidon.permute", "--instance", "filecoin-3-strengthened"];
    let run = halimede(&permute, b"0x7 0x1 0x2 0x3");
    assert_eq!(run.stdout.split_whitespace().nth(1), Some(digest.as_str()));
    let run = halimede(&["devices"], b"");
    assert!(run.stdout.contains("filecoin-2 to filecoin-36, filecoin-2-strengthened to"));
}

fn leaves_file(bytes: &[u8]) -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    file
}

fn distinct_leaves(count: usize) -> Vec<u8> {
    let leaf = |index: usize| Fr::from(index as u64 + 1).pow(&[41]).to_le_bytes();
    let mut bytes: Vec<u8> = (0..count).flat_map(leaf).collect();
    bytes.iter_mut().skip(31).step_by(32).for_each(|top| *top &= 0x3f);
    bytes
}

#[test]
fn a_tree_has_the_root_of_its_hashes_from_file_and_pipe() {
    let bytes = distinct_leaves(64);
    let hasher = Hasher::new(8, Strength::Standard, HashType::MerkleTree).unwrap();
    let mut level: Vec<Fr> =
        bytes.chunks(32).map(|leaf| Fr::from_le_bytes(leaf.try_into().unwrap()).unwrap()).collect();
    while level.len() > 1 {
        level = level.chunks(8).map(|children| hasher.hash(children).unwrap()).collect();
    }
    let file = leaves_file(&bytes);
    let path = file.path().to_str().unwrap();
    let run = halimede(&["poseidon", "tree", "--arity", "8", path], b"");
    assert_eq!((run.code, run.stdout.trim()), (Some(0), level[0].to_string().as_str()));
    let run = halimede(&["--json", "poseidon", "tree", "--arity", "8", "-"], &bytes);
    let object: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(object["root"], level[0].to_string());
    assert_eq!((&object["leaves"], &object["depth"]), (&64.into(), &2.into()));
}

#[test]
fn inputs_that_are_no_tree_are_refused_with_what_and_where() {
    let good = distinct_leaves(64);
    let mut high = good.clone();
    high[37 * 32 + 31] |= 0x40;
    let cases: [(&[u8], &str); 5] = [
        (&good[..64 * 32 - 1], "2047 bytes, which is not a whole number of 32-byte leaves"),
        (&good[..63 * 32], "63 leaves do not fill a tree of arity 8"),
        (&good[..32], "1 leaves do not fill"),
        (b"", "0 leaves do not fill"),
        (&high, "byte offset 1184 is not below 2^254"),
    ];
    for (bytes, reason) in cases {
        let file = leaves_file(bytes);
        let path = file.path().to_str().unwrap();
        for (source, input) in [(path, &b""[..]), ("-", bytes)] {
            let run = halimede(&["poseidon", "tree", "--arity", "8", source], input);
            assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
            assert!(run.stderr.contains(reason), "{}", run.stderr);
        }
    }
    for missing in ["/nonexistent/leaves", "/"] {
        let run = halimede(&["poseidon", "tree", "--arity", "2", missing], b"");
        assert_eq!(run.code, Some(2));
        assert!(run.stderr.contains(missing), "{}", run.stderr);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// For any standard input: no panic, one answer per line, exit code 0 or 2.
    #[test]
    fn any_input_is_answered(input in prop::collection::vec(
        prop_oneof![
            Just(b"0x1 0x2\n".to_vec()),
            Just(b"\r\n".to_vec()),
            prop::collection::vec(any::<u8>(), 0..40),
        ],
        0..12,
    )) {
        let input = input.concat();
        let run = halimede(&["batch", "poseidon.filecoin_hash", "--arity", "2"], &input);
        let ended = input.iter().filter(|&&byte| byte == b'\n').count();
        let unended = usize::from(input.last().is_some_and(|&byte| byte != b'\n'));
        prop_assert_eq!(run.stdout.lines().count(), ended + unended);
        // An empty input is bad input too.
        let bad = input.is_empty() || run.stdout.lines().any(|line| line.starts_with("error: "));
        prop_assert_eq!(run.code, Some(if bad { 2 } else { 0 }));
    }
}
