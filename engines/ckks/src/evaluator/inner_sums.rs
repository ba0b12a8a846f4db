// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sums over slots by repeated doubling.

use super::ciphertext::Ciphertext;
use super::error::EvaluationError;
use super::evaluator::Evaluator;
use crate::estimate::Noise;

/// A step of a sum of `count` rotated vectors: from m terms to 2m by a rotation of the sum, or to m
/// + 1 by a rotation of the sum and the vector itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doubling {
    /// Rotates the sum by m batches and adds it to itself.
    Double(usize),
    /// Rotates the sum by one batch and adds the vector.
    One,
}

/// Returns the steps from one term to `count` terms, from the highest bit of `count` down.
fn doublings(count: usize) -> Vec<Doubling> {
    let mut steps = Vec::new();
    let mut sum = 1;
    for bit in (0..count.max(1).ilog2()).rev() {
        steps.push(Doubling::Double(sum));
        sum *= 2;
        if count >> bit & 1 == 1 {
            steps.push(Doubling::One);
            sum += 1;
        }
    }
    steps
}

/// Returns the rotations for which [`Evaluator::inner_sum`] needs keys.
pub fn inner_sum_rotations(count: usize, batch: usize) -> Vec<i64> {
    rotations(count, batch as i64)
}

/// Returns the rotations for which [`Evaluator::replicate`] needs keys.
pub fn replicate_rotations(count: usize, batch: usize) -> Vec<i64> {
    rotations(count, -(batch as i64))
}

fn rotations(count: usize, batch: i64) -> Vec<i64> {
    let by = |step: &Doubling| match step {
        Doubling::Double(sum) => *sum as i64 * batch,
        Doubling::One => batch,
    };
    let mut all: Vec<i64> = doublings(count).iter().map(by).collect();
    all.sort_unstable();
    all.dedup();
    all
}

impl Evaluator {
    /// Adds `count` consecutive batches of `batch` slots: slot i becomes Σ xᵢ₊ⱼ·batch, for j from 0
    /// to `count`. Needs ⌊log₂ count⌋ rotations, and one more for each further bit of `count` that
    /// is set.
    ///
    /// # Errors
    /// [`EvaluationError`] if the batches exceed the slots or if the key of a rotation is missing.
    pub fn inner_sum(
        &self,
        a: &Ciphertext,
        count: usize,
        batch: usize,
    ) -> Result<Ciphertext, EvaluationError> {
        self.sum_of_rotations(a, count, batch, 1)
    }

    /// Copies the first `batch` slots to `count` batches. All other slots must be zero: slot i
    /// becomes Σ xᵢ₋ⱼ·batch.
    ///
    /// # Errors
    /// As [`Self::inner_sum`].
    pub fn replicate(
        &self,
        a: &Ciphertext,
        count: usize,
        batch: usize,
    ) -> Result<Ciphertext, EvaluationError> {
        self.sum_of_rotations(a, count, batch, -1)
    }

    /// Adds all consecutive batches of `length` slots, which must fill the vector. Returns a vector
    /// of `length` values. Needs log₂ of the number of batches rotations.
    ///
    /// # Errors
    /// [`EvaluationError`] if `length` is not a power of two up to the number of values, if the
    /// values do not fill their slots, or if the key of a rotation is missing.
    pub fn fold(&self, a: &Ciphertext, length: usize) -> Result<Ciphertext, EvaluationError> {
        let slots = a.slots();
        if !length.is_power_of_two() || length > slots {
            return Err(EvaluationError::Batches { count: 1, batch: length, slots });
        }
        // Every batch holds the sum.
        Ok(self.inner_sum(a, slots / length, length)?.seen_as(length).with_length(length))
    }

    /// Reads the ciphertext as a vector of `length` values that repeats its values. Needs no
    /// computation.
    ///
    /// # Errors
    /// [`EvaluationError`] if `length` is not a power of two from the number of values to N/2, or
    /// if the values do not fill their slots.
    pub fn repeat(&self, a: &Ciphertext, length: usize) -> Result<Ciphertext, EvaluationError> {
        self.check_own(a)?;
        let slots = self.parameters.slots();
        if !length.is_power_of_two() || !(a.slots()..=slots).contains(&length) {
            return Err(EvaluationError::Batches { count: 1, batch: length, slots });
        }
        a.metadata().check_full("a repetition")?;
        Ok(a.clone().seen_as(length).with_length(length))
    }

    /// Returns the sum of batches in each slot, even if the values do not fill the slots.
    pub(crate) fn sum_of_slots(
        &self,
        a: &Ciphertext,
        count: usize,
        batch: usize,
    ) -> Result<Ciphertext, EvaluationError> {
        self.rotated_sum(a, count, batch as i64)
    }

    fn sum_of_rotations(
        &self,
        a: &Ciphertext,
        count: usize,
        batch: usize,
        sign: i64,
    ) -> Result<Ciphertext, EvaluationError> {
        self.check_own(a)?;
        let slots = a.slots();
        if count == 0 || batch == 0 || count.checked_mul(batch).is_none_or(|all| all > slots) {
            return Err(EvaluationError::Batches { count, batch, slots });
        }
        a.metadata().check_full("a sum of batches")?;
        self.rotated_sum(a, count, sign * batch as i64)
    }

    /// Adds the rotations of the vector by multiples of `step`. No slot contains the same value
    /// twice. White errors therefore add up by their squares, also those of each rotation in the
    /// remaining steps.
    fn rotated_sum(
        &self,
        a: &Ciphertext,
        count: usize,
        step: i64,
    ) -> Result<Ciphertext, EvaluationError> {
        let mixed = |noise: &Noise, terms: usize| match terms {
            1 => noise.clone(),
            _ => noise.mixed((terms as f64).sqrt(), terms as f64),
        };
        let whole = a.clone().exact();
        let (mut sum, mut terms) = (whole.clone(), 1);
        let mut noise = mixed(a.noise(), count);
        for next in doublings(count) {
            let (by, other) = match next {
                Doubling::Double(terms) => (terms as i64 * step, &sum),
                Doubling::One => (step, &whole),
            };
            let rotated = self.rotate_slots(&sum, &[by])?.remove(0);
            terms += if let Doubling::Double(terms) = next { terms } else { 1 };
            noise = noise.sum(&mixed(rotated.noise(), count.div_ceil(terms)));
            sum = self.add(other, &rotated.exact())?.exact();
        }
        Ok(sum.with_noise(noise))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doublings_are_few_and_add_up() {
        for count in 1usize..70 {
            let steps = doublings(count);
            let total = steps.iter().fold(1, |sum, step| match step {
                Doubling::Double(terms) => {
                    assert_eq!(*terms, sum);
                    2 * sum
                }
                Doubling::One => sum + 1,
            });
            assert_eq!(total, count);
            assert_eq!(steps.len() as u32, count.ilog2() + count.count_ones() - 1);
        }
        assert_eq!(inner_sum_rotations(5, 3), [3, 6]);
        assert_eq!(replicate_rotations(8, 1), [-4, -2, -1]);
        assert!(inner_sum_rotations(1, 9).is_empty());
    }
}
