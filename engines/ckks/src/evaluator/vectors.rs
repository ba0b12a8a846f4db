// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Operations on a vector as a whole, whatever its length.
//!
//! Slots are a power of two, and a vector of another length leaves some that hold values within its
//! bound, but none of the vector's. What goes from place to place leaves them out by a mask, for a
//! level.

use super::ciphertext::Ciphertext;
use super::error::EvaluationError;
use super::evaluator::Evaluator;
use super::inner_sums::inner_sum_rotations;
use crate::complex::Complex;

impl Evaluator {
    /// The values rotated to the left by `steps` places: place i takes the value of place i +
    /// steps.
    ///
    /// Without a key for the step it is composed of the fewest for which there are keys, each a key
    /// switch. Where values do not fill their slots, it is [put together of two](Self::roll), a
    /// level lower.
    ///
    /// # Errors
    /// [`EvaluationError::Key`] without keys for it.
    pub fn rotate(&self, a: &Ciphertext, steps: i64) -> Result<Ciphertext, EvaluationError> {
        Ok(self.rotate_many(a, &[steps])?.remove(0))
    }

    /// The values rotated by each of these steps. The digit decomposition is computed once
    /// (hoisting).
    ///
    /// # Errors
    /// [`EvaluationError::Key`] without the keys for them.
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

    /// The sum of all values, in each place. Where they do not fill their slots it takes a level.
    ///
    /// # Errors
    /// [`EvaluationError`] without the keys of
    /// [`sum_rotations`](crate::evaluator::inner_sum_rotations) of all slots.
    pub fn sum(&self, a: &Ciphertext) -> Result<Ciphertext, EvaluationError> {
        self.check_own(a)?;
        match a.length() == a.slots() {
            true => self.sum_of_slots(a, a.slots(), 1),
            false => self.sum_of_part(a, a.length(), 1.0),
        }
    }

    /// The mean of all values, in each place, a level lower.
    ///
    /// # Errors
    /// As [`Self::sum`].
    pub fn mean(&self, a: &Ciphertext) -> Result<Ciphertext, EvaluationError> {
        self.check_own(a)?;
        let bound = a.bound();
        let mean = self.sum_of_part(a, a.length(), 1.0 / a.length() as f64)?;
        Ok(mean.bounded(bound))
    }

    /// The values rotated to the left by `steps` places, the first ones behind the last, as
    /// [`rotate`](Self::rotate) does. Where values do not fill their slots it takes a level and two
    /// rotations, by [`roll_rotations`].
    ///
    /// # Errors
    /// [`EvaluationError::Key`] without keys for them, [`EvaluationError::Level`] at the lowest
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
        // The first ones come from behind the last.
        let comes_around = |place: usize| (length - by..length).contains(&place);
        let [rest, around] = [false, true].map(|is_around| {
            let mask =
                (0..slots).map(|place| f64::from(u8::from(comes_around(place) == is_around)));
            self.masked(&rotated[usize::from(is_around)], mask.map(Complex::from).collect())
        });
        let rolled = self.rescale(&self.add(&rest?, &around?)?.bounded(a.bound()))?;
        Ok(rolled.with_length(length))
    }

    /// The values of a range of places as a separate vector. It is one level lower, unless the
    /// number of slots is the same.
    ///
    /// # Errors
    /// [`EvaluationError::Range`] for places that are not there, and where a key for
    /// [`slice_rotations`] is missing.
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

    /// The sum of the first values, times a factor, a level lower.
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

    /// The product with numbers that everybody knows, one for each slot, on a scale from which a
    /// rescaling leads to the level below's.
    fn masked(&self, a: &Ciphertext, mask: Vec<Complex>) -> Result<Ciphertext, EvaluationError> {
        let below = self.parameters.level(a.level() - 1).scale;
        let scale = below * self.step(a.level()) / a.scale();
        let basis = &self.parameters.level(a.level()).basis;
        let plaintext = self.encoder.encode_public(&mask, basis, scale)?;
        let whole = a.clone().with_length(a.slots());
        let product = self.mul_encoded(&whole, &plaintext)?;
        // Real numbers, though the plaintext does not say so.
        Ok(product.assuming(a.bound().union(a.bound().times(0.0))))
    }
}

/// The rotations of slots that [`Evaluator::slice`] needs keys for.
pub fn slice_rotations(from: usize, to: usize, length: usize) -> Vec<i64> {
    let (slots, period) = (length.next_power_of_two(), to.saturating_sub(from).next_power_of_two());
    let first = Some(from as i64).filter(|by| *by != 0);
    first.into_iter().chain(inner_sum_rotations((slots / period).max(1), period)).collect()
}

/// The rotations of slots that [`Evaluator::roll`] needs keys for.
pub fn roll_rotations(steps: i64, length: usize, slots: usize) -> Vec<i64> {
    let by = steps.rem_euclid(length as i64);
    match by {
        0 => Vec::new(),
        _ if length == slots => vec![by],
        _ => vec![by, by - length as i64],
    }
}
