// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What the result of a computation must be, for its owner, who does not believe its file.

use super::error::SharingError;
use crate::evaluator::{Ciphertext, SAME_SCALE};
use crate::params::Scale;

/// The level, scale, length and error of the result of a computation.
///
/// They follow from the circuit, the inputs and the keys alone, so that the owner of the secret finds
/// them without the server, and in far less time:
/// [`DryServer::results_of_plan`](crate::DryServer::results_of_plan) does the computation without
/// arithmetic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Expected {
    level: usize,
    scale: Scale,
    length: usize,
    slots: usize,
    error: f64,
}

impl Expected {
    /// The properties of a result that was computed here, with or without arithmetic.
    ///
    /// # Errors
    /// [`SharingError::Claimed`] where it was computed from something that somebody else computed:
    /// give its inputs as they were encrypted, or
    /// [say](Ciphertext::encrypted_by_public_key) that they were by the public key.
    pub fn of(result: &Ciphertext) -> Result<Self, SharingError> {
        let error = result.error_anywhere();
        if result.has_claimed_error() {
            return Err(SharingError::Claimed { error });
        }
        let (level, scale) = (result.level(), result.scale());
        Ok(Self { level, scale, length: result.length(), slots: result.slots(), error })
    }

    /// Standard deviation of the error of a slot, for all values in their declared bounds.
    pub fn error(&self) -> f64 {
        self.error
    }

    /// Checks that a ciphertext is such a result, as far as can be seen: its error counts in values,
    /// which the scale tells, of as many slots as it says.
    pub(super) fn check(&self, a: &Ciphertext) -> Result<(), SharingError> {
        let is_same = (self.level, self.length, self.slots) == (a.level(), a.length(), a.slots());
        if is_same && self.scale.deviation(a.scale()).abs() <= SAME_SCALE {
            return Ok(());
        }
        let text = |length: usize, slots: usize, level: usize, scale: Scale| {
            format!("{length} values in {slots} slots, level {level} and a scale of {scale}")
        };
        Err(SharingError::Unexpected {
            got: text(a.length(), a.slots(), a.level(), a.scale()),
            expected: text(self.length, self.slots, self.level, self.scale),
        })
    }
}
