// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Commitments to blobs and proofs of openings.

use blst::blst_p1;
use halimede_arith::field::batch_inverse;
use halimede_arith::Fr;

use super::blob::{self, Elements};
use super::roots::ROOTS;
use super::{scalar, OpeningError, Setup, SetupError};
use crate::library::{Curve, G1};
use crate::Point;

/// A compressed point of G1.
pub(super) type Compressed = [u8; G1::COMPRESSED_BYTES];

/// Returns the commitment to a blob, a compressed point of G1: `blob_to_kzg_commitment`.
///
/// # Errors
/// [`OpeningError`] of the blob, or if the setup has no points.
pub fn blob_to_kzg_commitment(
    setup: &Setup,
    blob: &[u8],
) -> Result<[u8; G1::COMPRESSED_BYTES], OpeningError> {
    let values = blob::values(blob::elements(blob)?)?;
    commitment_to(setup, &values).map_err(OpeningError::Setup)
}

/// Returns the proof of a blob's value at z, and the value: `compute_kzg_proof`.
///
/// # Errors
/// [`OpeningError`] of the blob or of z, or if the setup has no points.
pub fn compute_kzg_proof(
    setup: &Setup,
    blob: &[u8],
    z: &[u8],
) -> Result<([u8; G1::COMPRESSED_BYTES], [u8; 32]), OpeningError> {
    let (proof, y) = open(setup, blob::elements(blob)?, scalar("z", z)?)?;
    Ok((proof, y.to_be_bytes()))
}

/// Returns the proof of a blob's value at the challenge of the blob and its commitment:
/// `compute_blob_kzg_proof`. The commitment is checked to be a point of G1, not to be that of the
/// blob.
///
/// # Errors
/// [`OpeningError`] of the blob or of the commitment, or if the setup has no points.
pub fn compute_blob_kzg_proof(
    setup: &Setup,
    blob: &[u8],
    commitment: &[u8],
) -> Result<[u8; G1::COMPRESSED_BYTES], OpeningError> {
    let elements = blob::elements(blob)?;
    Point::<G1>::from_compressed(commitment).map_err(OpeningError::Commitment)?;
    Ok(open(setup, elements, blob::challenge(elements, commitment))?.0)
}

/// Returns the proof of a blob's value at z, and the value.
fn open(setup: &Setup, blob: &Elements, z: Fr) -> Result<(Compressed, Fr), OpeningError> {
    let y = blob::value(blob, z)?;
    let quotient = quotient(&blob::values(blob)?, z, y);
    Ok((commitment_to(setup, &quotient).map_err(OpeningError::Setup)?, y))
}

/// Returns the values of (f(x) − y)/(x − z) at the roots, for y = f(z).
fn quotient(values: &[Fr], z: Fr, y: Fr) -> Vec<Fr> {
    let mut inverses: Vec<Fr> = ROOTS.iter().map(|root| *root - z).collect();
    let at_root = inverses.iter().position(Fr::is_zero);
    if let Some(index) = at_root {
        inverses[index] = Fr::ONE;
    }
    batch_inverse(&mut inverses);
    let mut quotient: Vec<Fr> =
        values.iter().zip(&inverses).map(|(value, inverse)| (*value - y) * *inverse).collect();
    if let Some(index) = at_root {
        // With q the quotient and w the other roots, q(z) is −Σ q(w)·w/z: the coefficient of
        // x⁴⁰⁹⁵ of q, the sum of all q(w)·w divided by 4096, is 0.
        let weighted = quotient.iter().zip(ROOTS.iter()).enumerate();
        let others = weighted.filter(|(number, _)| *number != index);
        let sum: Fr = others.map(|(_, (value, root))| *value * *root).sum();
        quotient[index] = -sum * z.inverse().unwrap_or_default();
    }
    quotient
}

/// Returns the commitment to the polynomial with these values.
fn commitment_to(setup: &Setup, values: &[Fr]) -> Result<Compressed, SetupError> {
    let scalars: Vec<[u8; 32]> = values.iter().map(Fr::to_le_bytes).collect();
    let sums = setup.powers()?.commitments()?.sums(&scalars);
    Ok(compress_all(&sums)[0])
}

/// Encodes points, with one inversion for all.
pub(super) fn compress_all(points: &[blst_p1]) -> Vec<Compressed> {
    G1::to_affine(points).iter().map(compress).collect()
}

/// Encodes a point.
pub(super) fn compress(point: &blst::blst_p1_affine) -> Compressed {
    let mut bytes = [0; G1::COMPRESSED_BYTES];
    bytes.copy_from_slice(&G1::compress(point));
    bytes
}
