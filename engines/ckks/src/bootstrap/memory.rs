// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The memory that a bootstrap takes, known before anything is made.

use super::error::BootstrapError;
use super::form::BootstrapForm;
use super::fourier::Pattern;
use crate::keys::SwitchingKey;
use crate::linear::RotationStrategy;
use crate::params::Parameters;
use crate::ring::MIN_VALUES;

/// Polynomials of the highest level that are there at once besides keys and matrices: the powers
/// that the cosine is a sum of, the digits of a key switch, results. They are 1.5 GB at N = 2¹⁶, of
/// which 1.2 were measured.
const POLYNOMIALS: usize = 96;

/// The memory of a server that bootstraps, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BootstrapMemory {
    /// All keys of [`crate::Operations::bootstrap`], or of [`crate::Operations::bootstrap_slots`].
    pub keys: usize,
    /// The encoded matrices, which all bootstraps share; a few diagonals may take less.
    pub matrices: usize,
    /// The approximate maximum of further memory during one bootstrap.
    pub working: usize,
}

impl BootstrapMemory {
    /// The memory of bootstraps of vectors in all slots with these parameters.
    ///
    /// # Errors
    /// [`BootstrapError::Parameters`] where they have no levels for one.
    pub fn new(parameters: &Parameters) -> Result<Self, BootstrapError> {
        Self::of_slots(parameters, parameters.slots(), false)
    }

    /// The memory of bootstraps of vectors of `slots` slots, or [with few
    /// keys](crate::Operations::few_keys).
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn of_slots(
        parameters: &Parameters,
        slots: usize,
        few_keys: bool,
    ) -> Result<Self, BootstrapError> {
        let form = BootstrapForm::new(parameters, slots, RotationStrategy::of(few_keys))?;
        let key = |(of, level)| SwitchingKey::bytes_of(parameters, of, level);
        let top = limbs(parameters, form.top());
        Ok(Self {
            keys: form.keys().into_iter().map(key).sum(),
            matrices: matrix_bytes(parameters, &form),
            working: POLYNOMIALS * top * parameters.degree() * size_of::<u32>(),
        })
    }

    /// The total, in bytes.
    pub fn total(self) -> usize {
        self.keys + self.matrices + self.working
    }
}

/// The bytes of a form's encoded matrices.
pub(super) fn matrix_bytes(parameters: &Parameters, form: &BootstrapForm) -> usize {
    let matrix = |(level, Pattern { steps, period, .. }): (usize, Pattern)| {
        // Values that repeat themselves are held once.
        let values = (2 * period).max(MIN_VALUES).min(parameters.degree());
        steps.len() * limbs(parameters, level) * values * size_of::<u32>()
    };
    form.matrices().map(matrix).sum()
}

/// The primes of a level, and those that a key switch divides by.
fn limbs(parameters: &Parameters, level: usize) -> usize {
    parameters.level(level).basis.union(&parameters.chain().special).len()
}
