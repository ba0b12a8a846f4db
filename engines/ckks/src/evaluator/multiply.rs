// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Products.

use super::{EvaluationError, Evaluator};
use crate::ciphertext::Ciphertext;
use crate::encoding::Complex;
use crate::estimate::switching_error;
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
        let parts = [(&mut b_sum, &mut first), (&mut a_sum, &mut second)].map(|(sum, part)| {
            ring.scale(part, |modulus| self.special_modulo(modulus));
            ring.add_part(sum, part);
            ring.divide(sum, &removed, &added)
        });
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
        let mut product = a.clone();
        for part in &mut product.parts {
            self.parameters.ring().mul(part, plaintext.polynomial());
        }
        product.estimate = a.estimate.product(self.estimate_of(values, scale));
        product.scale = a.scale * scale;
        self.rescale(&product)
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
