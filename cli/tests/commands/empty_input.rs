// SPDX-License-Identifier: Apache-2.0 OR MIT
//! An empty input, which is also what a broken pipe looks like: every batch command refuses it.

use crate::common::halimede;

/// The commands that answer lines and need no other file.
const COMMANDS: [&str; 14] = [
    "batch bls12_381.verify_signature",
    "batch bls12_381.pairing_check",
    "batch bls12_381.sum --group g1",
    "batch bls12_381.precompile --name pairing_check",
    "batch secp256k1.verify_schnorr",
    "batch secp256k1.verify_half_aggregate",
    "batch secp256k1.half_aggregate --size 2",
    "batch secp256k1.verify",
    "batch secp256k1.recover",
    "batch poseidon.filecoin_hash --arity 2",
    "batch poseidon.starknet_hash",
    "batch poseidon.permute --instance stark-3",
    "batch poseidon2.permute --instance bn254-3",
    "batch circom.hash",
];

#[test]
fn an_empty_input_is_bad_input_unless_it_is_allowed() {
    for command in COMMANDS {
        let arguments: Vec<&str> = command.split(' ').collect();
        let run = halimede(&arguments, b"");
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{command}");
        let said = "halimede: 0 items: the input has no lines; to allow that, give --allow-empty\n";
        assert_eq!(run.stderr, said, "{command}");
        let allowed = halimede(&[&arguments[..], &["--allow-empty"]].concat(), b"");
        assert_eq!((allowed.code, allowed.stdout.as_str()), (Some(0), ""), "{command}");
    }
}

#[test]
fn an_empty_file_is_no_better_and_json_says_so_too() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let path = file.path().to_str().unwrap();
    let run = halimede(&["batch", "secp256k1.verify_schnorr", path, "--json"], b"");
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
    let error: serde_json::Value = serde_json::from_str(run.stderr.trim()).unwrap();
    assert_eq!(error["exit"], 2);
    assert!(error["error"].as_str().unwrap().starts_with("0 items"), "{error}");
}
