// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Products.

use super::{EvaluationError, Server};
use crate::ciphertext::Ciphertext;
use crate::encoding::{Complex, Plaintext};
use crate::estimate::{switching_error, Estimate};
use crate::keys::{KeyUse, SwitchingKey};
use crate::params::Scale;
use crate::pool::in_pool;
use crate::ring::{Finish, Polynomial};

/// A sum of products that has three parts, (c₀, c₁, c₂) standing for c₀ + c₁·s + c₂·s², and the scale of
/// both factors: the key switch and the division that a product needs are done once for the sum.
#[derive(Clone)]
pub struct Wide {
    /// c₀, c₁ and c₂.
    parts: [Polynomial; 3],
    level: usize,
    scale: Scale,
    slots: usize,
    pub(crate) estimate: Estimate,
}

impl Wide {
    /// Its level, which is that of the factors.
    pub fn level(&self) -> usize {
        self.level
    }

    /// Its scale, the product of the factors'.
    pub fn scale(&self) -> Scale {
        self.scale
    }

    /// How many values there are.
    pub fn slots(&self) -> usize {
        self.slots
    }

    pub(super) fn parts(&self) -> &[Polynomial; 3] {
        &self.parts
    }
}

impl Server {
    /// a · b, one level lower.
    ///
    /// The division by the key's primes and that by the level's are one.
    ///
    /// # Errors
    /// [`EvaluationError`] at the lowest level, for vectors of different lengths and without the key.
    pub fn mul(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext, EvaluationError> {
        self.check_own(a)?;
        self.check_own(b)?;
        self.relinearisation_key(a.level.min(b.level))?;
        let is_square = std::ptr::eq(a, b);
        let (a, b) = self.aligned(a, b)?;
        self.check_level(a.level)?;
        in_pool(|| {
            let mut product = self.mul_wide(&a, &b);
            if is_square {
                product.estimate = a.estimate.square();
            }
            self.narrow(product)
        })
    }

    /// The key for products of ciphertexts of a level.
    pub(crate) fn relinearisation_key(
        &self,
        level: usize,
    ) -> Result<&SwitchingKey, EvaluationError> {
        self.keys.key(KeyUse::Multiply, level, || "multiply ciphertexts".to_owned())
    }

    /// The product of ciphertexts of one level: (a₀b₀, a₀b₁ + a₁b₀, a₁b₁).
    pub(crate) fn mul_wide(&self, a: &Ciphertext, b: &Ciphertext) -> Wide {
        let ring = self.parameters.ring();
        let product = |left: usize, right: usize| {
            let mut product = a.parts[left].clone();
            ring.mul(&mut product, &b.parts[right]);
            product
        };
        let mut parts = [product(0, 0), product(0, 1), product(1, 1)];
        ring.mul_add(&mut parts[1], &a.parts[1], &b.parts[0]);
        let estimate = a.estimate.product(b.estimate);
        Wide { parts, level: a.level, scale: a.scale * b.scale, slots: a.slots, estimate }
    }

    /// Adds the product of ciphertexts of the sum's level, whose scales have the product of the sum's.
    pub(crate) fn mul_add_wide(&self, sum: &mut Wide, a: &Ciphertext, b: &Ciphertext) {
        let ring = self.parameters.ring();
        for (part, left, right) in [(0, 0, 0), (1, 0, 1), (1, 1, 0), (2, 1, 1)] {
            ring.mul_add(&mut sum.parts[part], &a.parts[left], &b.parts[right]);
        }
        sum.estimate = sum.estimate.sum(a.estimate.product(b.estimate));
    }

    /// Adds a ciphertext of the sum's level and scale.
    pub(crate) fn add_wide(&self, sum: &mut Wide, a: &Ciphertext) {
        for (part, a) in sum.parts.iter_mut().zip(&a.parts) {
            self.parameters.ring().add(part, a);
        }
        sum.estimate = sum.estimate.sum(a.estimate);
    }

    /// The sum as a ciphertext, one level lower.
    pub(crate) fn narrow(&self, wide: Wide) -> Result<Ciphertext, EvaluationError> {
        let key = self.relinearisation_key(wide.level)?;
        let ring = self.parameters.ring();
        let Wide { parts: [mut first, mut second, square], level, scale, slots, estimate } = wide;
        // P times the product, and the switched square: divided by P and the level's primes at once.
        self.times_special(&mut first);
        self.times_special(&mut second);
        let finish = Finish { added: [Some(&first), Some(&second)], ..Finish::NOTHING };
        let [b, a] = key.switch_lazily(&square, &finish);
        let (removed, added) = self.step_down(level);
        let removed = removed.union(&self.parameters.chain().special);
        let parts = ring.divide_all([&b, &a], &removed, &added, &Finish::NOTHING);
        let basis = &self.parameters.level(level).basis;
        let estimate = estimate.with_error(switching_error(&self.parameters, basis, scale));
        let scale = scale / self.step(level);
        let product = Ciphertext { parts, level: level - 1, scale, slots, estimate, seed: None };
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
        if let [number] = values {
            return self.mul_number(a, *number);
        }
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
    /// [`EvaluationError::Slots`] for a vector of another length, [`EvaluationError::Parameters`] for one of
    /// other parameters or a lower level.
    pub fn mul_encoded(
        &self,
        a: &Ciphertext,
        plaintext: &Plaintext,
    ) -> Result<Ciphertext, EvaluationError> {
        self.check_own(a)?;
        let (ours, theirs) = (&self.parameters, plaintext.polynomial());
        let basis = &ours.level(a.level).basis;
        if theirs.ring_id() != ours.ring().id() || !theirs.basis().contains(basis) {
            let (degree, ours) = (theirs.degree(), ours.name().to_owned());
            return Err(EvaluationError::Parameters { degree, level: a.level, ours });
        }
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

    pub(crate) fn check_level(&self, got: usize) -> Result<(), EvaluationError> {
        if got == 0 {
            return Err(EvaluationError::Level { what: "a product", got, needed: 1 });
        }
        Ok(())
    }

    /// a · P.
    pub(crate) fn times_special(&self, a: &mut Polynomial) {
        let ring = self.parameters.ring();
        let special = ring.moduli(&self.parameters.chain().special);
        ring.scale(a, |modulus| modulus.product(&special));
    }
}
