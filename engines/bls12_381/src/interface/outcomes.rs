// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Outcomes of signatures, openings and proofs, with the numbers and words shared by all engines.

use halimede_arith::interface::Outcome;

use crate::eip2537::PrecompileError;
use crate::hash::HashError;
use crate::kzg::OpeningError;
use crate::{groth16, signature};

impl From<&signature::Rejection> for Outcome {
    fn from(rejection: &signature::Rejection) -> Self {
        use signature::Rejection;
        match rejection {
            Rejection::Key(_) | Rejection::KeyOf { .. } => Self::Key,
            Rejection::Signature(_) | Rejection::SignatureOf { .. } => Self::Signature,
            Rejection::Mismatch => Self::Mismatch,
            Rejection::NoKeys | Rejection::Counts { .. } => Self::Keys,
            Rejection::EqualMessages { .. } => Self::EqualMessages,
        }
    }
}

impl From<&OpeningError> for Outcome {
    fn from(error: &OpeningError) -> Self {
        match error {
            OpeningError::Commitment(_) => Self::Commitment,
            OpeningError::Proof(_) | OpeningError::Counts { .. } => Self::Proof,
            OpeningError::Length { name: "blob" | "cell", .. }
            | OpeningError::BlobElement { .. }
            | OpeningError::CellElement { .. } => Self::Blob,
            OpeningError::CellOfList { error, .. } => Self::from(&**error),
            OpeningError::Length { .. } | OpeningError::NotCanonical { .. } => Self::Scalar,
            OpeningError::Setup(_)
            | OpeningError::CellIndex { .. }
            | OpeningError::CellCount { .. }
            | OpeningError::CellOrder { .. }
            | OpeningError::CellCounts { .. }
            | OpeningError::CellLists { .. } => Self::Malformed,
        }
    }
}

impl From<&HashError> for Outcome {
    fn from(_: &HashError) -> Self {
        Self::Malformed
    }
}

impl From<&PrecompileError> for Outcome {
    fn from(_: &PrecompileError) -> Self {
        Self::Malformed
    }
}

impl From<&groth16::Rejection> for Outcome {
    fn from(rejection: &groth16::Rejection) -> Self {
        use groth16::Rejection;
        match rejection {
            Rejection::Length { .. } | Rejection::Point { .. } => Self::Proof,
            Rejection::Inputs { .. } => Self::Inputs,
            Rejection::Mismatch => Self::Mismatch,
        }
    }
}
