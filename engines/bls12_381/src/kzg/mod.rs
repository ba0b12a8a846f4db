// SPDX-License-Identifier: Apache-2.0 OR MIT
//! KZG openings of EIP-4844 (consensus specifications, Deneb, polynomial commitments): verifies
//! openings at a point, openings of blobs, and batches with a verdict for each.
//!
//! An answer is `Ok(true)`, `Ok(false)`, or an error if the input cannot be decoded.

mod batch;
mod blob;
mod evaluation;
mod roots;
mod setup;

pub use roots::{BLOB_BYTES, BLOB_ELEMENTS};
pub use setup::{Setup, SetupError, G2_POINTS, SETUP_LIMIT_BYTES};

pub(crate) use batch::pairs;
use batch::verdicts;
use halimede_arith::Fr;

use crate::PointError;

/// Why an input cannot be decoded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpeningError {
    /// The commitment is not a point of G1.
    #[error("commitment: {0}")]
    Commitment(PointError),
    /// The proof is not a point of G1.
    #[error("proof: {0}")]
    Proof(PointError),
    /// The length is wrong.
    #[error("`{name}` has {expected} bytes, not {got}")]
    Length {
        /// `z`, `y` or `blob`.
        name: &'static str,
        /// The expected number of bytes.
        expected: usize,
        /// The number of bytes given.
        got: usize,
    },
    /// `z` or `y` is not below r.
    #[error("`{name}` is not below the order of the groups")]
    NotCanonical {
        /// `z` or `y`.
        name: &'static str,
    },
    /// An element of the blob is not below r.
    #[error("element {index} of the blob is not below the order of the groups")]
    BlobElement {
        /// The index of the element, from 0.
        index: usize,
    },
    /// The numbers of blobs, commitments and proofs differ.
    #[error("there are {blobs} blobs, {commitments} commitments and {proofs} proofs")]
    Counts {
        /// The number of blobs.
        blobs: usize,
        /// The number of commitments.
        commitments: usize,
        /// The number of proofs.
        proofs: usize,
    },
}

/// An opening to verify, as bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opening<'a> {
    /// The polynomial's value at a point.
    Value {
        /// The commitment, a compressed point of G1.
        commitment: &'a [u8],
        /// The point, 32 bytes, big-endian.
        z: &'a [u8],
        /// The value, 32 bytes, big-endian.
        y: &'a [u8],
        /// The proof, a compressed point of G1.
        proof: &'a [u8],
    },
    /// The polynomial itself, given by its values.
    Blob {
        /// [`BLOB_ELEMENTS`] values of 32 bytes each, big-endian.
        blob: &'a [u8],
        /// The commitment, a compressed point of G1.
        commitment: &'a [u8],
        /// The proof, a compressed point of G1.
        proof: &'a [u8],
    },
}

impl<'a> Opening<'a> {
    fn commitment(&self) -> &'a [u8] {
        match *self {
            Self::Value { commitment, .. } | Self::Blob { commitment, .. } => commitment,
        }
    }

    fn proof(&self) -> &'a [u8] {
        match *self {
            Self::Value { proof, .. } | Self::Blob { proof, .. } => proof,
        }
    }

    /// Returns z and y.
    fn scalars(&self) -> Result<(Fr, Fr), OpeningError> {
        match *self {
            Self::Value { z, y, .. } => Ok((scalar("z", z)?, scalar("y", y)?)),
            Self::Blob { blob, commitment, .. } => {
                let blob = blob::elements(blob)?;
                let z = blob::challenge(blob, commitment);
                Ok((z, blob::value(blob, z)?))
            }
        }
    }
}

/// Verifies an opening at a point: `verify_kzg_proof`.
///
/// # Errors
/// [`OpeningError`].
pub fn verify_kzg_proof(
    setup: &Setup,
    commitment: &[u8],
    z: &[u8],
    y: &[u8],
    proof: &[u8],
) -> Result<bool, OpeningError> {
    one(setup, Opening::Value { commitment, z, y, proof })
}

/// Verifies the opening of a blob: `verify_blob_kzg_proof`.
///
/// # Errors
/// [`OpeningError`].
pub fn verify_blob_kzg_proof(
    setup: &Setup,
    blob: &[u8],
    commitment: &[u8],
    proof: &[u8],
) -> Result<bool, OpeningError> {
    one(setup, Opening::Blob { blob, commitment, proof })
}

/// Returns `true` if all openings of blobs are valid: `verify_blob_kzg_proof_batch`.
///
/// # Errors
/// [`OpeningError`] of the first opening that cannot be decoded.
pub fn verify_blob_kzg_proof_batch(
    setup: &Setup,
    blobs: &[&[u8]],
    commitments: &[&[u8]],
    proofs: &[&[u8]],
) -> Result<bool, OpeningError> {
    let counts = (blobs.len(), commitments.len(), proofs.len());
    if counts.0 != counts.1 || counts.0 != counts.2 {
        let (blobs, commitments, proofs) = counts;
        return Err(OpeningError::Counts { blobs, commitments, proofs });
    }
    let rows = blobs.iter().zip(commitments).zip(proofs);
    let openings: Vec<Opening<'_>> =
        rows.map(|((blob, commitment), proof)| Opening::Blob { blob, commitment, proof }).collect();
    let verdicts = verify_batch(setup, &openings).into_iter().collect::<Result<Vec<_>, _>>()?;
    Ok(verdicts.into_iter().all(|verdict| verdict))
}

/// Verifies openings together, on the threads of the current pool. Returns an answer for each.
pub fn verify_batch(setup: &Setup, openings: &[Opening<'_>]) -> Vec<Result<bool, OpeningError>> {
    verdicts(setup, openings)
}

fn one(setup: &Setup, opening: Opening<'_>) -> Result<bool, OpeningError> {
    verify_batch(setup, &[opening]).pop().unwrap_or(Ok(false))
}

fn scalar(name: &'static str, bytes: &[u8]) -> Result<Fr, OpeningError> {
    let Ok(bytes) = bytes.try_into() else {
        return Err(OpeningError::Length { name, expected: 32, got: bytes.len() });
    };
    Fr::from_be_bytes(bytes).map_err(|_| OpeningError::NotCanonical { name })
}
