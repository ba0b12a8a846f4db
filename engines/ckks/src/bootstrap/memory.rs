// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The memory that a bootstrap needs, computed before anything is allocated.

use super::error::BootstrapError;
use super::form::BootstrapForm;
use super::fourier::Pattern;
use crate::keys::SwitchingKey;
use crate::linear::RotationStrategy;
use crate::params::Parameters;
use crate::ring::MIN_VALUES;

/// The number of polynomials of the highest level that are in memory at once besides keys and
/// matrices: the powers for the cosine, the digits of a key switch, results. They fill 1.5 GB at N
/// = 2¹⁶; 1.2 GB were measured.
const POLYNOMIALS: usize = 96;

/// The memory of a server that bootstraps, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BootstrapMemory {
    /// All keys of [`crate::Operations::bootstrap`], or of [`crate::Operations::bootstrap_slots`].
    pub keys: usize,
    /// The encoded matrices, which all bootstraps share. Some diagonals may need less.
    pub matrices: usize,
    /// The approximate maximum of further memory during one bootstrap.
    pub working: usize,
}

impl BootstrapMemory {
    /// Returns the memory of bootstraps of vectors in all slots with these parameters.
    ///
    /// # Errors
    /// [`BootstrapError::Parameters`] if the parameters have no levels for a bootstrap.
    pub fn new(parameters: &Parameters) -> Result<Self, BootstrapError> {
        Self::of_slots(parameters, parameters.slots(), false)
    }

    /// Returns the memory of bootstraps of vectors of `slots` slots, optionally [with few
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

    /// Returns the total, in bytes.
    pub fn total(self) -> usize {
        self.keys + self.matrices + self.working
    }
}

/// Returns the size of a form's encoded matrices in bytes.
pub(super) fn matrix_bytes(parameters: &Parameters, form: &BootstrapForm) -> usize {
    let matrix = |(level, Pattern { steps, period, .. }): (usize, Pattern)| {
        // Repeated values are stored once.
        let values = (2 * period).max(MIN_VALUES).min(parameters.degree());
        steps.len() * limbs(parameters, level) * values * size_of::<u32>()
    };
    form.matrices().map(matrix).sum()
}

/// Returns the number of primes of a level and of a key switch's divisor.
fn limbs(parameters: &Parameters, level: usize) -> usize {
    parameters.level(level).basis.union(&parameters.chain().special).len()
}
