// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Products.

use super::{EvaluationError, Server};
use crate::ciphertext::Ciphertext;
use crate::encoding::{Plaintext, Values};
use crate::estimate::{Noise, Origin};
use crate::keys::{KeyUse, SwitchingKey};
use crate::params::{double_error, integer_error, switching_error, Parameters, Scale};
use crate::pool::in_pool;
use crate::ring::{Finish, Polynomial};

/// A sum of products that has three parts, (c₀, c₁, c₂) standing for c₀ + c₁·s + c₂·s², and the scale of
/// both factors: the key switch and the division that a product needs are done once for the sum.
#[derive(Clone)]
pub struct Wide {
    /// c₀, c₁ and c₂.
    parts: [Polynomial; 3],
    /// What they were computed from.
    origins: [Origin; 3],
    /// What stands for the sum but for its parts, as a ciphertext has it; its parts are a factor's.
    about: Ciphertext,
}

impl Wide {
    /// Its level, which is that of the factors.
    pub fn level(&self) -> usize {
        self.about.level
    }

    /// Its scale, the product of the factors'.
    pub fn scale(&self) -> Scale {
        self.about.scale
    }

    /// How many values there are.
    pub fn length(&self) -> usize {
        self.about.length
    }

    pub(super) fn parts(&self) -> &[Polynomial; 3] {
        &self.parts
    }

    /// That a ciphertext has as many values and the same owner.
    pub(super) fn check_goes_with(&self, a: &Ciphertext) -> Result<(), EvaluationError> {
        a.check_owner(self.about.owner)?;
        self.about.check_length(a)
    }

    /// That its level has room for it.
    pub(super) fn check_room(&self, parameters: &Parameters) -> Result<(), EvaluationError> {
        self.about.check_room(parameters)
    }

    /// The ciphertext of these parts, which the key for products made of it.
    pub(super) fn switched(self, parameters: &Parameters, parts: [Polynomial; 2]) -> Ciphertext {
        let [first, second, square] = self.origins;
        let at = Origin::integer(self.about.level as i64);
        let switched = ["the first part", "the second part"].map(|what| square.rounded(what, at));
        let origins = [first + switched[0], second + switched[1]];
        let Ciphertext { level, scale, slots, .. } = self.about;
        let error = switching_error(parameters, &parameters.level(level).basis, scale, slots);
        let noise = self.about.noise.with(square.error("product"), error);
        Ciphertext { parts, origins, noise, seed: None, ..self.about }
    }
}

