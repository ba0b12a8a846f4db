// SPDX-License-Identifier: Apache-2.0 OR MIT
//! KZG openings of EIP-4844 (consensus specifications, Deneb, polynomial commitments): one, of a
//! blob, and of many together with a verdict for each.
//!
//! An answer is `Ok(true)`, `Ok(false)`, or an error for what cannot be decoded.

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
    /// Of another length than it has.
    #[error("`{name}` has {expected} bytes, not {got}")]
    Length {
        /// `z`, `y` or `blob`.
        name: &'static str,
        /// Bytes that it has.
        expected: usize,
        /// Bytes given.
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
        /// Its number, from 0.
        index: usize,
    },
    /// As many blobs, commitments and proofs are needed.
    #[error("there are {blobs} blobs, {commitments} commitments and {proofs} proofs")]
    Counts {
        /// Blobs.
        blobs: usize,
        /// Commitments.
        commitments: usize,
        /// Proofs.
        proofs: usize,
    },
}

/// An opening to be verified, in bytes.
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
    /// The polynomial itself, by its values.
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

    /// z and y.
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

/// `verify_kzg_proof`.
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

/// `verify_blob_kzg_proof`.
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

/// `verify_blob_kzg_proof_batch`: whether all are valid.
///
/// # Errors
/// [`OpeningError`] of the first that cannot be decoded.
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

/// Verifies openings together, over the threads of the current pool; an answer for each.
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
