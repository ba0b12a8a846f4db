// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Arithmetic with explicit rescaling and relinearization.

use super::align::SAME_SCALE;
use super::ciphertext::Ciphertext;
use super::degree2::Degree2;
use super::error::EvaluationError;
use super::evaluator::Evaluator;
use super::metadata::check_room;
use crate::encoding::Values;
use crate::estimate::Bound;
use crate::params::Scale;
use crate::ring::Finish;

/// An evaluator that never rescales, relinearizes or aligns by itself. A product keeps the level,
/// and its scale is the product of the scales. Operands of different levels or scales are errors.
/// It uses the same ciphertexts and keys as [`Evaluator`]. For negation, rotations and conjugation,
/// which change neither level nor scale, use the [`Evaluator`].
///
/// It is useful if several products are added before one relinearization and one rescaling, or if a
/// scale must differ from that of its level.
#[derive(Clone, Copy)]
pub struct Explicit<'a> {
    evaluator: &'a Evaluator,
}

impl Evaluator {
    /// Returns the interface with explicit rescaling.
    pub fn explicit(&self) -> Explicit<'_> {
        Explicit { evaluator: self }
    }
}

impl Explicit<'_> {
    /// a + b.
    ///
    /// # Errors
    /// [`EvaluationError::Levels`], [`EvaluationError::Scale`] or [`EvaluationError::Slots`] if the
    /// operands differ in level, scale or slots.
    pub fn add(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext, EvaluationError> {
        check_same(a, b)?;
        self.evaluator.add(a, b)
    }

    /// a − b.
    ///
    /// # Errors
    /// As [`Self::add`].
    pub fn sub(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext, EvaluationError> {
        check_same(a, b)?;
        self.evaluator.sub(a, b)
    }

    /// a · b at the level of both, on the product of their scales.
    ///
    /// # Errors
    /// [`EvaluationError`] if levels or lengths differ, if the scale of the product leaves no room
    /// in the modulus of the level, or if the key is missing.
    pub fn mul(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext, EvaluationError> {
        self.evaluator.relinearization_key(a.level().min(b.level()))?;
        self.relinearize(&self.mul_degree2(a, b)?)
    }

    /// a · b as a ciphertext of degree 2 (three parts), to be relinearized later.
    ///
    /// # Errors
    /// [`EvaluationError`] if levels or lengths differ, or if the scale of the product leaves no
    /// room in the modulus of the level.
    pub fn mul_degree2(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Degree2, EvaluationError> {
        self.check_factors(a, b)?;
        Ok(Degree2::product(&self.evaluator.parameters, a, b))
    }

    /// A ciphertext of degree 2 plus a · b.
    ///
    /// # Errors
    /// As [`Self::mul_degree2`], and if the product of the scales is not the scale of the sum.
    pub fn mul_add_degree2(
        &self,
        mut sum: Degree2,
        a: &Ciphertext,
        b: &Ciphertext,
    ) -> Result<Degree2, EvaluationError> {
        self.check_factors(a, b)?;
        check_levels(sum.level(), a.level())?;
        sum.check_goes_with(a)?;
        check_scales(sum.scale(), a.scale() * b.scale())?;
        sum.add_product(&self.evaluator.parameters, a, b);
        sum.check_room(&self.evaluator.parameters)?;
        Ok(sum)
    }

    /// Relinearizes a ciphertext of degree 2 with one key switch, at the same level and scale.
    ///
    /// # Errors
    /// [`EvaluationError::Key`] or [`EvaluationError::KeyLevel`] if the key for products is missing
    /// or too low.
    pub fn relinearize(&self, product: &Degree2) -> Result<Ciphertext, EvaluationError> {
        let evaluator = self.evaluator;
        let level = product.level();
        let key = evaluator.relinearization_key(level)?;
        let [first, second, square] = product.parts();
        let switched = key.gadget_product(square, &Finish::NOTHING);
        let finish = Finish { added: [Some(first), Some(second)], ..Finish::NOTHING };
        let parts = key.mod_down(&switched, &finish);
        let metadata = product.relinearized(&evaluator.parameters);
        evaluator.fitting(Ciphertext::new(parts, metadata))
    }

    /// a · a plain vector, encoded on `scale`. The result is at the level of `a`, on the product of
    /// the scales.
    ///
    /// # Errors
    /// [`EvaluationError`] if lengths differ, if the vector cannot be encoded, or if the scale of
    /// the product leaves no room in the modulus of the level.
    pub fn mul_plain<'v>(
        &self,
        a: &Ciphertext,
        values: impl Into<Values<'v>>,
        scale: Scale,
    ) -> Result<Ciphertext, EvaluationError> {
        self.mul_values(a, &values.into(), scale)
    }

    /// Like [`Self::mul_plain`], compiled once for all types of vectors.
    fn mul_values(
        &self,
        a: &Ciphertext,
        values: &Values<'_>,
        scale: Scale,
    ) -> Result<Ciphertext, EvaluationError> {
        self.evaluator.check_values(a, values)?;
        let basis = &self.evaluator.parameters.level(a.level()).basis;
        let plaintext = self.evaluator.encoder.encode_in(values, basis, scale)?;
        self.check_room(a, scale, plaintext.bound())?;
        self.evaluator.mul_encoded(a, &plaintext)
    }

    /// a + a plain vector, encoded on the scale of `a`.
    ///
    /// # Errors
    /// As [`Evaluator::add_plain`].
    pub fn add_plain<'v>(
        &self,
        a: &Ciphertext,
        values: impl Into<Values<'v>>,
    ) -> Result<Ciphertext, EvaluationError> {
        self.evaluator.add_plain(a, values)
    }

    /// Rescales: returns the ciphertext one level lower, with its scale divided by the removed
    /// primes.
    ///
    /// # Errors
    /// [`EvaluationError::Level`] at the lowest level.
    pub fn rescale(&self, a: &Ciphertext) -> Result<Ciphertext, EvaluationError> {
        self.evaluator.rescale(a)
    }

    /// Returns the ciphertext at a lower level, on the same scale. This is free if `a` has all
    /// primes of that level, and otherwise needs a division.
    ///
    /// # Errors
    /// [`EvaluationError::Level`] if `level` is above the level of `a`, and
    /// [`EvaluationError::Scale`] if the scale leaves no room in the modulus of the level.
    pub fn drop_to_level(
        &self,
        a: &Ciphertext,
        level: usize,
    ) -> Result<Ciphertext, EvaluationError> {
        let parameters = &self.evaluator.parameters;
        if level > a.level() {
            let what = "bringing it to a higher level";
            return Err(EvaluationError::Level { what, got: a.level(), needed: level });
        }
        let (from, to) = (parameters.level(a.level()), parameters.level(level));
        self.evaluator.check_own(a)?;
        check_room(parameters, level, a.scale(), a.bound())?;
        if !from.basis.contains(&to.basis) {
            return self.evaluator.at_scale(a, level, a.scale());
        }
        let parts = a.parts().map(|part| parameters.ring().restrict(part, &to.basis));
        Ok(a.with_parts(parts, a.metadata().clone().dropped(level)))
    }

    /// Checks that ciphertexts can be multiplied without alignment.
    fn check_factors(&self, a: &Ciphertext, b: &Ciphertext) -> Result<(), EvaluationError> {
        self.evaluator.check_own(a)?;
        self.evaluator.check_own(b)?;
        b.check_owner(a.owner())?;
        check_levels(a.level(), b.level())?;
        a.check_length(b)?;
        self.check_room(a, b.scale(), b.bound())
    }

    /// Checks that the modulus of the level of `a` has room for its product with values on a scale.
    fn check_room(
        &self,
        a: &Ciphertext,
        scale: Scale,
        bound: Bound,
    ) -> Result<(), EvaluationError> {
        let parameters = &self.evaluator.parameters;
        check_room(parameters, a.level(), a.scale() * scale, a.bound().product(bound))
    }
}

fn check_same(a: &Ciphertext, b: &Ciphertext) -> Result<(), EvaluationError> {
    a.check_length(b)?;
    check_levels(a.level(), b.level())?;
    check_scales(a.scale(), b.scale())
}

fn check_levels(left: usize, right: usize) -> Result<(), EvaluationError> {
    if left != right {
        return Err(EvaluationError::Levels { left, right, lower: left.min(right) });
    }
    Ok(())
}

fn check_scales(left: Scale, right: Scale) -> Result<(), EvaluationError> {
    if left.deviation(right).abs() > SAME_SCALE {
        return Err(EvaluationError::Scale { left, right });
    }
    Ok(())
}
