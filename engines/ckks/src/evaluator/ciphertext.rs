// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Encrypted vectors.

use std::fmt;

use super::error::EvaluationError;
use super::metadata::Metadata;
use crate::encoding::Plaintext;
use crate::estimate::{Bound, Estimate, Noise, Origin};
use crate::keys::KeyId;
use crate::params::{public_error, Parameters, Scale};
use crate::ring::Polynomial;
use crate::sampling::Seed;

/// An encrypted vector: (c₀, c₁) with c₀ + c₁·s being a plaintext's polynomial and an error. It is
/// immutable.
///
/// All but the two polynomials is public, and depends on what was declared and on operations alone.
#[derive(Clone)]
pub struct Ciphertext {
    parts: [Polynomial; 2],
    metadata: Metadata<2>,
    /// What c₁ was made from. Only a hint, since operations carry it along: files hold it in place
    /// of c₁ where it still makes it.
    seed: Option<Seed>,
}

impl Ciphertext {
    /// The ciphertext of these parts.
    pub(crate) fn new(parts: [Polynomial; 2], metadata: Metadata<2>) -> Self {
        Self { parts, metadata, seed: None }
    }

    /// What a plaintext was encrypted to with such an error, the second part being new.
    pub(crate) fn fresh(
        plaintext: &Plaintext,
        parts: [Polynomial; 2],
        level: usize,
        owner: KeyId,
        second: Origin,
        error: f64,
    ) -> Self {
        Self::new(parts, Metadata::fresh(plaintext, level, owner, second, error))
    }

    /// The same with other residues, under an owner's key: those of an executor, or none without
    /// arithmetic.
    pub(crate) fn with_residues(&self, parts: [Polynomial; 2], owner: KeyId) -> Self {
        Self::new(parts, self.metadata.clone().with_owner(owner))
    }

    /// The same, whose second part a seed makes.
    pub(crate) fn with_seed(self, seed: Seed) -> Self {
        Self { seed: Some(seed), ..self }
    }

    /// What an operation made of it: the seed is carried along.
    pub(crate) fn with_parts(&self, parts: [Polynomial; 2], metadata: Metadata<2>) -> Self {
        Self { parts, metadata, seed: self.seed }
    }

    /// The same with its parts changed in place.
    pub(crate) fn updated(
        mut self,
        metadata: Metadata<2>,
        update: impl FnOnce(&mut [Polynomial; 2]),
    ) -> Self {
        update(&mut self.parts);
        Self { metadata, ..self }
    }

    /// The same polynomials, of which something else is known.
    pub(crate) fn with_metadata(self, change: impl FnOnce(Metadata<2>) -> Metadata<2>) -> Self {
        Self { metadata: change(self.metadata), ..self }
    }

    /// What is known of it.
    pub(crate) fn metadata(&self) -> &Metadata<2> {
        &self.metadata
    }

    /// Its two polynomials.
    pub(crate) fn into_parts(self) -> [Polynomial; 2] {
        self.parts
    }

    /// What its second part was made from, as far as that is known.
    pub(crate) fn seed(&self) -> Option<&Seed> {
        self.seed.as_ref()
    }

    /// Its error, by sources.
    pub(crate) fn noise(&self) -> &Noise {
        self.metadata.noise()
    }

    /// What an error is called that an operation adds to it.
    pub(crate) fn error_origin(&self, what: &str) -> Origin {
        self.metadata.error_origin(what)
    }

    /// The level: multiplications in sequence before a bootstrap is needed.
    pub fn level(&self) -> usize {
        self.metadata.level()
    }

    /// The scale: the factor from values to the polynomial.
    pub fn scale(&self) -> Scale {
        self.metadata.scale()
    }

    /// The number of values.
    pub fn length(&self) -> usize {
        self.metadata.length()
    }

    /// The number of slots, a power of two.
    pub fn slots(&self) -> usize {
        self.metadata.slots()
    }

    /// The secret key that decrypts it.
    pub fn owner(&self) -> KeyId {
        self.metadata.owner()
    }

    /// The bound of the values, which follows from the declared bounds of inputs.
    pub fn bound(&self) -> Bound {
        self.metadata.bound()
    }

    /// The number of correct bits after the binary point.
    pub fn precision_bits(&self) -> f64 {
        self.estimate().precision_bits()
    }

    /// The error of the decrypted values, and their bound. Behind a sign it is that of values beyond
    /// its threshold; see [`error_anywhere`](Self::error_anywhere).
    pub fn estimate(&self) -> Estimate {
        self.metadata.estimate()
    }

