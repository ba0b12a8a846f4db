// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sums of products before their key switch.

use super::ciphertext::Ciphertext;
use super::error::EvaluationError;
use super::metadata::Metadata;
use crate::params::{Parameters, Scale};
use crate::ring::{Polynomial, Ring};

/// A sum of products with three parts: (c₀, c₁, c₂) represents c₀ + c₁·s + c₂·s², on the product of
/// the factors' scales. The sum needs only one key switch and one division for all its products.
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

    /// Adds the product of two ciphertexts at the sum's level. The product of their scales must be
    /// the scale of the sum.
    pub(crate) fn add_product(&mut self, parameters: &Parameters, a: &Ciphertext, b: &Ciphertext) {
        let ring = parameters.ring();
        let ([a0, a1], [b0, b1]) = (a.parts(), b.parts());
        for (part, left, right) in [(0, a0, b0), (1, a0, b1), (1, a1, b0), (2, a1, b1)] {
            ring.mul_add(&mut self.parts[part], left, right);
        }
        let product = a.metadata().product(b.metadata(), parameters);
        self.metadata = self.metadata.with_product(&product);
    }

    /// Adds a ciphertext with the level and scale of the sum.
    pub(crate) fn add_ciphertext(&mut self, ring: &Ring, a: &Ciphertext) {
        for (part, a) in self.parts.iter_mut().zip(a.parts()) {
            ring.add(part, a);
        }
        self.metadata = self.metadata.with_ciphertext(a.metadata());
    }

    /// The level, which is that of the factors.
    pub fn level(&self) -> usize {
        self.metadata.level()
    }

    /// The scale: the product of the factors' scales.
    pub fn scale(&self) -> Scale {
        self.metadata.scale()
    }

    /// The number of values.
    pub fn length(&self) -> usize {
        self.metadata.length()
    }

    pub(super) fn parts(&self) -> &[Polynomial; 3] {
        &self.parts
    }

    pub(super) fn into_parts(self) -> [Polynomial; 3] {
        self.parts
    }

    /// The metadata of the ciphertext after relinearization.
    pub(super) fn relinearized(&self, parameters: &Parameters) -> Metadata<2> {
        self.metadata.relinearized(parameters)
    }

    /// Checks that a ciphertext has the same number of values and the same owner.
    pub(super) fn check_goes_with(&self, a: &Ciphertext) -> Result<(), EvaluationError> {
        a.check_owner(self.metadata.owner())?;
        self.metadata.check_length(a.metadata())
    }

    /// Checks that the level has room for the sum.
    pub(super) fn check_room(&self, parameters: &Parameters) -> Result<(), EvaluationError> {
        self.metadata.check_room(parameters)
    }
}
