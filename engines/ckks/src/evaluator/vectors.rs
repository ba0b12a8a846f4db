// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Operations on whole vectors of any length.
//!
//! The number of slots is a power of two. A vector of another length leaves slots that hold values
//! within its bound but do not belong to the vector. Operations that move values exclude these
//! slots with a mask, which costs a level.

use super::ciphertext::Ciphertext;
use super::error::EvaluationError;
use super::evaluator::Evaluator;
use super::inner_sums::inner_sum_rotations;
use crate::complex::Complex;

impl Evaluator {
    /// Rotates the values to the left by `steps` positions: position i gets the value of position i
    /// + `steps`.
    ///
    /// A step without a key is composed of the fewest steps that have keys, with one key switch
    /// each. If the values do not fill their slots, the result is [combined from two
    /// rotations](Self::roll), one level lower.
    /// level lower.
    ///
    /// # Errors
    /// [`EvaluationError::Key`] if keys are missing.
    pub fn rotate(&self, a: &Ciphertext, steps: i64) -> Result<Ciphertext, EvaluationError> {
        Ok(self.rotate_many(a, &[steps])?.remove(0))
    }

    /// The values rotated by each of these steps. The digit decomposition is computed once
    /// (hoisting).
    ///
    /// # Errors
    /// [`EvaluationError::Key`] if keys are missing.
    pub fn rotate_many(
        &self,
        a: &Ciphertext,
        steps: &[i64],
    ) -> Result<Vec<Ciphertext>, EvaluationError> {
        self.check_own(a)?;
        match a.length() == a.slots() {
            true => self.rotate_slots(a, steps),
            false => steps.iter().map(|by| self.roll(a, *by)).collect(),
        }
    }

    /// Returns the sum of all values in each position. Uses a level if the values do not fill their
    /// slots.
    ///
    /// # Errors
    /// [`EvaluationError`] if keys of [`sum_rotations`](crate::evaluator::inner_sum_rotations) over
    /// all slots are missing.
    pub fn sum(&self, a: &Ciphertext) -> Result<Ciphertext, EvaluationError> {
        self.check_own(a)?;
        match a.length() == a.slots() {
            true => self.sum_of_slots(a, a.slots(), 1),
            false => self.sum_of_part(a, a.length(), 1.0),
        }
    }

    /// Returns the mean of all values in each position, one level lower.
    ///
    /// # Errors
    /// As [`Self::sum`].
    pub fn mean(&self, a: &Ciphertext) -> Result<Ciphertext, EvaluationError> {
        self.check_own(a)?;
        let bound = a.bound();
        let mean = self.sum_of_part(a, a.length(), 1.0 / a.length() as f64)?;
        Ok(mean.bounded(bound))
    }

    /// Rotates the values to the left by `steps` positions; the first ones move behind the last.
    /// [`rotate`](Self::rotate) does the same. If the values do not fill their slots, this needs a
    /// level and the two rotations of [`roll_rotations`].
    ///
    /// # Errors
    /// [`EvaluationError::Key`] if keys are missing, and [`EvaluationError::Level`] at the lowest
    /// level.
    pub fn roll(&self, a: &Ciphertext, steps: i64) -> Result<Ciphertext, EvaluationError> {
        self.check_own(a)?;
        let (length, slots) = (a.length(), a.slots());
        let by = steps.rem_euclid(length as i64) as usize;
        if length == slots || by == 0 {
            return Ok(self.rotate_slots(a, &[by as i64])?.remove(0));
        }
        self.check_level(a.level())?;
        let rotated = self.rotate_slots(a, &roll_rotations(by as i64, length, slots))?;
        // Positions whose values move from the start to the end.
        let comes_around = |place: usize| (length - by..length).contains(&place);
        let [rest, around] = [false, true].map(|is_around| {
            let mask =
                (0..slots).map(|place| f64::from(u8::from(comes_around(place) == is_around)));
            self.masked(&rotated[usize::from(is_around)], mask.map(Complex::from).collect())
        });
        let rolled = self.rescale(&self.add(&rest?, &around?)?.bounded(a.bound()))?;
        Ok(rolled.with_length(length))
    }

    /// Returns a range of values as a separate vector. It is one level lower, unless the number of
    /// slots is the same.
    ///
    /// # Errors
    /// [`EvaluationError::Range`] for a range outside the vector, and [`EvaluationError::Key`] if a
    /// key for [`slice_rotations`] is missing.
    pub fn slice(
        &self,
        a: &Ciphertext,
        from: usize,
        to: usize,
    ) -> Result<Ciphertext, EvaluationError> {
        self.check_own(a)?;
        let (length, slots) = (a.length(), a.slots());
        if from >= to || to > length {
            return Err(EvaluationError::Range { from, to, length });
        }
        let count = to - from;
        let rotated = self.rotate_slots(a, &[from as i64])?.remove(0);
        let period = count.next_power_of_two();
        if period == slots {
            return Ok(rotated.with_length(count));
        }
        self.check_level(a.level())?;
        let mask = (0..slots).map(|place| f64::from(u8::from(place < period)));
        let masked = self.rescale(&self.masked(&rotated, mask.map(Complex::from).collect())?)?;
        let repeated = self.sum_of_slots(&masked, slots / period, period)?;
        Ok(repeated.seen_as(period).with_length(count).bounded(a.bound()))
    }

    /// Returns the sum of the first `count` values times a factor, one level lower.
    fn sum_of_part(
        &self,
        a: &Ciphertext,
        count: usize,
        factor: f64,
    ) -> Result<Ciphertext, EvaluationError> {
        self.check_level(a.level())?;
        let mask = (0..a.slots()).map(|place| if place < count { factor } else { 0.0 });
        let masked = self.rescale(&self.masked(a, mask.map(Complex::from).collect())?)?;
        let bound = a.bound().times(count as f64 * factor);
        let sum = self.sum_of_slots(&masked.bounded(a.bound()), a.slots(), 1)?;
        Ok(sum.bounded(bound).with_length(a.length()))
    }

    /// Returns the product with public numbers, one for each slot, on a scale that rescaling turns
    /// into the scale of the level below.
    fn masked(&self, a: &Ciphertext, mask: Vec<Complex>) -> Result<Ciphertext, EvaluationError> {
        let below = self.parameters.level(a.level() - 1).scale;
        let scale = below * self.step(a.level()) / a.scale();
        let basis = &self.parameters.level(a.level()).basis;
        let plaintext = self.encoder.encode_public(&mask, basis, scale)?;
        let whole = a.clone().with_length(a.slots());
        let product = self.mul_encoded(&whole, &plaintext)?;
        // The mask is real, although its plaintext is complex.
        Ok(product.assuming(a.bound().union(a.bound().times(0.0))))
    }
}

/// Returns the slot rotations for which [`Evaluator::slice`] needs keys.
pub fn slice_rotations(from: usize, to: usize, length: usize) -> Vec<i64> {
    let (slots, period) = (length.next_power_of_two(), to.saturating_sub(from).next_power_of_two());
    let first = Some(from as i64).filter(|by| *by != 0);
    first.into_iter().chain(inner_sum_rotations((slots / period).max(1), period)).collect()
}

/// Returns the slot rotations for which [`Evaluator::roll`] needs keys.
pub fn roll_rotations(steps: i64, length: usize, slots: usize) -> Vec<i64> {
    let by = steps.rem_euclid(length as i64);
    match by {
        0 => Vec::new(),
        _ if length == slots => vec![by],
        _ => vec![by, by - length as i64],
    }
}
