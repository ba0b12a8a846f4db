// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The properties that the result of a computation must have, for an owner who does not trust its
//! file.

use super::error::SharingError;
use crate::evaluator::{Ciphertext, SAME_SCALE};
use crate::params::Scale;

/// The level, scale, length and error of the result of a computation.
///
/// They depend only on the circuit, the inputs and the keys. The owner of the secret computes them
/// without the server, and much faster:
/// [`DryServer::results_of_plan`](crate::DryServer::results_of_plan) runs the computation without
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
    /// Returns the properties of a result that was computed in this process, with or without
    /// arithmetic.
    ///
    /// # Errors
    /// [`SharingError::Claimed`] if an input was computed by somebody else. Use the inputs as they
    /// were encrypted, or [declare](Ciphertext::encrypted_by_public_key) that they were encrypted
    /// with the public key.
    pub fn of(result: &Ciphertext) -> Result<Self, SharingError> {
        let error = result.error_anywhere();
        if result.has_claimed_error() {
            return Err(SharingError::Claimed { error });
        }
        let (level, scale) = (result.level(), result.scale());
        Ok(Self { level, scale, length: result.length(), slots: result.slots(), error })
    }

    /// The standard deviation of the error of a slot, for all values within their declared bounds.
    pub fn error(&self) -> f64 {
        self.error
    }

    /// Checks that a ciphertext has the properties of the result. The error is one of values, so it
    /// depends on the scale and on the number of slots.
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
