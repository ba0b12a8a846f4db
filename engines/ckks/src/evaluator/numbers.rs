// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sums and products with numbers: one Gaussian integer for each prime, without encoding a vector.

use super::ciphertext::Ciphertext;
use super::error::EvaluationError;
use super::evaluator::Evaluator;
use super::metadata::PlainOperand;
use crate::complex::Complex;
use crate::encoding::{number_text, EncodingError};
use crate::estimate::{Bound, Origin};
use crate::params::Scale;
use crate::ring::{Basis, Gaussian, Modulus, Polynomial};

/// The Gaussian integer that represents a number on a scale.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Number {
    re: i128,
    im: i128,
    /// The bound of the number.
    bound: Bound,
    /// `true` if the number is public.
    is_public: bool,
    /// The largest possible rounding error.
    error: f64,
}

impl Number {
    /// The number modulo a prime.
    pub fn modulo(self, modulus: Modulus) -> Gaussian {
        [self.re, self.im].map(|part| part.rem_euclid(i128::from(modulus.value())) as u32)
    }

    /// The number as a plain operand.
    pub fn operand(self) -> PlainOperand {
        let origin = match self.is_public {
            true => Origin::wide_integer(self.re) + Origin::wide_integer(self.im).by_i(),
            false => Origin::ANY,
        };
        PlainOperand { bound: self.bound, error: self.error, origin }
    }

    /// Sets a declared bound. If it is not the bound of exactly this number, the number is kept out
    /// of all metadata.
    fn declared(self, bound: Bound) -> Self {
        let is_public = self.is_public && self.bound == bound;
        Self { bound, is_public, ..self }
    }
}

impl Evaluator {
    /// a · a number, one level lower, on the scale of that level. The number counts as part of the
    /// circuit: the bound of the result depends on it.
    ///
    /// # Errors
    /// [`EvaluationError`] at the lowest level, and if the number is not finite or too large.
    pub fn mul_number(
        &self,
        a: &Ciphertext,
        number: Complex,
    ) -> Result<Ciphertext, EvaluationError> {
        self.check_own(a)?;
        self.check_level(a.level())?;
        self.mul_number_to(a, number, self.parameters.level(a.level() - 1).scale)
    }

    /// a · a number, one level lower, on any scale.
    ///
    /// # Errors
    /// As [`Self::mul_number`].
    pub fn mul_number_to(
        &self,
        a: &Ciphertext,
        number: Complex,
        scale: Scale,
    ) -> Result<Ciphertext, EvaluationError> {
        self.check_own(a)?;
        self.check_level(a.level())?;
        self.mul_within(a, number, Bound::of_number(number), scale)
    }

    /// a · a number within a bound, one level lower, on any scale.
    pub(super) fn mul_within(
        &self,
        a: &Ciphertext,
        number: Complex,
        bound: Bound,
        scale: Scale,
    ) -> Result<Ciphertext, EvaluationError> {
        let factor = scale * self.step(a.level()) / a.scale();
        let basis = &self.parameters.level(a.level()).basis;
        let number = self.number(number, factor, basis)?.declared(bound);
        let ring = self.parameters.ring();
        let parts = a.parts().map(|part| ring.combine(basis, &[part], |_, q| number.modulo(q)));
        let metadata = a.metadata().times_plain(&number.operand(), factor);
        self.rescale(&a.with_parts(parts, metadata))
    }

    /// a · an integer, at the same level and on the same scale.
    ///
    /// # Errors
    /// [`EvaluationError`] for a ciphertext of other parameters or another key, and if the level
    /// has no room for the product.
    pub fn mul_integer(&self, a: &Ciphertext, integer: i64) -> Result<Ciphertext, EvaluationError> {
        self.check_own(a)?;
        self.fitting(self.times(a, integer))
    }

    /// Like [`Self::mul_integer`], without a check.
    pub(crate) fn times(&self, a: &Ciphertext, integer: i64) -> Ciphertext {
        let metadata = a.metadata().clone().times_integer(integer);
        let ring = self.parameters.ring();
        let scale = |part: &mut Polynomial| {
            ring.scale(part, |modulus| modulus.reduce_signed(integer));
        };
        a.clone().updated(metadata, |parts| parts.iter_mut().for_each(scale))
    }

    /// a · i, at the same level and on the same scale: X^(N/2) is i in every slot.
    ///
    /// # Errors
    /// [`EvaluationError`] for a ciphertext of other parameters or another key.
    pub fn mul_by_i(&self, a: &Ciphertext) -> Result<Ciphertext, EvaluationError> {
        self.check_own(a)?;
        let (ring, basis) = (self.parameters.ring(), &self.parameters.level(a.level()).basis);
        let parts = a.parts().map(|part| ring.combine(basis, &[part], |_, _| [0, 1]));
        Ok(a.with_parts(parts, a.metadata().clone().times_i()))
    }

    /// a + a number.
    ///
    /// # Errors
    /// [`EvaluationError`] if the number is not finite or too large.
    pub fn add_number(
        &self,
        a: &Ciphertext,
        number: Complex,
    ) -> Result<Ciphertext, EvaluationError> {
        self.check_own(a)?;
        self.add_within(a, number, Bound::of_number(number))
    }

    /// a + a number within a bound.
    pub(super) fn add_within(
        &self,
        a: &Ciphertext,
        number: Complex,
        bound: Bound,
    ) -> Result<Ciphertext, EvaluationError> {
        let basis = &self.parameters.level(a.level()).basis;
        let number = self.number(number, a.scale(), basis)?.declared(bound);
        let metadata = a.metadata().clone().plus_plain(&number.operand());
        let ring = self.parameters.ring();
        let add = |[first, _]: &mut [Polynomial; 2]| {
            ring.add_number(first, |modulus| number.modulo(modulus));
        };
        self.fitting(a.clone().updated(metadata, add))
    }

    /// A number on a scale.
    pub(crate) fn number(
        &self,
        value: Complex,
        scale: Scale,
        basis: &Basis,
    ) -> Result<Number, EvaluationError> {
        if !value.is_finite() {
            let value = number_text(value);
            return Err(EncodingError::NotFinite { index: 0, value }.into());
        }
        let limit = self.parameters.chain().modulus(basis).log2();
        let got = value.abs().log2() + scale.log2() + 1.0;
        let too_large = EncodingError::TooLarge { got, limit, scale };
        if got.is_nan() || got > limit {
            return Err(too_large.into());
        }
        let part = |part: f64| match Scale::new(part.abs()) {
            Some(size) => (size * scale).nearest_integer().map(|n| if part < 0.0 { -n } else { n }),
            None => Some(0),
        };
        let (re, im) = part(value.re).zip(part(value.im)).ok_or(too_large)?;
        // Both parts are rounded to integers. A double itself has at most 53 bits.
        let error = (Scale::exp2(-0.5) / scale).value();
        Ok(Number { re, im, bound: Bound::of_number(value), is_public: true, error })
    }
}
