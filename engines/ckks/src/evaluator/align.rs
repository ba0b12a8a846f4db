// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Alignment of levels and scales.

use std::borrow::Cow;

use super::ciphertext::Ciphertext;
use super::error::EvaluationError;
use super::evaluator::Evaluator;
use super::metadata::check_room;
use crate::encoding::Values;
use crate::params::Scale;
use crate::ring::{Basis, Finish, MAX_SOURCES};

/// Scales with a smaller relative difference count as equal: it is below the errors of a
/// ciphertext.
pub(crate) const SAME_SCALE: f64 = 1e-9;
/// The number of bits of an alignment's factor, if the primes to be removed have that many.
const FACTOR_BITS: f64 = 34.0;
/// The number of bits by which the factor may be smaller than the scale. The bits of a ciphertext's
/// errors are more than twice this number.
const FACTOR_SLACK: f64 = 4.0;

impl Evaluator {
    /// Returns the ciphertext at a lower level, with that level's scale.
    ///
    /// # Errors
    /// [`EvaluationError::Level`] if `level` is above the level of `a`.
    pub fn at_level(&self, a: &Ciphertext, level: usize) -> Result<Ciphertext, EvaluationError> {
        self.check_own(a)?;
        let highest = self.parameters.top();
        if level > highest {
            let what = "bringing it to a higher level";
            return Err(EvaluationError::Level { what, got: a.level(), needed: level });
        }
        let scale = self.parameters.level(level).scale;
        check_room(&self.parameters, level, scale, a.bound())?;
        self.at_scale(a, level, scale)
    }

    /// Returns the ciphertext at a lower level, with any scale.
    ///
    /// # Errors
    /// [`EvaluationError::Level`] if `level` is above the level of `a`, [`EvaluationError::Scale`]
    /// or [`EvaluationError::Reach`] if the scale cannot be reached, and [`EvaluationError::Room`]
    /// if it leaves no room for the values.
    pub fn at_scale(
        &self,
        a: &Ciphertext,
        level: usize,
        scale: Scale,
    ) -> Result<Ciphertext, EvaluationError> {
        self.check_own(a)?;
        if level > a.level() {
            let what = "bringing it to a higher level";
            return Err(EvaluationError::Level { what, got: a.level(), needed: level });
        }
        let target = self.parameters.level(level);
        if a.scale().deviation(scale).abs() < SAME_SCALE && a.level() == level {
            return Ok(a.clone());
        }
        // Divide by primes that the lower level lacks, but only by as many as are needed for a
        // precise factor.
        let chain = self.parameters.chain();
        let from = &self.parameters.level(a.level()).basis;
        let kept = from.common(&target.basis);
        let added = target.basis.without(&kept);
        let surplus = from.without(&target.basis);
        let ratio = (scale / a.scale()).log2();
        let bits = |count: usize| {
            let removed = first(&surplus, count);
            (chain.modulus(&removed) / chain.modulus(&added)).log2() + ratio
        };
        let enough = scale.log2() - FACTOR_SLACK;
        let (least, wanted) = (enough.min(FACTOR_BITS), enough.max(FACTOR_BITS));
        let out_of_reach = match a.scale().deviation(scale).abs() < SAME_SCALE {
            true => EvaluationError::Reach { scale, from: a.level(), to: level },
            false => EvaluationError::Scale { left: a.scale(), right: scale },
        };
        let count = (1..surplus.len()).find(|count| bits(*count) > wanted).unwrap_or(surplus.len());
        if count == 0 || count > MAX_SOURCES || bits(count) <= least {
            return Err(out_of_reach);
        }
        let removed = first(&surplus, count);
        let divisor = chain.modulus(&removed) / chain.modulus(&added);
        let factor = (scale / a.scale() * divisor).nearest_integer().ok_or(out_of_reach)?;
        let ring = self.parameters.ring();
        let basis = kept.union(&removed);
        let parts = a.parts().map(|part| {
            let mut part = ring.restrict(part, &basis);
            ring.scale(&mut part, |modulus| factor.rem_euclid(i128::from(modulus.value())) as u32);
            part
        });
        let parts = ring.divide_all([&parts[0], &parts[1]], &removed, &added, &Finish::NOTHING);
        // The rounding of the factor adds to the error.
        let metadata = a.metadata().clone().on_scale(level, scale, factor, &self.parameters);
        self.fitting(a.with_parts(parts, metadata))
    }

