// SPDX-License-Identifier: Apache-2.0 OR MIT
//! KZG openings of EIP-4844 in batches, from bytes to verdicts, commitments, and cells of EIP-7594,
//! against c-kzg and rust_eth_kzg under the ceremony's setup.

mod cells;

use std::hint::black_box;
use std::io::Read;
use std::sync::Arc;

use c_kzg::{ethereum_kzg_settings, Blob, Bytes32, Bytes48, KzgSettings, BYTES_PER_BLOB};
use flate2::read::GzDecoder;
use halimede_bls12_381::kzg::{verify_batch, Opening, OpeningError, Setup};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::bls12_381::in_lanes;
use crate::comparison::Comparison;

const PEER: &str = "c-kzg 2.1";

/// The text of the ceremony's trusted setup.
const SETUP: &[u8] = include_bytes!("../../../engines/bls12_381/vectors/kzg/trusted_setup.txt.gz");

fn text(error: impl std::fmt::Debug) -> String {
    format!("{error:?}")
}

/// The peer's settings with tables of windows of eight bits, the width that it recommends.
fn settings() -> &'static KzgSettings {
    ethereum_kzg_settings(8)
}

fn setup() -> Result<Setup, String> {
    let mut ceremony = String::new();
    GzDecoder::new(SETUP).read_to_string(&mut ceremony).map_err(text)?;
    Setup::read(&ceremony).map_err(text)
}

/// Blobs of random values with their commitments and proofs.
struct Blobs {
    blobs: Vec<Blob>,
    commitments: Vec<Bytes48>,
    proofs: Vec<Bytes48>,
}

impl Blobs {
    fn new(batch: usize) -> Result<Self, String> {
        let mut random = ChaCha8Rng::seed_from_u64(batch as u64);
        let (mut blobs, mut commitments, mut proofs) = (Vec::new(), Vec::new(), Vec::new());
        let settings = settings();
        for _ in 0..batch {
            let mut bytes = vec![0; BYTES_PER_BLOB];
            random.fill(&mut bytes[..]);
            // Values below r.
            bytes.iter_mut().step_by(32).for_each(|byte| *byte &= 0x3f);
            let blob = Blob::from_bytes(&bytes).map_err(text)?;
            let commitment = settings.blob_to_kzg_commitment(&blob).map_err(text)?.to_bytes();
            let proof = settings.compute_blob_kzg_proof(&blob, &commitment).map_err(text)?;
            blobs.push(blob);
            commitments.push(commitment);
            proofs.push(proof.to_bytes());
        }
        Ok(Self { blobs, commitments, proofs })
    }

    fn by_ours(&self, setup: &Setup) -> Vec<Result<bool, OpeningError>> {
        let rows = self.blobs.iter().zip(&self.commitments).zip(&self.proofs);
        let openings: Vec<Opening<'_>> = rows
            .map(|((blob, commitment), proof)| Opening::Blob {
                blob: &blob[..],
                commitment: &commitment[..],
                proof: &proof[..],
            })
            .collect();
        verify_batch(setup, &openings)
    }

    fn by_theirs(&self) -> bool {
        let Self { blobs, commitments, proofs } = self;
        let settings = settings();
        let verdict = match &blobs[..] {
            [blob] => settings.verify_blob_kzg_proof(blob, &commitments[0], &proofs[0]),
            _ => settings.verify_blob_kzg_proof_batch(blobs, commitments, proofs),
        };
        matches!(verdict, Ok(true))
    }
}

/// Batches of blobs.
fn blobs(setup: &Setup, comparisons: &mut Vec<Comparison>) -> Result<(), String> {
    for batch in [1, 2, 6, 16, 64] {
        let blobs = Arc::new(Blobs::new(batch)?);
        let name = format!("blobs-{batch}");
        if blobs.by_ours(setup) != vec![Ok(true); batch] || !blobs.by_theirs() {
            return Err(format!("{name}: the verdicts differ"));
        }
        let (theirs, setup) = (Arc::clone(&blobs), setup.clone());
        let aim = if batch == 1 { 0.97 } else { 3.0 };
        let aim = (batch == 1 || batch == 6 || batch == 64).then_some(aim);
        comparisons.push(in_lanes(
            "kzg",
            PEER,
            (name, batch, aim),
            move || {
                black_box(black_box(&blobs).by_ours(&setup));
            },
            move || {
                black_box(black_box(&theirs).by_theirs());
            },
        ));
    }
    Ok(())
}

/// A blob's value at a point, with its proof.
struct Value {
    commitment: Bytes48,
    z: Bytes32,
    y: Bytes32,
    proof: Bytes48,
}

/// Values of one blob at random points.
fn random_values(count: usize) -> Result<Vec<Value>, String> {
    let Blobs { blobs, commitments, .. } = Blobs::new(1)?;
    let mut random = ChaCha8Rng::seed_from_u64(count as u64);
    let mut value = || {
        let mut z: [u8; 32] = random.gen();
        z[0] &= 0x3f;
        let z = Bytes32::from(z);
        let computed = settings().compute_kzg_proof(&blobs[0], &z);
        let (proof, y) = computed.map_err(text)?;
        Ok(Value { commitment: commitments[0], z, y, proof: proof.to_bytes() })
    };
    (0..count).map(|_| value()).collect()
}

fn by_ours(setup: &Setup, values: &[Value]) -> Vec<Result<bool, OpeningError>> {
    let openings = values.iter().map(|value| Opening::Value {
        commitment: &value.commitment[..],
        z: &value.z[..],
        y: &value.y[..],
        proof: &value.proof[..],
    });
    let openings: Vec<Opening<'_>> = openings.collect();
    verify_batch(setup, &openings)
}

/// One at a time: the peer has no batch of values.
fn by_theirs(values: &[Value]) -> bool {
    values.iter().all(|Value { commitment, z, y, proof }| {
        matches!(settings().verify_kzg_proof(commitment, z, y, proof), Ok(true))
    })
}

/// Batches of values.
fn values(setup: &Setup, comparisons: &mut Vec<Comparison>) -> Result<(), String> {
    for batch in [1, 8, 64, 1024] {
        // Making a proof takes as long as hundreds of verifications: cycles through 64 proofs.
        let distinct = random_values(batch.min(64))?;
        let all = (0..batch).map(|row| {
            let Value { commitment, z, y, proof } = &distinct[row % distinct.len()];
            Value { commitment: *commitment, z: *z, y: *y, proof: *proof }
        });
        let values: Arc<Vec<Value>> = Arc::new(all.collect());
        let name = format!("values-{batch}");
        if by_ours(setup, &values) != vec![Ok(true); batch] || !by_theirs(&values) {
            return Err(format!("{name}: the verdicts differ"));
        }
        let (theirs, setup) = (Arc::clone(&values), setup.clone());
        comparisons.push(in_lanes(
            "kzg",
            PEER,
            (name, batch, (batch == 1).then_some(0.97)),
            move || {
                black_box(by_ours(&setup, black_box(&values)));
            },
            move || {
                black_box(by_theirs(black_box(&theirs)));
            },
        ));
    }
    Ok(())
}

/// All cases, always on one thread.
///
/// # Errors
/// If the verdicts differ.
pub fn comparisons(_: usize) -> Result<Vec<Comparison>, String> {
    let (setup, mut comparisons) = (setup()?, Vec::new());
    blobs(&setup, &mut comparisons)?;
    values(&setup, &mut comparisons)?;
    cells::comparisons(&setup, &mut comparisons)?;
    Ok(comparisons)
}
