// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Products.

use super::ciphertext::Ciphertext;
use super::degree2::Degree2;
use super::error::EvaluationError;
use super::evaluator::Evaluator;
use super::metadata::PlainOperand;
use crate::encoding::{Plaintext, Values};
use crate::keys::{KeyUse, SwitchingKey};
use crate::pool::in_pool;
use crate::ring::{Basis, Finish, Polynomial};

impl Evaluator {
    /// a · b, one level lower.
    ///
    /// ModDown and rescaling are one division.
    ///
    /// # Errors
    /// [`EvaluationError`] at the lowest level, for vectors of different lengths or owners, for
    /// values that do not fit the level below, and if the key is missing.
    pub fn mul(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext, EvaluationError> {
        self.check_own(a)?;
        self.check_own(b)?;
        self.relinearization_key(a.level().min(b.level()))?;
        let (a, b) = self.aligned(a, b)?;
        self.check_level(a.level())?;
        let product = || Degree2::product(&self.parameters, &a, &b);
        self.fitting(in_pool(|| self.relinearize_and_rescale(product()))?)
    }

    /// Returns the key for products of ciphertexts of a level.
    pub(crate) fn relinearization_key(
        &self,
        level: usize,
    ) -> Result<&SwitchingKey, EvaluationError> {
        self.keys.key(KeyUse::Multiply, level, || "multiply ciphertexts".to_owned())
    }

    /// Returns the sum as a ciphertext, one level lower.
    pub(crate) fn relinearize_and_rescale(
        &self,
        sum: Degree2,
    ) -> Result<Ciphertext, EvaluationError> {
        let (parameters, level) = (&self.parameters, sum.level());
        let key = self.relinearization_key(level)?;
        let ring = parameters.ring();
        let metadata = sum.relinearized(parameters).rescaled(parameters);
        let [mut first, mut second, square] = sum.into_parts();
        // P times the product plus the switched square: one division by P and by the primes of the
        // level.
        let special = &self.parameters.chain().special;
        self.times_primes(&mut first, special);
        self.times_primes(&mut second, special);
        let finish = Finish { added: [Some(&first), Some(&second)], ..Finish::NOTHING };
        let [b, a] = key.gadget_product(&square, &finish);
        let (removed, added) = self.step_down(level);
        let removed = removed.union(&parameters.chain().special);
        let parts = ring.divide_all([&b, &a], &removed, &added, &Finish::NOTHING);
        Ok(Ciphertext::new(parts, metadata))
    }

    /// a · a plain vector, one level lower. A single number is used for every slot.
    ///
    /// # Errors
    /// [`EvaluationError`] at the lowest level, for a vector of another length, and for values that
    /// cannot be encoded.
    pub fn mul_plain<'v>(
        &self,
        a: &Ciphertext,
        values: impl Into<Values<'v>>,
    ) -> Result<Ciphertext, EvaluationError> {
        self.mul_values(a, &values.into())
    }

    /// Like [`Self::mul_plain`], compiled once for all types of vectors.
    fn mul_values(
        &self,
        a: &Ciphertext,
        values: &Values<'_>,
    ) -> Result<Ciphertext, EvaluationError> {
        if let Some((number, bound)) = values.number()? {
            self.check_own(a)?;
            self.check_level(a.level())?;
            let below = self.parameters.level(a.level() - 1).scale;
            return self.mul_within(a, number, bound, below);
        }
        self.check_level(a.level())?;
        self.check_values(a, values)?;
        // With this scale the product has the scale of the level below.
        let below = self.parameters.level(a.level() - 1).scale;
        let scale = below * self.step(a.level()) / a.scale();
        let basis = &self.parameters.level(a.level()).basis;
        let plaintext = self.encoder.encode_in(values, basis, scale)?;
        self.rescale(&self.mul_encoded(a, &plaintext)?)
    }

    /// a · a plaintext of any scale, at the same level. The scale of the result is the product of
    /// the scales, and the caller rescales it.
    ///
    /// # Errors
    /// [`EvaluationError::Slots`] for a vector of another length, and
    /// [`EvaluationError::Parameters`] for a plaintext of other parameters or of a lower level.
    pub fn mul_encoded(
        &self,
        a: &Ciphertext,
        plaintext: &Plaintext,
    ) -> Result<Ciphertext, EvaluationError> {
        self.check_own(a)?;
        let (ours, theirs) = (&self.parameters, plaintext.polynomial());
        let basis = &ours.level(a.level()).basis;
        if theirs.ring_id() != ours.ring().id() || !theirs.basis().contains(basis) {
            let (degree, ours) = (theirs.degree(), ours.name().to_owned());
            return Err(EvaluationError::Parameters { degree, level: a.level(), ours });
        }
        if plaintext.length != a.length() && plaintext.length != 1 {
            return Err(EvaluationError::Length { left: a.length(), right: plaintext.length });
        }
        let operand = PlainOperand::of_plaintext(plaintext, a.slots());
        let metadata = a.metadata().times_plain(&operand, plaintext.scale);
        let ring = self.parameters.ring();
        let multiply = |part: &mut Polynomial| ring.mul(part, plaintext.polynomial());
        Ok(a.clone().updated(metadata, |parts| parts.iter_mut().for_each(multiply)))
    }

    /// Multiplies by the product of some primes.
    pub(crate) fn times_primes(&self, a: &mut Polynomial, primes: &Basis) {
        let ring = self.parameters.ring();
        let primes = ring.moduli(primes);
        ring.scale(a, |modulus| modulus.product(&primes));
    }
}
