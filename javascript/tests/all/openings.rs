// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Ethereum's cases of KZG openings, and random blobs, against the engine.

use std::collections::HashMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use halimede_bls12_381::kzg::{self, Setup};
use halimede_bls12_381::Fr;
use halimede_javascript::opening::{verify_blob_kzg_proof, verify_kzg_proof, BLOB_ELEMENTS};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../engines/bls12_381/vectors/kzg")
}

fn text_of(path: &Path) -> String {
    let bytes = std::fs::read(path).unwrap();
    if path.extension().is_none_or(|extension| extension != "gz") {
        return String::from_utf8(bytes).unwrap();
    }
    let mut text = String::new();
    flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut text).unwrap();
    text
}

static SETUP: LazyLock<Setup> =
    LazyLock::new(|| Setup::read(&text_of(&folder().join("trusted_setup.txt.gz"))).unwrap());

/// The fields of a case, and its expected output, `None` if an input cannot be decoded.
fn case(path: &Path) -> (HashMap<String, Vec<u8>>, Option<bool>) {
    let (mut fields, mut output) = (HashMap::new(), None);
    for line in text_of(path).lines() {
        let Some((name, value)) = line.trim().split_once(':') else { continue };
        let value = value.trim().trim_matches('\'');
        match name {
            "input" => {}
            "output" => output = value.parse().ok(),
            name => {
                let bytes = hex::decode(value.trim_start_matches("0x")).unwrap();
                fields.insert(name.to_owned(), bytes);
            }
        }
    }
    (fields, output)
}

fn cases(kind: &str) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder().join(kind))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    assert!(paths.len() > 10, "{} cases of {kind}", paths.len());
    paths
}

#[test]
fn openings_at_points_have_ethereums_verdicts() {
    for path in cases("verify_kzg_proof") {
        let (fields, output) = case(&path);
        let of = |name: &str| &fields[name][..];
        let got = verify_kzg_proof(of("commitment"), of("z"), of("y"), of("proof"));
        assert_eq!(got.clone().ok(), output, "{}: {got:?}", path.display());
    }
}

#[test]
fn openings_of_blobs_have_ethereums_verdicts() {
    for path in cases("verify_blob_kzg_proof") {
        let (fields, output) = case(&path);
        let of = |name: &str| &fields[name][..];
        let got = verify_blob_kzg_proof(of("blob"), of("commitment"), of("proof"));
        assert_eq!(got.clone().ok(), output, "{}: {got:?}", path.display());
    }
}

/// Openings that the engine makes are valid, and those with a change are not. The opening of a blob
/// is valid only if its polynomial is evaluated correctly.
#[test]
fn openings_of_the_engine_are_valid_and_changed_ones_are_not() {
    for seed in 1..3u64 {
        let element = |at: u64| Fr::from(seed * 1_000_003 + at).pow(&[seed, at]).to_be_bytes();
        let mut blob: Vec<u8> = (0..BLOB_ELEMENTS as u64).flat_map(element).collect();
        let commitment = kzg::blob_to_kzg_commitment(&SETUP, &blob).unwrap();
        let proof = kzg::compute_blob_kzg_proof(&SETUP, &blob, &commitment).unwrap();
        assert_eq!(verify_blob_kzg_proof(&blob, &commitment, &proof), Ok(true), "seed {seed}");
        let z = Fr::from(seed).pow(&[99]).to_be_bytes();
        let (proof_at_z, y) = kzg::compute_kzg_proof(&SETUP, &blob, &z).unwrap();
        assert_eq!(verify_kzg_proof(&commitment, &z, &y, &proof_at_z), Ok(true), "seed {seed}");
        assert_eq!(verify_kzg_proof(&commitment, &y, &z, &proof_at_z), Ok(false), "seed {seed}");
        assert_eq!(verify_blob_kzg_proof(&blob, &commitment, &proof_at_z), Ok(false));
        for at in [31, 32 * 77 + 31, blob.len() - 1] {
            blob[at] ^= 1;
            assert_eq!(verify_blob_kzg_proof(&blob, &commitment, &proof), Ok(false), "{at}");
            blob[at] ^= 1;
        }
        assert!(verify_blob_kzg_proof(&blob[1..], &commitment, &proof).is_err());
        assert!(verify_blob_kzg_proof(&blob, &commitment[1..], &proof).is_err());
    }
}
