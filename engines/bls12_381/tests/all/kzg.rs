// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Ethereum's cases of KZG openings, batches of them, and invalid setups.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use halimede_bls12_381::kzg::{
    verify_batch, verify_blob_kzg_proof, verify_blob_kzg_proof_batch, verify_kzg_proof, Opening,
    OpeningError, Setup, SetupError, BLOB_BYTES,
};
use halimede_bls12_381::{Fr, Point, PointError, G1, G2};
use proptest::prelude::*;

use crate::common::kzg_cases::text_of;
use crate::common::{generator, random_scalar, stray_point};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/kzg")
}

pub static SETUP_TEXT: LazyLock<String> =
    LazyLock::new(|| text_of(&folder().join("trusted_setup.txt.gz")));
pub static SETUP: LazyLock<Setup> = LazyLock::new(|| Setup::read(&SETUP_TEXT).unwrap());

/// A case: byte strings by name, and the expected answer, or `None` if the input cannot be decoded.
struct Case {
    name: String,
    input: HashMap<String, Vec<Vec<u8>>>,
    output: Option<bool>,
}

impl Case {
    fn read(path: &Path) -> Self {
        let (mut input, mut output, mut key) = (HashMap::new(), None, String::new());
        let bytes = |text: &str| {
            hex::decode(text.trim().trim_matches('\'').trim_start_matches("0x")).unwrap()
        };
        for line in text_of(path).lines().filter(|line| !line.is_empty()) {
            match line.trim_start().split_once(':') {
                Some(("input", _)) => {}
                Some(("output", value)) => {
                    output = match value.trim() {
                        "null" => None,
                        value => Some(value.parse().unwrap()),
                    }
                }
                Some((name, value)) => {
                    key = name.to_owned();
                    let values = input.entry(key.clone()).or_insert_with(Vec::new);
                    if !["", "[]"].contains(&value.trim()) {
                        values.push(bytes(value));
                    }
                }
                None => {
                    input.get_mut(&key).unwrap().push(bytes(line.trim().trim_start_matches('-')))
                }
            }
        }
        Self { name: path.file_name().unwrap().to_string_lossy().into_owned(), input, output }
    }

    fn one(&self, name: &str) -> &[u8] {
        &self.input[name][0]
    }

    fn all(&self, name: &str) -> Vec<&[u8]> {
        self.input[name].iter().map(|bytes| &bytes[..]).collect()
    }
}

fn cases(kind: &str) -> Vec<Case> {
    let entries = std::fs::read_dir(folder().join(kind)).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| Case::read(path)).collect()
}

/// A valid opening.
static OPENING: LazyLock<Case> = LazyLock::new(|| {
    let path = folder().join("verify_kzg_proof/verify_kzg_proof_case_correct_proof_2_0.yaml");
    Case::read(&path)
});

fn opening(case: &Case) -> Opening<'_> {
    let (commitment, proof) = (case.one("commitment"), case.one("proof"));
    match case.input.contains_key("blob") {
        true => Opening::Blob { blob: case.one("blob"), commitment, proof },
        false => Opening::Value { commitment, z: case.one("z"), y: case.one("y"), proof },
    }
}

#[test]
fn published_cases() {
    let (values, blobs) = (cases("verify_kzg_proof"), cases("verify_blob_kzg_proof"));
    assert_eq!([values.len(), blobs.len()], [58, 11]);
    let mut seen = [0; 3];
    for case in &values {
        let (commitment, proof) = (case.one("commitment"), case.one("proof"));
        let answer = verify_kzg_proof(&SETUP, commitment, case.one("z"), case.one("y"), proof);
        assert_eq!(answer.clone().ok(), case.output, "{}: {answer:?}", case.name);
        seen[answer.map_or(2, usize::from)] += 1;
    }
    for case in &blobs {
        let (commitment, proof) = (case.one("commitment"), case.one("proof"));
        let answer = verify_blob_kzg_proof(&SETUP, case.one("blob"), commitment, proof);
        assert_eq!(answer.clone().ok(), case.output, "{}: {answer:?}", case.name);
        seen[answer.map_or(2, usize::from)] += 1;
    }
    assert!(seen.iter().all(|count| *count > 9), "{seen:?}");
    // All in one batch, with the same answers.
    let all: Vec<&Case> = values.iter().chain(&blobs).collect();
    let openings: Vec<Opening<'_>> = all.iter().map(|case| opening(case)).collect();
    for (case, answer) in all.iter().zip(verify_batch(&SETUP, &openings)) {
        assert_eq!(answer.clone().ok(), case.output, "{}: {answer:?}", case.name);
    }
}