impl Server {
    /// a · b, one level lower.
    ///
    /// The division by the key's primes and that by the level's are one.
    ///
    /// # Errors
    /// [`EvaluationError`] at the lowest level, for vectors of different lengths or owners, for values that the
    /// level below has no room for, and without the key.
    pub fn mul(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext, EvaluationError> {
        self.check_own(a)?;
        self.check_own(b)?;
        self.relinearisation_key(a.level.min(b.level))?;
        let (a, b) = self.aligned(a, b)?;
        self.check_level(a.level)?;
        self.fitting(in_pool(|| self.narrow(self.mul_wide(&a, &b)))?)
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
        let (scale, bound) = (a.scale * b.scale, a.bound.product(b.bound));
        let about = Ciphertext { scale, bound, noise: self.noise_of_product(a, b), ..a.clone() };
        Wide { parts, origins: origins_of_product(a, b), about }
    }

    /// Adds the product of ciphertexts of the sum's level, whose scales have the product of the sum's.
    pub(crate) fn mul_add_wide(&self, sum: &mut Wide, a: &Ciphertext, b: &Ciphertext) {
        let ring = self.parameters.ring();
        for (part, left, right) in [(0, 0, 0), (1, 0, 1), (1, 1, 0), (2, 1, 1)] {
            ring.mul_add(&mut sum.parts[part], &a.parts[left], &b.parts[right]);
        }
        let bound = a.bound.product(b.bound);
        let off = sum.scale().deviation(a.scale * b.scale).abs() * bound.magnitude();
        let noise = self.noise_of_product(a, b).with_rest(off);
        sum.about.noise = sum.about.noise.sum(&noise);
        sum.about.bound = sum.about.bound.sum(bound);
        let added = origins_of_product(a, b);
        sum.origins.iter_mut().zip(added).for_each(|(sum, added)| *sum = *sum + added);
    }

    fn noise_of_product(&self, a: &Ciphertext, b: &Ciphertext) -> Noise {
        let shape = [a.slots, self.parameters.slots() / a.slots];
        a.noise.product(a.bound.magnitude(), &b.noise, b.bound.magnitude(), shape)
    }

    /// Adds a ciphertext of the sum's level and scale.
    pub(crate) fn add_wide(&self, sum: &mut Wide, a: &Ciphertext) {
        for (part, a) in sum.parts.iter_mut().zip(&a.parts) {
            self.parameters.ring().add(part, a);
        }
        let off = sum.scale().deviation(a.scale).abs() * a.bound.magnitude();
        sum.about.noise = sum.about.noise.sum(&a.noise).with_rest(off);
        sum.about.bound = sum.about.bound.sum(a.bound);
        sum.origins.iter_mut().zip(a.origins).for_each(|(sum, added)| *sum = *sum + added);
    }

    /// The sum as a ciphertext, one level lower.
    pub(crate) fn narrow(&self, mut wide: Wide) -> Result<Ciphertext, EvaluationError> {
        let level = wide.level();
        let key = self.relinearisation_key(level)?;
        let ring = self.parameters.ring();
        let [first, second, square] = &mut wide.parts;
        // P times the product, and the switched square: divided by P and the level's primes at once.
        self.times_special(first);
        self.times_special(second);
        let finish = Finish { added: [Some(first), Some(second)], ..Finish::NOTHING };
        let [b, a] = key.switch_lazily(square, &finish);
        let (removed, added) = self.step_down(level);
        let removed = removed.union(&self.parameters.chain().special);
        let parts = ring.divide_all([&b, &a], &removed, &added, &Finish::NOTHING);
        let switched = wide.switched(&self.parameters, parts);
        let at = Origin::integer(level as i64);
        let origins = switched.origins.map(|origin| origin.rounded("rescale", at));
        let scale = switched.scale / self.step(level);
        Ok(self.rounded(Ciphertext { level: level - 1, scale, origins, ..switched }))
    }

    /// a · a vector that is not encrypted, one level lower; one number stands for as many as there
    /// are slots.
    ///
    /// # Errors
    /// [`EvaluationError`] at the lowest level, for a vector of another length and for what cannot
    /// be encoded.
    pub fn mul_plain<'v>(
        &self,
        a: &Ciphertext,
        values: impl Into<Values<'v>>,
    ) -> Result<Ciphertext, EvaluationError> {
        self.mul_values(a, &values.into())
    }

    /// [`Self::mul_plain`], compiled once for all types of vectors.
    fn mul_values(
        &self,
        a: &Ciphertext,
        values: &Values<'_>,
    ) -> Result<Ciphertext, EvaluationError> {
        if let Some((number, bound)) = values.number()? {
            self.check_own(a)?;
            self.check_level(a.level)?;
            let below = self.parameters.level(a.level - 1).scale;
            return self.mul_within(a, number, bound, below);
        }
        self.check_level(a.level)?;
        self.check_values(a, values)?;
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
        if plaintext.length != a.length && plaintext.length != 1 {
            return Err(EvaluationError::Length { left: a.length, right: plaintext.length });
        }
        let mut product = a.clone();
        for part in &mut product.parts {
            self.parameters.ring().mul(part, plaintext.polynomial());
        }
        let (bound, scale) = (plaintext.bound, plaintext.scale);
        let encoded = integer_error(scale, a.slots) + double_error(bound.magnitude(), a.slots);
        let rounding = encoded * a.bound.magnitude();
        product.noise = a.noise.scaled(bound.magnitude()).with_rest(rounding);
        product.bound = a.bound.product(bound);
        product.origins = a.origins.map(|origin| origin * plaintext.origin);
        product.scale = a.scale * scale;
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

/// What the parts of a product are computed from.
fn origins_of_product(a: &Ciphertext, b: &Ciphertext) -> [Origin; 3] {
    let ([a0, a1], [b0, b1]) = (a.origins, b.origins);
    [a0 * b0, a0 * b1 + a1 * b0, a1 * b1]
}
