// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Encrypted vectors.

use std::fmt;

use crate::encoding::{Plaintext, MOST_BITS};
use crate::estimate::{Bound, Estimate, Noise, Origin};
use crate::evaluator::EvaluationError;
use crate::keys::KeyId;
use crate::params::{double_error, Parameters, Scale};
use crate::ring::Polynomial;
use crate::sampling::Seed;

/// An encrypted vector: (c₀, c₁) with c₀ + c₁·s being a plaintext's polynomial and an error. A value: no
/// operation changes it.
///
/// All but the two polynomials is public, and depends on what was declared and on operations alone.
#[derive(Clone)]
pub struct Ciphertext {
    pub(crate) parts: [Polynomial; 2],
    pub(crate) level: usize,
    pub(crate) scale: Scale,
    /// A power of two; the values repeat themselves in all others.
    pub(crate) slots: usize,
    /// How many of the slots are the vector's; the others hold values within the bound.
    pub(crate) length: usize,
    /// The secret key that decrypts.
    pub(crate) owner: KeyId,
    /// What both parts were computed from.
    pub(crate) origins: [Origin; 2],
    pub(crate) noise: Noise,
    pub(crate) bound: Bound,
    /// What c₁ was made from. Only a hint, since operations carry it along: files hold it in place of c₁
    /// where it still makes it.
    pub(crate) seed: Option<Seed>,
}

impl Ciphertext {
    /// What a plaintext was encrypted to with such an error, the second part being new.
    pub(crate) fn fresh(
        plaintext: &Plaintext,
        parts: [Polynomial; 2],
        level: usize,
        owner: KeyId,
        second: Origin,
        error: f64,
    ) -> Self {
        let Plaintext { scale, slots, length, bound, .. } = *plaintext;
        let origins = [Origin::derived("the first part", [second]), second];
        let noise = Noise::source(Origin::derived("fresh", [second]), error)
            .with_rest(double_error(bound.magnitude(), slots));
        Self { parts, level, scale, slots, length, owner, origins, noise, bound, seed: None }
    }

    /// Multiplications that can follow one another before it must be bootstrapped.
    pub fn level(&self) -> usize {
        self.level
    }

    /// By how much the polynomial is larger than the values.
    pub fn scale(&self) -> Scale {
        self.scale
    }

    /// How many values there are.
    pub fn length(&self) -> usize {
        self.length
    }

    /// How many slots the values take: a power of two.
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// The secret key that decrypts it.
    pub fn owner(&self) -> KeyId {
        self.owner
    }

    /// Where the values lie: what was declared of inputs, and what follows from it.
    pub fn bound(&self) -> Bound {
        self.bound
    }

    /// The bits behind the point that are right.
    pub fn precision_bits(&self) -> f64 {
        self.estimate().precision_bits()
    }

    /// The error of the values as they are decrypted, and where they lie.
    pub fn estimate(&self) -> Estimate {
        let error = self.noise.total(self.slots) + double_error(self.bound.magnitude(), self.slots);
        Estimate { error, bound: self.bound }
    }

    /// The same, of which the caller knows that all values lie in a bound as well. Where they do not, results
    /// may be anything.
    #[must_use]
    pub fn bounded(&self, bound: Bound) -> Self {
        Self { bound: self.bound.intersection(bound), ..self.clone() }
    }

    /// The same values as a vector of another number of slots, in which they repeat themselves as well.
    #[must_use]
    pub(crate) fn seen_as(self, slots: usize) -> Self {
        let noise = self.noise.of_slots(self.slots, slots);
        Self { noise, slots, ..self }
    }

    /// Both polynomials.
    pub fn parts(&self) -> [&Polynomial; 2] {
        [&self.parts[0], &self.parts[1]]
    }

    /// That it has the ring of some parameters, and the primes that its level has there.
    pub(crate) fn check_parameters(&self, ours: &Parameters) -> Result<(), EvaluationError> {
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

    /// That it is under a secret key.
    pub(crate) fn check_owner(&self, ours: KeyId) -> Result<(), EvaluationError> {
        match self.owner == ours {
            true => Ok(()),
            false => Err(EvaluationError::Owner { got: self.owner, ours }),
        }
    }

    /// That it has as many values as another one.
    pub(crate) fn check_length(&self, other: &Self) -> Result<(), EvaluationError> {
        let (left, right) = (self, other);
        if left.length != right.length {
            return Err(EvaluationError::Length { left: left.length, right: right.length });
        }
        if left.slots != right.slots {
            return Err(EvaluationError::Slots { left: left.slots, right: right.slots });
        }
        Ok(())
    }

    /// That its values fill its slots.
    pub(crate) fn check_full(&self, what: &'static str) -> Result<(), EvaluationError> {
        let (length, slots) = (self.length, self.slots);
        match length == slots {
            true => Ok(()),
            false => Err(EvaluationError::Ragged { what, length, slots }),
        }
    }

    /// That its level's modulus has room for the values.
    pub(crate) fn check_room(&self, parameters: &Parameters) -> Result<(), EvaluationError> {
        check_room(parameters, self.level, self.scale, self.bound)
    }

    /// That its values can be decoded.
    pub(crate) fn check_decodable(&self, parameters: &Parameters) -> Result<(), EvaluationError> {
        let limit = parameters.level(self.level).modulus.log2().min(MOST_BITS);
        check_room_of(limit, self.level, self.scale, self.bound)
    }
}

/// That a level's modulus has room for values on a scale.
pub(crate) fn check_room(
    parameters: &Parameters,
    level: usize,
    scale: Scale,
    bound: Bound,
) -> Result<(), EvaluationError> {
    check_room_of(parameters.level(level).modulus.log2(), level, scale, bound)
}

fn check_room_of(
    limit: f64,
    level: usize,
    scale: Scale,
    bound: Bound,
) -> Result<(), EvaluationError> {
    // A bit for the sign.
    let got = bound.magnitude().log2() + scale.log2() + 1.0;
    match got <= limit {
        true => Ok(()),
        false => Err(EvaluationError::Room { bound, scale, got, limit, level }),
    }
}

impl fmt::Debug for Ciphertext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ciphertext")
            .field("owner", &self.owner)
            .field("level", &self.level)
            .field("scale", &self.scale.to_string())
            .field("length", &self.length)
            .field("precision_bits", &self.precision_bits())
            .finish_non_exhaustive()
    }
}
