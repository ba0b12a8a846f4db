// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Products.

use super::{EvaluationError, Evaluator};
use crate::ciphertext::Ciphertext;
use crate::encoding::{Complex, Plaintext};
use crate::estimate::{switching_error, Estimate};
use crate::keys::{Decomposed, KeyUse};

impl Evaluator {
    /// a · b, one level lower.
    ///
    /// The division by the key's primes and that by the level's are one.
    ///
    /// # Errors
    /// [`EvaluationError`] at the lowest level, for vectors of different lengths and without the key.
    pub fn mul(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext, EvaluationError> {
        let what = || "multiply ciphertexts".to_owned();
        let lower = a.level.min(b.level);
        let key = self.keys.key(KeyUse::Multiply, lower, what)?;
        let (a, b) = self.aligned(a, b)?;
        let level = a.level;
        self.check_level(level)?;
        let ring = self.parameters.ring();
        // (a₀b₀, a₀b₁ + a₁b₀, a₁b₁).
        let mut square = a.parts[1].clone();
        ring.mul(&mut square, &b.parts[1]);
        let mut first = a.parts[0].clone();
        ring.mul(&mut first, &b.parts[0]);
        let mut second = a.parts[0].clone();
        ring.mul(&mut second, &b.parts[1]);
        ring.mul_add(&mut second, &a.parts[1], &b.parts[0]);
        let (mut b_sum, mut a_sum) = key.switch_lazily(&Decomposed::new(&self.parameters, &square));
        // P times the product, and the switched square: divided by P and the level's primes at once.
        let special = &self.parameters.chain().special;
        let (removed, added) = self.step_down(level);
        let removed = removed.union(special);
        for (sum, part) in [(&mut b_sum, &mut first), (&mut a_sum, &mut second)] {
            ring.scale(part, |modulus| self.special_modulo(modulus));
            ring.add_part(sum, part);
        }
        let parts = ring.divide_all([&b_sum, &a_sum], &removed, &added);
        let scale = a.scale * b.scale;
        let basis = &self.parameters.level(level).basis;
        let estimate = a.estimate.product(b.estimate).with_error(switching_error(
            &self.parameters,
            basis,
            scale,
        ));
        let scale = scale / self.step(level);
        let product =
            Ciphertext { parts, level: level - 1, scale, slots: a.slots, estimate, seed: None };
        Ok(self.rounded(product))
    }

    /// a · a vector that is not encrypted, one level lower; one number stands for as many as there
    /// are slots.
    ///
    /// # Errors
    /// [`EvaluationError`] at the lowest level, for a vector of another length and for what cannot
    /// be encoded.
    pub fn mul_plain(
        &self,
        a: &Ciphertext,
        values: &[Complex],
    ) -> Result<Ciphertext, EvaluationError> {
        self.check_level(a.level)?;
        self.check_length(a, values)?;
        // The scale by which the product comes to lie on that of the level below.
        let below = self.parameters.level(a.level - 1).scale;
        let scale = below * self.step(a.level) / a.scale;
        let basis = &self.parameters.level(a.level).basis;
        let plaintext = self.encoder.encode_in(values, basis, scale)?;
        self.rescale(&self.mul_encoded(a, &plaintext)?)
    }

    /// a · a plaintext of any scale, at the same level: the scales are multiplied, and rescaling is
    /// the caller's.
    ///
    /// # Errors
    /// [`EvaluationError::Slots`] for a vector of another length.
    ///
    /// # Panics
    /// Where the plaintext lacks primes of a's level.
    pub fn mul_encoded(
        &self,
        a: &Ciphertext,
        plaintext: &Plaintext,
    ) -> Result<Ciphertext, EvaluationError> {
        if plaintext.slots != a.slots && plaintext.slots != 1 {
            return Err(EvaluationError::Slots { left: a.slots, right: plaintext.slots });
        }
        let mut product = a.clone();
        for part in &mut product.parts {
            self.parameters.ring().mul(part, plaintext.polynomial());
        }
        let by = Estimate::encoded(&self.parameters, plaintext.magnitude, plaintext.scale);
        product.estimate = a.estimate.product(by);
        product.scale = a.scale * plaintext.scale;
        Ok(product)
    }

    fn check_level(&self, got: usize) -> Result<(), EvaluationError> {
        if got == 0 {
            return Err(EvaluationError::Level { what: "a product", got, needed: 1 });
        }
        Ok(())
    }

    /// P modulo a prime.
    fn special_modulo(&self, modulus: crate::ring::Modulus) -> u32 {
        let special = self.parameters.ring().moduli(&self.parameters.chain().special);
        special.iter().fold(1, |p, by| modulus.mul(p, modulus.reduce(by.value().into())))
    }
}
