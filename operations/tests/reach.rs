// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The handwritten files outside an engine that refer to one of its operations: a new operation
//! must touch only few files.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../examples/python.rs"]
#[allow(dead_code, reason = "its main function is for `make generate`")]
mod python;

use std::path::{Path, PathBuf};

/// The largest number of files.
const MOST: usize = 6;
/// The folders between an engine and its users, without tests, examples and measurements. The
/// kernels for GPUs, in `places/cuda`, are the engine's own code, as its frames for the card are.
const FOLDERS: [&str; 9] =
    ["arith", "card", "device", "operations", "service", "cli", "capi", "python", "places"];
const SKIPPED: [&str; 6] = ["cuda", "tests", "examples", "benches", "target", "__pycache__"];
const LANGUAGES: [&str; 4] = ["rs", "py", "pyi", "sv"];

/// An operation with the words by which a file refers to it: its function's name, its type and its
/// request.
const OPERATIONS: [(&str, &[&str]); 5] = [
    (
        "equihash.verify",
        &["equihash_verify", "equihash.verify", "VerifySolution", "halimede_equihash::operations"],
    ),
    ("secp256k1.verify_schnorr", &["verify_schnorr", "VerifySchnorr", "SchnorrRequest"]),
    (
        "bls12_381.verify_aggregate_of_messages",
        &["verify_aggregate_of_messages", "VerifyAggregateOfMessages", "MessagesRequest"],
    ),
    ("groth16.verify", &["groth16_verify", "groth16.verify", "VerifyProof", "ProofRequest"]),
    ("kzg.verify_blob", &["kzg_verify_blob", "kzg.verify_blob", "VerifyOpening", "OpeningRequest"]),
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        let is_source = path.extension().is_some_and(|is| LANGUAGES.iter().any(|own| is == *own));
        match path.is_dir() {
            true if SKIPPED.contains(&name) => {}
            true => sources(&path, found),
            false if is_source => found.push(path),
            false => {}
        }
    }
}

#[test]
fn few_hand_written_files_know_an_operation() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut paths = Vec::new();
    for folder in FOLDERS {
        sources(&root.join(folder), &mut paths);
    }
    assert!(paths.len() > 300, "{}", paths.len());
    let known: Vec<&str> =
        halimede_operations::descriptions().iter().map(|about| about.name).collect();
    for (operation, words) in OPERATIONS {
        assert!(known.contains(&operation), "{operation}");
        let knows = |path: &&PathBuf| {
            let text = std::fs::read_to_string(path).unwrap();
            let is_generated = text.lines().take(3).any(|line| line.contains("Generated"));
            !is_generated && words.iter().any(|word| text.contains(word))
        };
        let files: Vec<&PathBuf> = paths.iter().filter(knows).collect();
        assert!(!files.is_empty() && files.len() <= MOST, "{operation}: {files:#?}");
    }
}

#[test]
fn the_python_modules_are_up_to_date() {
    let modules = python::modules();
    assert_eq!(modules.len(), 7);
    for (path, source) in modules {
        let committed = std::fs::read_to_string(&path).unwrap();
        assert!(committed == source, "{}: run `make generate`", path.display());
    }
    // The handwritten functions exist.
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../python");
    for (operation, function) in python::BY_HAND {
        let known = halimede_operations::description(operation);
        assert!(known.is_some(), "{operation}");
        let (module, name) = function.rsplit_once('.').unwrap();
        let path = folder.join(module.replace('.', "/")).with_extension("py");
        let source = std::fs::read_to_string(&path).unwrap();
        assert!(source.contains(&format!("def {name}(")), "{function}");
    }
}
