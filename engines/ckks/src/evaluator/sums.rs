// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sums and differences.

use super::{EvaluationError, Server};
use crate::ciphertext::Ciphertext;
use crate::encoding::Values;
use crate::estimate::{Bound, Origin};
use crate::params::{double_error, integer_error};

impl Server {
    /// a + b.
    ///
    /// # Errors
    /// [`EvaluationError`] for vectors of different lengths or owners, for scales that cannot be aligned, and for
    /// sums that the level has no room for.
    pub fn add(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext, EvaluationError> {
        if std::ptr::eq(a, b) {
            return self.mul_integer(a, 2);
        }
        let (a, b) = self.aligned(a, b)?;
        let mut sum = combined(a.into_owned(), &b, b.bound, b.origins);
        for (a, b) in sum.parts.iter_mut().zip(&b.parts) {
            self.parameters.ring().add(a, b);
        }
        self.fitting(sum)
    }

    /// a − b.
    ///
    /// # Errors
    /// As [`Self::add`].
    pub fn sub(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext, EvaluationError> {
        let (a, b) = self.aligned(a, b)?;
        let negative = b.origins.map(std::ops::Neg::neg);
        let mut difference = combined(a.into_owned(), &b, b.bound.negative(), negative);
        for (a, b) in difference.parts.iter_mut().zip(&b.parts) {
            self.parameters.ring().sub(a, b);
        }
        self.fitting(difference)
    }

    /// −a.
    ///
    /// # Errors
    /// [`EvaluationError`] for a ciphertext of others.
    pub fn neg(&self, a: &Ciphertext) -> Result<Ciphertext, EvaluationError> {
        self.check_own(a)?;
        let mut a = a.clone();
        for part in &mut a.parts {
            self.parameters.ring().neg(part);
        }
        a.bound = a.bound.negative();
        a.origins = a.origins.map(std::ops::Neg::neg);
        Ok(a)
    }

    /// a + a vector that is not encrypted; one number stands for as many as there are slots.
    ///
    /// # Errors
    /// [`EvaluationError`] for a vector of another length and for what cannot be encoded.
    pub fn add_plain<'v>(
        &self,
        a: &Ciphertext,
        values: impl Into<Values<'v>>,
    ) -> Result<Ciphertext, EvaluationError> {
        self.add_values(a, &values.into())
    }

    /// [`Self::add_plain`], compiled once for all types of vectors.
    fn add_values(
        &self,
        a: &Ciphertext,
        values: &Values<'_>,
    ) -> Result<Ciphertext, EvaluationError> {
        if let Some((number, bound)) = values.number()? {
            self.check_own(a)?;
            return self.add_within(a, number, bound);
        }
        self.check_values(a, values)?;
        let basis = &self.parameters.level(a.level).basis;
        let plaintext = self.encoder.encode_in(values, basis, a.scale)?;
        let mut a = a.clone();
        self.parameters.ring().add(&mut a.parts[0], plaintext.polynomial());
        let error = integer_error(a.scale, a.slots);
        a.noise = a.noise.with_rest(error + double_error(plaintext.bound.magnitude(), a.slots));
        a.bound = a.bound.sum(plaintext.bound);
        a.origins[0] = a.origins[0] + plaintext.origin;
        self.fitting(a)
    }

    /// That there are as many values as a ciphertext has, or one.
    pub(super) fn check_values(
        &self,
        a: &Ciphertext,
        values: &Values<'_>,
    ) -> Result<(), EvaluationError> {
        self.check_own(a)?;
        let right = values.values().len();
        if right != a.length && right != 1 {
            return Err(EvaluationError::Length { left: a.length, right });
        }
        Ok(())
    }
}

/// What is known of a sum of a and b, or of a difference, but for its parts.
fn combined(a: Ciphertext, b: &Ciphertext, bound: Bound, origins: [Origin; 2]) -> Ciphertext {
    // Scales that are as good as the same.
    let off = a.scale.deviation(b.scale).abs() * b.bound.magnitude();
    let noise = a.noise.sum(&b.noise).with_rest(off);
    let origins = [a.origins[0] + origins[0], a.origins[1] + origins[1]];
    Ciphertext { noise, bound: a.bound.sum(bound), origins, ..a }
}
