// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sums of products before their key switch.

use super::ciphertext::Ciphertext;
use super::error::EvaluationError;
use super::metadata::Metadata;
use crate::params::{Parameters, Scale};
use crate::ring::{Polynomial, Ring};

/// A sum of products that has three parts, (c₀, c₁, c₂) standing for c₀ + c₁·s + c₂·s², and the
/// scale of both factors: the key switch and the division that a product needs are done once for
/// the sum.
#[derive(Clone)]
pub struct Degree2 {
    parts: [Polynomial; 3],
    metadata: Metadata<3>,
}

impl Degree2 {
    /// The product of ciphertexts of one level: (a₀b₀, a₀b₁ + a₁b₀, a₁b₁).
    pub(crate) fn product(parameters: &Parameters, a: &Ciphertext, b: &Ciphertext) -> Self {
        let ring = parameters.ring();
        let [a0, a1] = a.parts();
        let [b0, b1] = b.parts();
        let product = |left: &Polynomial, right: &Polynomial| {
            let mut product = left.clone();
            ring.mul(&mut product, right);
            product
        };
        let mut parts = [product(a0, b0), product(a0, b1), product(a1, b1)];
        ring.mul_add(&mut parts[1], a1, b0);
        Self { parts, metadata: a.metadata().product(b.metadata(), parameters) }
    }

    /// Adds the product of ciphertexts of the sum's level, whose scales have the product of the
    /// sum's.
    pub(crate) fn add_product(&mut self, parameters: &Parameters, a: &Ciphertext, b: &Ciphertext) {
        let ring = parameters.ring();
        let ([a0, a1], [b0, b1]) = (a.parts(), b.parts());
        for (part, left, right) in [(0, a0, b0), (1, a0, b1), (1, a1, b0), (2, a1, b1)] {
            ring.mul_add(&mut self.parts[part], left, right);
        }
        let product = a.metadata().product(b.metadata(), parameters);
        self.metadata = self.metadata.with_product(&product);
    }

    /// Adds a ciphertext of the sum's level and scale.
    pub(crate) fn add_ciphertext(&mut self, ring: &Ring, a: &Ciphertext) {
        for (part, a) in self.parts.iter_mut().zip(a.parts()) {
            ring.add(part, a);
        }
        self.metadata = self.metadata.with_ciphertext(a.metadata());
    }

    /// Its level, which is that of the factors.
    pub fn level(&self) -> usize {
        self.metadata.level()
    }

    /// Its scale, the product of the factors'.
    pub fn scale(&self) -> Scale {
        self.metadata.scale()
    }

    /// How many values there are.
    pub fn length(&self) -> usize {
        self.metadata.length()
    }

    pub(super) fn parts(&self) -> &[Polynomial; 3] {
        &self.parts
    }

    pub(super) fn into_parts(self) -> [Polynomial; 3] {
        self.parts
    }

    /// What is known of the ciphertext that the key for products makes of it.
    pub(super) fn relinearized(&self, parameters: &Parameters) -> Metadata<2> {
        self.metadata.relinearized(parameters)
    }

    /// That a ciphertext has as many values and the same owner.
    pub(super) fn check_goes_with(&self, a: &Ciphertext) -> Result<(), EvaluationError> {
        a.check_owner(self.metadata.owner())?;
        self.metadata.check_length(a.metadata())
    }

    /// That its level has room for it.
    pub(super) fn check_room(&self, parameters: &Parameters) -> Result<(), EvaluationError> {
        self.metadata.check_room(parameters)
    }
}
