// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sums and differences.

use super::{EvaluationError, Server};
use crate::ciphertext::Ciphertext;
use crate::encoding::Complex;
use crate::estimate::Estimate;

impl Server {
    /// a + b.
    ///
    /// # Errors
    /// [`EvaluationError`] for vectors of different lengths and for scales that cannot be aligned.
    pub fn add(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext, EvaluationError> {
        if std::ptr::eq(a, b) {
            self.check_own(a)?;
            return self.mul_integer(a, 2);
        }
        let (a, b) = self.aligned(a, b)?;
        let mut a = a.into_owned();
        for (a, b) in a.parts.iter_mut().zip(&b.parts) {
            self.parameters.ring().add(a, b);
        }
        a.estimate = a.estimate.sum(b.estimate);
        Ok(a)
    }

    /// a − b.
    ///
    /// # Errors
    /// As [`Self::add`].
    pub fn sub(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext, EvaluationError> {
        let (a, b) = self.aligned(a, b)?;
        let mut a = a.into_owned();
        for (a, b) in a.parts.iter_mut().zip(&b.parts) {
            self.parameters.ring().sub(a, b);
        }
        a.estimate = a.estimate.sum(b.estimate);
        Ok(a)
    }

    /// −a.
    ///
    /// # Errors
    /// [`EvaluationError::Parameters`].
    pub fn neg(&self, a: &Ciphertext) -> Result<Ciphertext, EvaluationError> {
        self.check_own(a)?;
        let mut a = a.clone();
        for part in &mut a.parts {
            self.parameters.ring().neg(part);
        }
        Ok(a)
    }

    /// a + a vector that is not encrypted; one number stands for as many as there are slots.
    ///
    /// # Errors
    /// [`EvaluationError`] for a vector of another length and for what cannot be encoded.
    pub fn add_plain(
        &self,
        a: &Ciphertext,
        values: &[Complex],
    ) -> Result<Ciphertext, EvaluationError> {
        if let [number] = values {
            return self.add_number(a, *number);
        }
        self.check_length(a, values)?;
        let basis = &self.parameters.level(a.level).basis;
        let plaintext = self.encoder.encode_in(values, basis, a.scale)?;
        let mut a = a.clone();
        self.parameters.ring().add(&mut a.parts[0], plaintext.polynomial());
        let by = Estimate::encoded(&self.parameters, plaintext.magnitude, a.scale);
        a.estimate = a.estimate.sum(by);
        Ok(a)
    }

    /// That a vector has as many values as a ciphertext has slots, or one.
    pub(super) fn check_length(
        &self,
        a: &Ciphertext,
        values: &[Complex],
    ) -> Result<(), EvaluationError> {
        self.check_own(a)?;
        let right = values.len().next_power_of_two();
        if right != a.slots && values.len() != 1 {
            return Err(EvaluationError::Slots { left: a.slots, right });
        }
        Ok(())
    }
}
