// SPDX-License-Identifier: Apache-2.0 OR MIT
//! KZG openings in bulk.

use halimede_arith::interface::{Invalid, Outcome, Verdict};
use halimede_bls12_381::kzg::{Opening, Setup};
use halimede_bls12_381::operations::{OpeningRequest, VerifyOpening};

use super::batch::answer_made;
use super::error::FlatError;
use crate::device::Device;

/// A verdict for each opening, in their order. What cannot be decoded has another outcome than
/// [`Outcome::Mismatch`].
///
/// # Errors
/// [`FlatError::Device`].
pub fn verify(
    device: &Device,
    setup: &Setup,
    openings: &[Opening<'_>],
) -> Result<Vec<Verdict>, FlatError> {
    let found = answer_made::<VerifyOpening>(device, openings.len(), |row| OpeningRequest {
        setup: setup.clone(),
        opening: openings[row].into(),
    })?;
    let mismatch =
        || Invalid { outcome: Outcome::Mismatch, reason: "the proof does not match".into() };
    let found = found.into_iter().map(|holds| match holds {
        Ok(true) => Ok(()),
        Ok(false) => Err(mismatch()),
        Err(error) => Err(Invalid::of(error)),
    });
    Ok(found.collect())
}