    /// The standard deviation of the error of a slot for all values in their declared bounds, those
    /// below the threshold of a [`Sign`](crate::Sign) among them: there it is the difference from
    /// [`Sign::value`](crate::Sign::value). It is at least the error of
    /// [`estimate`](Self::estimate), and what [decryptions for
    /// others](crate::Client::decrypt_for_sharing) are flooded by.
    pub fn error_anywhere(&self) -> f64 {
        self.metadata.error_anywhere()
    }

    /// Whether the estimate, or a part of it, is what the writer of a file claims: the ciphertext was
    /// computed from one that was read from a file and is not fresh, or is one. What has no such part
    /// was computed in this process, from encryptions.
    pub fn has_claimed_error(&self) -> bool {
        self.noise().is_claimed()
    }

    /// The same ciphertext, with the caller's promise that all values lie in this bound too. If
    /// they do not, results may be anything.
    #[must_use]
    pub fn bounded(&self, bound: Bound) -> Self {
        self.clone().with_metadata(|known| known.bounded(bound))
    }

    /// The same ciphertext, with the caller's promise that it is an encryption by the public key: its
    /// error is that of one, or the claimed one where that is larger, and is
    /// [claimed](Self::has_claimed_error) no more.
    #[must_use]
    pub fn encrypted_by_public_key(&self, parameters: &Parameters) -> Self {
        let error = public_error(parameters, self.scale(), self.slots()).max(self.error_anywhere());
        let origin = Origin::derived("fresh", [self.metadata.origins()[1]]);
        self.clone().with_noise(Noise::source(origin, error))
    }

    /// Both polynomials.
    pub fn parts(&self) -> [&Polynomial; 2] {
        [&self.parts[0], &self.parts[1]]
    }

    /// The same ciphertext, with the caller's promise that the error of its values, the root of the
    /// mean square over all slots, is at most `error`. The promise takes the place of the estimate.
    /// If it is false, a [decryption for others](crate::Client::decrypt_for_sharing) hides too little.
    #[must_use]
    pub fn with_error_at_most(&self, error: f64) -> Self {
        self.clone().with_noise(Noise::rest(error))
    }

    /// That it has the ring of some parameters, and the primes that its level has there.
    pub(crate) fn check_parameters(&self, ours: &Parameters) -> Result<(), EvaluationError> {
        let level = self.level();
        let is_own = level <= ours.top()
            && self.parts.iter().all(|part| {
                part.ring_id() == ours.ring().id() && *part.basis() == ours.level(level).basis
            });
        match is_own {
            true => Ok(()),
            false => Err(EvaluationError::Parameters {
                degree: self.parts[0].degree(),
                level,
                ours: ours.name().to_owned(),
            }),
        }
    }

    /// That it is under a secret key.
    pub(crate) fn check_owner(&self, ours: KeyId) -> Result<(), EvaluationError> {
        self.metadata.check_owner(ours)
    }

    /// That it has as many values as another one.
    pub(crate) fn check_length(&self, other: &Self) -> Result<(), EvaluationError> {
        self.metadata.check_length(&other.metadata)
    }
}

/// Changes of what is known, where the caller knows better than what follows from operations.
impl Ciphertext {
    /// Without an error: the caller follows that itself.
    pub(crate) fn exact(self) -> Self {
        self.with_metadata(Metadata::exact)
    }

    /// With an error that the caller followed.
    pub(crate) fn with_noise(self, noise: Noise) -> Self {
        self.with_metadata(|known| known.with_noise(noise))
    }

    /// With an error more that adds up with anything.
    pub(crate) fn with_rest(self, rest: f64) -> Self {
        self.with_metadata(|known| known.with_rest(rest))
    }

    /// With values in a bound, whatever follows from the operations.
    pub(crate) fn assuming(self, bound: Bound) -> Self {
        self.with_metadata(|known| known.assuming(bound))
    }

    /// With another number of values in the same slots.
    pub(crate) fn with_length(self, length: usize) -> Self {
        self.with_metadata(|known| known.with_length(length))
    }

    /// Read as a vector that fills `slots` slots.
    pub(crate) fn with_slots(self, slots: usize) -> Self {
        self.with_metadata(|known| known.with_slots(slots))
    }

    /// The same values as a vector of another number of slots, in which they repeat themselves as
    /// well.
    pub(crate) fn seen_as(self, slots: usize) -> Self {
        self.with_metadata(|known| known.seen_as(slots))
    }

    /// The same polynomials read on another scale: values and errors are `times` times as large.
    pub(crate) fn read_on(self, scale: Scale, times: f64) -> Self {
        self.with_metadata(|known| known.read_on(scale, times))
    }
}

impl fmt::Debug for Ciphertext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ciphertext")
            .field("owner", &self.owner())
            .field("level", &self.level())
            .field("scale", &self.scale().to_string())
            .field("length", &self.length())
            .field("precision_bits", &self.precision_bits())
            .finish_non_exhaustive()
    }
}