#[test]
fn published_batches() {
    let batches = cases("verify_blob_kzg_proof_batch");
    assert_eq!(batches.len(), 3);
    for case in batches {
        let [blobs, commitments, proofs] =
            ["blobs", "commitments", "proofs"].map(|name| case.all(name));
        let answer = verify_blob_kzg_proof_batch(&SETUP, &blobs, &commitments, &proofs);
        assert_eq!(answer.ok(), case.output, "{}", case.name);
    }
    let counts = OpeningError::Counts { blobs: 0, commitments: 1, proofs: 0 };
    assert_eq!(verify_blob_kzg_proof_batch(&SETUP, &[], &[&[]], &[]), Err(counts));
}

/// A setup with a known τ, for which openings can be made: C = c·g₁, π = (c − y)/(τ − z)·g₁.
struct Known {
    setup: Setup,
    tau: Fr,
}

impl Known {
    fn new(rng: &mut impl rand::RngCore) -> Self {
        let tau = random_scalar(rng);
        Self { setup: Setup::of_tau(Point::<G2>::generator().times(&tau)).unwrap(), tau }
    }

    /// Returns commitment, z, y, proof.
    fn open(&self, rng: &mut impl rand::RngCore) -> [Vec<u8>; 4] {
        let (c, z, y) = (random_scalar(rng), random_scalar(rng), random_scalar(rng));
        let quotient = (c - y) * (self.tau - z).inverse().unwrap();
        let point = |scalar| Point::<G1>::generator().times(&scalar).to_compressed();
        [point(c), z.to_be_bytes().to_vec(), y.to_be_bytes().to_vec(), point(quotient)]
    }
}

fn value(parts: &[Vec<u8>; 4]) -> Opening<'_> {
    let [commitment, z, y, proof] = parts;
    Opening::Value { commitment, z, y, proof }
}

#[test]
fn bad_ones_are_named() {
    let mut rng = generator();
    let known = Known::new(&mut rng);
    for bad in [0, 1, 2, 20, 70] {
        let mut parts: Vec<_> = (0..70).map(|_| known.open(&mut rng)).collect();
        for number in 0..bad {
            // The value or the proof of another opening.
            let place = number * 70 / bad;
            parts[place][3 - number % 2] = known.open(&mut rng)[3 - number % 2].clone();
        }
        let openings: Vec<_> = parts.iter().map(value).collect();
        let bad: Vec<usize> = (0..bad).map(|number| number * 70 / bad).collect();
        for (number, answer) in verify_batch(&known.setup, &openings).into_iter().enumerate() {
            assert_eq!(answer, Ok(!bad.contains(&number)), "{number}");
        }
    }
}

/// π₁ + D and π₂ − D, with C₁ and C₂ that match only their sum.
#[test]
fn chosen_errors_that_cancel_are_named() {
    let mut rng = generator();
    let known = Known::new(&mut rng);
    let mut parts: Vec<_> = (0..6).map(|_| known.open(&mut rng)).collect();
    let error = Point::<G1>::generator().times(&random_scalar(&mut rng));
    for (place, error) in [(1, error), (4, error.negated())] {
        let wrong = Point::<G1>::from_bytes(&parts[place][0]).unwrap().plus(&error);
        parts[place][0] = wrong.to_compressed();
    }
    let openings: Vec<_> = parts.iter().map(value).collect();
    for _ in 0..3 {
        let answers = verify_batch(&known.setup, &openings);
        let expected = [true, false, true, true, false, true].map(Ok);
        assert_eq!(answers, expected);
    }
}

