// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Why a signature is not valid, its bytes included.

use crate::key::KeyError;
use crate::signature::SignatureError;
use crate::verdict::{Mask, Outcome};

/// The first reason why a signature is not valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Rejection {
    /// Not a valid public key.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The signature does not have the required format.
    #[error(transparent)]
    Signature(#[from] SignatureError),
    /// s is above n/2, and the rules require the lower of s and n − s.
    #[error("s is above n/2")]
    HighS,
    /// Checks of the numbers failed.
    #[error("{0}")]
    Check(Mask),
}

/// Converts a mask to a verdict.
///
/// # Errors
/// [`Rejection::Check`] where checks failed.
pub fn verdict(mask: Mask) -> Result<(), Rejection> {
    if mask.is_valid() {
        Ok(())
    } else {
        Err(Rejection::Check(mask))
    }
}

impl From<&Result<(), Rejection>> for Outcome {
    fn from(verdict: &Result<(), Rejection>) -> Self {
        match verdict {
            Ok(()) => Self::Valid,
            Err(Rejection::Key(_)) => Self::Key,
            Err(Rejection::Signature(_)) => Self::Signature,
            Err(Rejection::HighS) => Self::HighS,
            Err(Rejection::Check(mask)) => mask.first().map_or(Self::Valid, Self::from),
        }
    }
}
