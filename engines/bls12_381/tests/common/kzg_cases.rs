// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Ethereum's cases of commitments and cells.

#![allow(dead_code, reason = "each test binary uses a part")]

use std::collections::HashMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;

/// Returns the folder of the engine's vectors, from the folder of this file.
pub fn vectors() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let from_root = Path::new("engines/bls12_381/vectors");
    let mut roots = own.ancestors().map(|root| root.join(from_root));
    roots.find(|folder| folder.is_dir()).unwrap()
}

/// Reads a text, which may be compressed.
pub fn text_of(path: &Path) -> String {
    let bytes = std::fs::read(path).unwrap();
    let mut text = String::new();
    match path.extension().is_some_and(|extension| extension == "gz") {
        true => GzDecoder::new(&bytes[..]).read_to_string(&mut text).unwrap(),
        false => (&bytes[..]).read_to_string(&mut text).unwrap(),
    };
    text
}

/// A case: byte strings and indices by name, and the lists of the expected answer, or `None` if the
/// input cannot be decoded.
pub struct Case {
    pub name: String,
    pub input: HashMap<String, Vec<Vec<u8>>>,
    pub indices: Vec<u64>,
    pub output: Option<Vec<Vec<Vec<u8>>>>,
    pub verdict: Option<bool>,
}

/// Reads a list of numbers, or a part of it.
fn numbers(text: &str) -> impl Iterator<Item = u64> + '_ {
    let words = text.split([',', '[', ']', ' ']).filter(|word| !word.is_empty());
    words.map(|word| word.parse().unwrap())
}

impl Case {
    fn read(path: &Path) -> Self {
        let bytes = |text: &str| {
            let text = text.trim().trim_matches('\'').trim_start_matches("0x");
            hex::decode(text).unwrap_or_default()
        };
        let mut case = Self {
            name: path.file_name().unwrap().to_string_lossy().into_owned(),
            input: HashMap::new(),
            indices: Vec::new(),
            output: None,
            verdict: None,
        };
        let mut key = String::new();
        for line in text_of(path).lines().filter(|line| !line.is_empty()) {
            let text = line.trim_start_matches(['-', ' ']);
            match text.split_once(':') {
                Some(("input", _)) => {}
                Some(("output", value)) => {
                    key.clear();
                    match value.trim() {
                        "null" => (),
                        "" => case.output = Some(Vec::new()),
                        "true" | "false" => case.verdict = Some(value.trim() == "true"),
                        value => case.output = Some(vec![vec![bytes(value)]]),
                    }
                }
                Some(("cell_indices", list)) => {
                    case.indices.extend(numbers(list));
                    key = "cell_indices".into();
                }
                Some((name, value)) => {
                    key = name.to_owned();
                    let values = case.input.entry(key.clone()).or_default();
                    if !["", "[]"].contains(&value.trim()) {
                        values.push(bytes(value));
                    }
                }
                None if key == "cell_indices" => case.indices.extend(numbers(text)),
                None if key.is_empty() => {
                    let output = case.output.as_mut().unwrap();
                    if output.is_empty() || line.starts_with("- -") {
                        output.push(Vec::new());
                    }
                    output.last_mut().unwrap().push(bytes(text));
                }
                None => case.input.get_mut(&key).unwrap().push(bytes(text)),
            }
        }
        case
    }

    pub fn one(&self, name: &str) -> &[u8] {
        &self.input[name][0]
    }

    pub fn all(&self, name: &str) -> Vec<&[u8]> {
        self.input[name].iter().map(|bytes| &bytes[..]).collect()
    }
}

/// Returns the cases of a function, some valid and some not.
pub fn published(kind: &str) -> Vec<Case> {
    let folder = vectors().join("kzg7594").join(kind);
    let entries = std::fs::read_dir(folder).unwrap();
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let cases: Vec<Case> = paths.iter().map(|path| Case::read(path)).collect();
    let valid = |case: &&Case| case.output.is_some() || case.verdict.is_some();
    let good = cases.iter().filter(valid).count();
    assert!(good > 0 && good < cases.len(), "{kind}: {good} of {}", cases.len());
    cases
}
