// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Arithmetic in which the caller does each rescaling and each relinearization.

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
/// The same ciphertexts as the evaluator's own, and its keys; negatives, rotations and conjugates,
/// which change neither level nor scale, are the evaluator's.
///
/// It pays where several products are summed before one relinearization and one rescaling, and
/// where a scale is to be anything but its level's.
#[derive(Clone, Copy)]
pub struct Explicit<'a> {
    evaluator: &'a Evaluator,
}

impl Evaluator {
    /// The interface in which the caller does each rescaling.
    pub fn explicit(&self) -> Explicit<'_> {
        Explicit { evaluator: self }
    }
}

impl Explicit<'_> {
    /// a + b.
    ///
    /// # Errors
    /// [`EvaluationError::Levels`], [`EvaluationError::Scale`] and [`EvaluationError::Slots`] where
    /// they are not the same.
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

    /// a · b at their level, on the product of their scales.
    ///
    /// # Errors
    /// [`EvaluationError`] for different levels or lengths, where the product's scale leaves no
    /// room in the level's modulus, and without the key.
    pub fn mul(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext, EvaluationError> {
        self.evaluator.relinearization_key(a.level().min(b.level()))?;
        self.relinearize(&self.mul_degree2(a, b)?)
    }

    /// a · b as a ciphertext of degree 2 (three parts), to be relinearized later.
    ///
    /// # Errors
    /// [`EvaluationError`] for different levels or lengths, and where the product's scale leaves no
    /// room in the level's modulus.
    pub fn mul_degree2(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Degree2, EvaluationError> {
        self.check_factors(a, b)?;
        Ok(Degree2::product(&self.evaluator.parameters, a, b))
    }

    /// A ciphertext of degree 2 plus a · b.
    ///
    /// # Errors
    /// As [`Self::mul_degree2`], and where the scales' product is not the sum's scale.
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

    /// Relinearizes a ciphertext of degree 2, at the same level and scale: one key switch.
    ///
    /// # Errors
    /// [`EvaluationError::Key`] and [`EvaluationError::KeyLevel`] without the key for products.
    pub fn relinearize(&self, product: &Degree2) -> Result<Ciphertext, EvaluationError> {
        let evaluator = self.evaluator;
        let level = product.level();
        let key = evaluator.relinearization_key(level)?;
        let [first, second, square] = product.parts();
        let switched = key.switch_lazily(square, &Finish::NOTHING);
        let finish = Finish { added: [Some(first), Some(second)], ..Finish::NOTHING };
        let parts = key.divided(&switched, &finish);
        let metadata = product.relinearized(&evaluator.parameters);
        evaluator.fitting(Ciphertext::new(parts, metadata))
    }

    /// a · a vector that is not encrypted, encoded on a scale: at a's level, on the product of the
    /// scales.
    ///
    /// # Errors
    /// [`EvaluationError`] for a vector of another length, for what cannot be encoded, and where
    /// the product's scale leaves no room in the level's modulus.
    pub fn mul_plain<'v>(
        &self,
        a: &Ciphertext,
        values: impl Into<Values<'v>>,
        scale: Scale,
    ) -> Result<Ciphertext, EvaluationError> {
        self.mul_values(a, &values.into(), scale)
    }

    /// [`Self::mul_plain`], compiled once for all types of vectors.
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

    /// a + a vector that is not encrypted, encoded on a's scale.
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

    /// Rescaling: one level lower, the scale divided by the primes removed.
    ///
    /// # Errors
    /// [`EvaluationError::Level`] at the lowest level.
    pub fn rescale(&self, a: &Ciphertext) -> Result<Ciphertext, EvaluationError> {
        self.evaluator.rescale(a)
    }

    /// At a lower level, on the same scale. A level whose primes are all among a's is reached by
    /// leaving out the others, which costs nothing; others by a division.
    ///
    /// # Errors
    /// [`EvaluationError::Level`] for a higher level than it has, and [`EvaluationError::Scale`]
    /// where the scale leaves no room in the level's modulus.
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

    /// That ciphertexts can be multiplied as they are.
    fn check_factors(&self, a: &Ciphertext, b: &Ciphertext) -> Result<(), EvaluationError> {
        self.evaluator.check_own(a)?;
        self.evaluator.check_own(b)?;
        b.check_owner(a.owner())?;
        check_levels(a.level(), b.level())?;
        a.check_length(b)?;
        self.check_room(a, b.scale(), b.bound())
    }

    /// That the modulus of a's level has room for its product with values on a scale.
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
