// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sums and differences.

use super::ciphertext::Ciphertext;
use super::error::EvaluationError;
use super::evaluator::Evaluator;
use super::metadata::PlainOperand;
use crate::encoding::Values;
use crate::ring::Polynomial;

impl Evaluator {
    /// a + b.
    ///
    /// # Errors
    /// [`EvaluationError`] for vectors of different lengths or owners, for scales that cannot be
    /// aligned, and for sums that do not fit the level.
    pub fn add(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext, EvaluationError> {
        if std::ptr::eq(a, b) {
            return self.mul_integer(a, 2);
        }
        let (a, b) = self.aligned(a, b)?;
        let metadata = a.metadata().sum(b.metadata());
        let ring = self.parameters.ring();
        let add = |parts: &mut [Polynomial; 2]| {
            parts.iter_mut().zip(b.parts()).for_each(|(a, b)| ring.add(a, b));
        };
        self.fitting(a.into_owned().updated(metadata, add))
    }

    /// a − b.
    ///
    /// # Errors
    /// As [`Self::add`].
    pub fn sub(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext, EvaluationError> {
        let (a, b) = self.aligned(a, b)?;
        let metadata = a.metadata().difference(b.metadata());
        let ring = self.parameters.ring();
        let subtract = |parts: &mut [Polynomial; 2]| {
            parts.iter_mut().zip(b.parts()).for_each(|(a, b)| ring.sub(a, b));
        };
        self.fitting(a.into_owned().updated(metadata, subtract))
    }

    /// −a.
    ///
    /// # Errors
    /// [`EvaluationError`] for a ciphertext of other parameters or another key.
    pub fn neg(&self, a: &Ciphertext) -> Result<Ciphertext, EvaluationError> {
        self.check_own(a)?;
        let metadata = a.metadata().clone().negative();
        let negate = |part: &mut Polynomial| self.parameters.ring().neg(part);
        Ok(a.clone().updated(metadata, |parts| parts.iter_mut().for_each(negate)))
    }

    /// a + a plain vector. A single number is used for every slot.
    ///
    /// # Errors
    /// [`EvaluationError`] for a vector of another length, and for values that cannot be encoded.
    pub fn add_plain<'v>(
        &self,
        a: &Ciphertext,
        values: impl Into<Values<'v>>,
    ) -> Result<Ciphertext, EvaluationError> {
        self.add_values(a, &values.into())
    }

    /// Like [`Self::add_plain`], compiled once for all types of vectors.
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
        let basis = &self.parameters.level(a.level()).basis;
        let plaintext = self.encoder.encode_in(values, basis, a.scale())?;
        let operand = PlainOperand::of_plaintext(&plaintext, a.slots());
        let metadata = a.metadata().clone().plus_plain(&operand);
        let ring = self.parameters.ring();
        let add = |[first, _]: &mut [Polynomial; 2]| ring.add(first, plaintext.polynomial());
        self.fitting(a.clone().updated(metadata, add))
    }
}
