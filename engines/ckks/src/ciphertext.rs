// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Encrypted vectors.

use std::fmt;

use crate::estimate::Estimate;
use crate::evaluator::EvaluationError;
use crate::params::{Parameters, Scale};
use crate::ring::Polynomial;
use crate::sampling::Seed;

/// An encrypted vector: (c₀, c₁) with c₀ + c₁·s being a plaintext's polynomial and an error. A value: no
/// operation changes it.
#[derive(Clone)]
pub struct Ciphertext {
    pub(crate) parts: [Polynomial; 2],
    pub(crate) level: usize,
    pub(crate) scale: Scale,
    pub(crate) slots: usize,
    pub(crate) estimate: Estimate,
    /// What c₁ was made from. Only a hint, since operations carry it along: files hold it in place of c₁
    /// where it still makes it.
    pub(crate) seed: Option<Seed>,
}

impl Ciphertext {
    /// Multiplications that can follow one another before it must be bootstrapped.
    pub fn level(&self) -> usize {
        self.level
    }

    /// By how much the polynomial is larger than the values.
    pub fn scale(&self) -> Scale {
        self.scale
    }

    /// How many values there are.
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// The bits behind the point that are expected to be right.
    pub fn precision_bits(&self) -> f64 {
        self.estimate.precision_bits()
    }

    /// The expected error, and how large values may be.
    pub fn estimate(&self) -> Estimate {
        self.estimate
    }

    /// Both polynomials.
    pub fn parts(&self) -> [&Polynomial; 2] {
        [&self.parts[0], &self.parts[1]]
    }

    /// That it has the ring of some parameters, and the primes that its level has there.
    pub(crate) fn check_own(&self, ours: &Parameters) -> Result<(), EvaluationError> {
        let is_own = self.level <= ours.top()
            && self.parts.iter().all(|part| {
                part.ring_id() == ours.ring().id() && *part.basis() == ours.level(self.level).basis
            });
        match is_own {
            true => Ok(()),
            false => Err(EvaluationError::Parameters {
                degree: self.parts[0].degree(),
                level: self.level,
                ours: ours.name().to_owned(),
            }),
        }
    }
}

impl fmt::Debug for Ciphertext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ciphertext")
            .field("level", &self.level)
            .field("scale", &self.scale.to_string())
            .field("slots", &self.slots)
            .field("precision_bits", &self.precision_bits())
            .finish_non_exhaustive()
    }
}
