// SPDX-License-Identifier: Apache-2.0 OR MIT
//! KZG openings in batches.

use halimede_arith::job::{Amount, Compute};
use halimede_arith::operation_over;

use super::grouped;
use crate::kzg::{verify_batch, Opening, OpeningError, Setup};

/// The check of an opening.
pub struct VerifyOpening;

/// A request of [`VerifyOpening`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpeningRequest {
    /// The trusted setup.
    pub setup: Setup,
    /// The opening.
    pub opening: OwnedOpening,
}

/// An [`Opening`] that owns its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OwnedOpening {
    /// [`Opening::Value`].
    Value {
        /// The commitment.
        commitment: Vec<u8>,
        /// The point.
        z: Vec<u8>,
        /// The value.
        y: Vec<u8>,
        /// The proof.
        proof: Vec<u8>,
    },
    /// [`Opening::Blob`].
    Blob {
        /// The values.
        blob: Vec<u8>,
        /// The commitment.
        commitment: Vec<u8>,
        /// The proof.
        proof: Vec<u8>,
    },
}

impl OwnedOpening {
    /// Borrows the opening.
    pub fn borrow(&self) -> Opening<'_> {
        match self {
            Self::Value { commitment, z, y, proof } => Opening::Value { commitment, z, y, proof },
            Self::Blob { blob, commitment, proof } => Opening::Blob { blob, commitment, proof },
        }
    }
}

impl From<Opening<'_>> for OwnedOpening {
    fn from(opening: Opening<'_>) -> Self {
        match opening {
            Opening::Value { commitment, z, y, proof } => Self::Value {
                commitment: commitment.to_vec(),
                z: z.to_vec(),
                y: y.to_vec(),
                proof: proof.to_vec(),
            },
            Opening::Blob { blob, commitment, proof } => Self::Blob {
                blob: blob.to_vec(),
                commitment: commitment.to_vec(),
                proof: proof.to_vec(),
            },
        }
    }
}

operation_over!(
    VerifyOpening,
    OpeningRequest,
    Result<bool, OpeningError>,
    "bls12_381.verify_opening",
    |_row| 1
);

impl Compute for VerifyOpening {
    const BRIEF: Amount = Amount::of_requests(8);
    const PIECE: Amount = Amount::of_requests(128);

    fn compute(row: &OpeningRequest) -> Result<bool, OpeningError> {
        verify_batch(&row.setup, &[row.opening.borrow()]).pop().unwrap_or(Ok(false))
    }

    /// Requests with the same setup are verified together.
    fn compute_batch(batch: &[OpeningRequest]) -> Vec<Result<bool, OpeningError>> {
        grouped(
            batch,
            |a, b| a.setup == b.setup,
            |rows| {
                let openings: Vec<_> = rows.iter().map(|row| row.opening.borrow()).collect();
                verify_batch(&rows[0].setup, &openings)
            },
        )
    }
}