    /// Rescales: returns the ciphertext one level lower, with its scale divided by the removed
    /// primes.
    ///
    /// # Errors
    /// [`EvaluationError::Level`] at the lowest level.
    pub fn rescale(&self, a: &Ciphertext) -> Result<Ciphertext, EvaluationError> {
        self.check_own(a)?;
        if a.level() == 0 {
            return Err(EvaluationError::Level { what: "rescaling", got: 0, needed: 1 });
        }
        let (removed, added) = self.step_down(a.level());
        let ring = self.parameters.ring();
        let parts = ring.divide_all(a.parts(), &removed, &added, &Finish::NOTHING);
        let metadata = a.metadata().clone().rescaled(&self.parameters);
        self.fitting(a.with_parts(parts, metadata))
    }

    /// Returns both operands at the lower of their levels, with its scale. Copies only operands
    /// that change.
    pub(crate) fn aligned<'a>(
        &self,
        a: &'a Ciphertext,
        b: &'a Ciphertext,
    ) -> Result<(Cow<'a, Ciphertext>, Cow<'a, Ciphertext>), EvaluationError> {
        self.check_own(a)?;
        self.check_own(b)?;
        b.check_owner(a.owner())?;
        a.check_length(b)?;
        if a.level() == b.level() && a.scale().deviation(b.scale()).abs() < SAME_SCALE {
            return Ok((Cow::Borrowed(a), Cow::Borrowed(b)));
        }
        let level = a.level().min(b.level());
        Ok((Cow::Owned(self.at_level(a, level)?), Cow::Owned(self.at_level(b, level)?)))
    }

    /// Checks that a ciphertext has the parameters of the evaluator and the secret key of its keys.
    pub(crate) fn check_own(&self, a: &Ciphertext) -> Result<(), EvaluationError> {
        a.check_parameters(&self.parameters)?;
        self.keys.owner().map_or(Ok(()), |owner| a.check_owner(owner))
    }

    /// Checks that the ciphertext has a level left for a product.
    pub(crate) fn check_level(&self, got: usize) -> Result<(), EvaluationError> {
        if got == 0 {
            return Err(EvaluationError::Level { what: "a product", got, needed: 1 });
        }
        Ok(())
    }

    /// Checks that `values` has one value, or one for each value of the ciphertext.
    pub(super) fn check_values(
        &self,
        a: &Ciphertext,
        values: &Values<'_>,
    ) -> Result<(), EvaluationError> {
        self.check_own(a)?;
        let right = values.values().len();
        if right != a.length() && right != 1 {
            return Err(EvaluationError::Length { left: a.length(), right });
        }
        Ok(())
    }

    /// Returns the result if its level has room for it.
    pub(crate) fn fitting(&self, a: Ciphertext) -> Result<Ciphertext, EvaluationError> {
        a.metadata().check_room(&self.parameters)?;
        Ok(a)
    }

    /// Returns the primes that only this level has, and those that only the level below has.
    pub(crate) fn step_down(&self, level: usize) -> (Basis, Basis) {
        let [above, below] = [level, level - 1].map(|level| &self.parameters.level(level).basis);
        (above.without(below), below.without(above))
    }

    /// The divisor of a step from `level` to the level below.
    pub(crate) fn step(&self, level: usize) -> Scale {
        self.parameters.level(level).modulus / self.parameters.level(level - 1).modulus
    }
}

fn first(basis: &Basis, count: usize) -> Basis {
    Basis::new(basis.places()[..count].iter().copied())
}