#[test]
fn what_cannot_be_decoded_is_told() {
    let mut rng = generator();
    let known = Known::new(&mut rng);
    let good = known.open(&mut rng);
    let with = |place: usize, bytes: Vec<u8>| {
        let mut parts = good.clone();
        parts[place] = bytes;
        verify_batch(&known.setup, &[value(&parts)]).pop().unwrap().unwrap_err()
    };
    let r =
        hex::decode("73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001").unwrap();
    assert_eq!(with(1, r.clone()), OpeningError::NotCanonical { name: "z" });
    assert_eq!(with(2, r.clone()), OpeningError::NotCanonical { name: "y" });
    assert_eq!(with(1, vec![1; 31]), OpeningError::Length { name: "z", expected: 32, got: 31 });
    assert_eq!(with(2, vec![1; 33]), OpeningError::Length { name: "y", expected: 32, got: 33 });
    let stray = stray_point::<G1>(&mut rng).to_compressed();
    assert_eq!(with(0, stray.clone()), OpeningError::Commitment(PointError::WrongSubgroup));
    assert_eq!(with(3, stray), OpeningError::Proof(PointError::WrongSubgroup));
    // Uncompressed points are not accepted here.
    let uncompressed = Point::<G1>::generator().to_uncompressed();
    assert!(matches!(with(0, uncompressed), OpeningError::Commitment(PointError::Length { .. })));
    let mut blob = vec![0; BLOB_BYTES];
    blob[32 * 77..][..32].copy_from_slice(&r);
    let answer = verify_blob_kzg_proof(&known.setup, &blob, &good[0], &good[3]);
    assert_eq!(answer, Err(OpeningError::BlobElement { index: 77 }));
    let answer = verify_blob_kzg_proof(&known.setup, &blob[1..], &good[0], &good[3]);
    let length = OpeningError::Length { name: "blob", expected: BLOB_BYTES, got: BLOB_BYTES - 1 };
    assert_eq!(answer, Err(length));
    assert_eq!(verify_batch(&known.setup, &[]), []);
}

#[test]
fn setups_that_are_refused() {
    let lines: Vec<&str> = SETUP_TEXT.lines().collect();
    let with = |line: usize, text: &str| {
        let mut lines = lines.clone();
        lines[line] = text;
        Setup::read(&lines.join("\n")).unwrap_err()
    };
    let count = |line, expected, got: &str| SetupError::Count { line, expected, got: got.into() };
    assert_eq!(with(0, "4095"), count(1, 4096, "4095"));
    assert_eq!(with(1, "-65"), count(2, 65, "-65"));
    assert_eq!(Setup::read("").unwrap_err(), count(1, 4096, ""));
    assert_eq!(with(100, ""), SetupError::Lines { expected: 8259, got: 8258 });
    let digits = |line, bytes| SetupError::Digits { line, bytes };
    assert_eq!(with(99, &lines[99][1..]), digits(100, 48));
    assert_eq!(with(99, lines[4100]), digits(100, 48));
    assert_eq!(with(4100, &lines[4100].replace('a', "g")), digits(4101, 96));
    let at = |line, error| SetupError::Point { line, error };
    let tau = 2 + 4096 + 1;
    let bad = format!("1{}", &lines[tau][1..]);
    assert!(matches!(with(tau, &bad), SetupError::Point { line: 4100, .. }));
    let stray = hex::encode(stray_point::<G2>(&mut generator()).to_compressed());
    assert_eq!(with(tau, &stray), at(tau + 1, PointError::WrongSubgroup));
    // τ² instead of τ, and infinity.
    assert_eq!(with(tau, lines[tau + 1]), SetupError::Inconsistent);
    assert_eq!(with(tau - 1, lines[tau]), SetupError::Inconsistent);
    let infinity = format!("c0{}", "0".repeat(190));
    assert_eq!(with(tau, &infinity), SetupError::Inconsistent);
    assert_eq!(Setup::of_tau(Point::default()), Err(PointError::Infinity));
    let long = " ".repeat((2 << 20) + 1);
    assert_eq!(
        Setup::read(&long).unwrap_err(),
        SetupError::TooLong { got: long.len(), limit: 2 << 20 }
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_bytes_are_answered(
        parts in prop::array::uniform4(prop::collection::vec(any::<u8>(), 0..60)),
    ) {
        prop_assert!(verify_batch(&SETUP, &[value(&parts)])[0].is_err());
    }

    /// Digits of points that verification of openings does not use may be any.
    #[test]
    fn mutated_setups_are_read_or_refused(place in 0usize..807_177, byte in any::<u8>()) {
        let mut text = SETUP_TEXT.clone().into_bytes();
        text[place] = byte;
        if let Ok(text) = String::from_utf8(text) {
            if let Ok(setup) = Setup::read(&text) {
                let case = &OPENING;
                prop_assert_eq!(verify_batch(&setup, &[opening(case)]), [Ok(true)]);
            }
        }
    }
}
