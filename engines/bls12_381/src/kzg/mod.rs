// SPDX-License-Identifier: Apache-2.0 OR MIT
//! KZG commitments of EIP-4844 and the cells of EIP-7594 (consensus specifications, Deneb,
//! polynomial commitments; Fulu, polynomial commitments sampling).
//!
//! - Openings at a point, openings of blobs and cells are verified, also in batches with a verdict
//!   for each. A verdict is `Ok(true)`, `Ok(false)`, or an error if the input cannot be decoded.
//! - Commitments and openings of blobs are computed, and [`cells`]: computed, recovered, verified.
//!
//! All data are public: the time depends on them.

mod batch;
mod blob;
pub mod cells;
mod commitments;
mod error;
mod evaluation;
mod points;
mod polynomial;
mod powers;
mod roots;
mod setup;
mod setup_text;

pub use commitments::{blob_to_kzg_commitment, compute_blob_kzg_proof, compute_kzg_proof};
pub use error::OpeningError;
pub use roots::{BLOB_BYTES, BLOB_ELEMENTS};
pub use setup::{prepared_bytes, Setup};
pub use setup_text::{SetupError, G2_POINTS, SETUP_LIMIT_BYTES};

pub(crate) use batch::pairs;
use batch::verdicts;
use halimede_arith::Fr;

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
    /// Returns the encoding of the commitment.
    pub fn commitment(&self) -> &'a [u8] {
        match *self {
            Self::Value { commitment, .. } | Self::Blob { commitment, .. } => commitment,
        }
    }

    /// Returns the encoding of the proof.
    pub fn proof(&self) -> &'a [u8] {
        match *self {
            Self::Value { proof, .. } | Self::Blob { proof, .. } => proof,
        }
    }

    /// Returns z and y. Those of a blob are its challenge, and the value of its polynomial there.
    ///
    /// # Errors
    /// [`OpeningError`] of a length, a scalar or an element of the blob.
    pub fn scalars(&self) -> Result<(Fr, Fr), OpeningError> {
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
