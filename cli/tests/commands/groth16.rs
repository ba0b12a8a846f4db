// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede groth16 prove`: proofs that `batch groth16.verify` accepts, and refused files.

use std::path::{Path, PathBuf};

use crate::common::halimede;
use num_bigint::BigUint;
use serde_json::Value;
use tempfile::TempDir;

const VECTORS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../engines/bls12_381/vectors/circom");

fn vector(name: &str) -> String {
    format!("{VECTORS}/{name}")
}

struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, bytes: &[u8]) -> String {
        std::fs::write(self.path(name), bytes).unwrap();
        text(&self.path(name))
    }
}

fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

#[test]
fn proofs_of_circom_are_verified() {
    let folder = Folder::new();
    let (key, proof) = (text(&folder.path("small.vk")), text(&folder.path("proof.json")));
    let (zkey, witness, circuit) =
        (vector("small.zkey"), vector("small.wtns"), vector("small.r1cs"));
    let with = ["groth16", "prove", &zkey, &witness, "--circuit", &circuit];
    let run = halimede(&[&with[..], &["--verifying-key", &key, "--out", &proof]].concat(), b"");
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (Some(0), "", ""));
    let made: Value = serde_json::from_str(&std::fs::read_to_string(&proof).unwrap()).unwrap();
    // snarkjs' own list of the public inputs.
    let public = std::fs::read_to_string(vector("public.json")).unwrap();
    let inputs = made["inputs"].as_array().unwrap().iter().map(|input| {
        let digits = input.as_str().unwrap().strip_prefix("0x").unwrap();
        BigUint::parse_bytes(digits.as_bytes(), 16).unwrap().to_string()
    });
    let public: Vec<String> = serde_json::from_str(&public).unwrap();
    assert_eq!(inputs.collect::<Vec<_>>(), public);
    let verify = halimede(&["batch", "groth16.verify", "--key", &key, &proof], b"");
    assert_eq!((verify.code, verify.stdout.as_str()), (Some(0), "valid\n"), "{}", verify.stderr);
    // Another proof of the same witness, which is as valid.
    let other = halimede(&["groth16", "prove", &zkey, &witness, "--json"], b"");
    assert_eq!(other.code, Some(0), "{}", other.stderr);
    assert_ne!(serde_json::from_str::<Value>(&other.stdout).unwrap()["proof"], made["proof"]);
    let mut exchanged = made.clone();
    exchanged["inputs"].as_array_mut().unwrap().reverse();
    let both = format!("{}{exchanged}\n", other.stdout);
    let verify = halimede(&["batch", "groth16.verify", "--key", &key], both.as_bytes());
    assert_eq!(verify.code, Some(1));
    assert!(verify.stdout.starts_with("valid\ninvalid"), "{}", verify.stdout);
}

#[test]
fn wrong_witnesses_and_files_are_named() {
    let folder = Folder::new();
    let (zkey, witness, circuit) =
        (vector("small.zkey"), vector("small.wtns"), vector("small.r1cs"));
    let mut bytes = std::fs::read(&witness).unwrap();
    // The lowest byte of the last value.
    let place = bytes.len() - 32;
    bytes[place] ^= 1;
    let wrong = folder.write("wrong.wtns", &bytes);
    let run = halimede(&["groth16", "prove", &zkey, &wrong, "--circuit", &circuit], b"");
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{}", run.stderr);
    assert!(run.stderr.contains("does not satisfy constraint"), "{}", run.stderr);
    let run = halimede(&["groth16", "prove", &zkey, &wrong], b"");
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{}", run.stderr);
    assert!(run.stderr.contains("is not valid, and was dropped"), "{}", run.stderr);
    let cut = folder.write("cut.zkey", &std::fs::read(&zkey).unwrap()[..9_000]);
    let vk = text(&folder.path("kept"));
    std::fs::write(&vk, "kept").unwrap();
    for (arguments, reason) in [
        (vec![cut.as_str(), &witness], "section"),
        (vec![&zkey, &zkey], "does not begin with \"wtns\""),
        (vec![&circuit, &witness], "circom/small.r1cs: "),
        (vec![&zkey, &witness, "--circuit", &witness], "does not begin with \"r1cs\""),
        (vec!["/nowhere", &witness], "/nowhere: "),
        (vec![&zkey, "/nowhere"], "/nowhere: "),
        (vec![&cut, &witness, "--verifying-key", &vk], "section"),
    ] {
        let run = halimede(&[&["groth16", "prove"], &arguments[..]].concat(), b"");
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{}", run.stderr);
        assert!(run.stderr.contains(reason), "{reason}: {}", run.stderr);
    }
    assert_eq!(std::fs::read_to_string(&vk).unwrap(), "kept");
    // No output replaces an input.
    let copy = folder.write("copy.r1cs", &std::fs::read(&circuit).unwrap());
    let with = ["groth16", "prove", &zkey, &witness, "--circuit", &copy, "--out", &copy];
    let run = halimede(&with, b"");
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{}", run.stderr);
    assert_eq!(std::fs::read(&copy).unwrap(), std::fs::read(&circuit).unwrap());
}
