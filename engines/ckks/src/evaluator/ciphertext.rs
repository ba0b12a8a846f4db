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

/// An encrypted vector: (c₀, c₁), where c₀ + c₁·s is the polynomial of a plaintext plus an error.
/// It is immutable.
///
/// Everything except the two polynomials is public, and depends only on declarations and
/// operations.
#[derive(Clone)]
pub struct Ciphertext {
    parts: [Polynomial; 2],
    metadata: Metadata<2>,
    /// The seed of c₁. This is only a hint, since operations keep it: files store it instead of c₁
    /// if it still expands to c₁.
    seed: Option<Seed>,
}

impl Ciphertext {
    /// Creates a ciphertext from its parts.
    pub(crate) fn new(parts: [Polynomial; 2], metadata: Metadata<2>) -> Self {
        Self { parts, metadata, seed: None }
    }

    /// Creates the encryption of a plaintext with this error. `second` is the new origin of the
    /// second part.
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

    /// Replaces the residues, under an owner's key: with those of an executor, or with none in a
    /// ring without arithmetic.
    pub(crate) fn with_residues(&self, parts: [Polynomial; 2], owner: KeyId) -> Self {
        Self::new(parts, self.metadata.clone().with_owner(owner))
    }

    /// Sets the seed of the second part.
    pub(crate) fn with_seed(self, seed: Seed) -> Self {
        Self { seed: Some(seed), ..self }
    }

    /// Creates the result of an operation. It keeps the seed.
    pub(crate) fn with_parts(&self, parts: [Polynomial; 2], metadata: Metadata<2>) -> Self {
        Self { parts, metadata, seed: self.seed }
    }

    /// Changes the parts in place.
    pub(crate) fn updated(
        mut self,
        metadata: Metadata<2>,
        update: impl FnOnce(&mut [Polynomial; 2]),
    ) -> Self {
        update(&mut self.parts);
        Self { metadata, ..self }
    }

    /// Changes the metadata and keeps the polynomials.
    pub(crate) fn with_metadata(self, change: impl FnOnce(Metadata<2>) -> Metadata<2>) -> Self {
        Self { metadata: change(self.metadata), ..self }
    }

    /// The metadata.
    pub(crate) fn metadata(&self) -> &Metadata<2> {
        &self.metadata
    }

    /// Returns the two polynomials.
    pub(crate) fn into_parts(self) -> [Polynomial; 2] {
        self.parts
    }

    /// The seed of the second part, if known. See the field.
    pub(crate) fn seed(&self) -> Option<&Seed> {
        self.seed.as_ref()
    }

    /// The error, by sources.
    pub(crate) fn noise(&self) -> &Noise {
        self.metadata.noise()
    }

    /// The origin of an error that an operation adds to the ciphertext.
    pub(crate) fn error_origin(&self, what: &str) -> Origin {
        self.metadata.error_origin(what)
    }

    /// The level: the number of sequential multiplications that are possible before a bootstrap.
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

    /// The identity of the secret key that decrypts the ciphertext.
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

    /// The error of the decrypted values, and their bound. After a sign function it is the error
    /// for values beyond the threshold; see [`error_anywhere`](Self::error_anywhere).
    pub fn estimate(&self) -> Estimate {
        self.metadata.estimate()
    }

    /// The standard deviation of the error of a slot for all values within their declared bounds.
    /// This includes values below the threshold of a [`Sign`](crate::Sign), where the error is the
    /// difference from [`Sign::value`](crate::Sign::value). It is at least the error of
    /// [`estimate`](Self::estimate), and determines the noise of [shared
    /// decryptions](crate::Client::decrypt_for_sharing).
    pub fn error_anywhere(&self) -> f64 {
        self.metadata.error_anywhere()
    }

    /// Returns `true` if the error estimate is at least partly a claim of the writer of a file: the
    /// ciphertext was read from a file and is not fresh, or was computed from such a ciphertext.
    /// Otherwise it was computed in this process from encryptions.
    pub fn has_claimed_error(&self) -> bool {
        self.noise().is_claimed()
    }

    /// Adds the caller's promise that all values are within this bound. If they are not, results
    /// are undefined.
    #[must_use]
    pub fn bounded(&self, bound: Bound) -> Self {
        self.clone().with_metadata(|known| known.bounded(bound))
    }

    /// Adds the caller's promise that the ciphertext is an encryption with the public key. Its
    /// error becomes that of such an encryption, or the claimed one if that is larger, and is no
    /// longer [claimed](Self::has_claimed_error).
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

    /// Replaces the estimated error by the caller's promise that the error of the values, the root
    /// of the mean square over all slots, is at most `error`. If the promise is false, a [shared
    /// decryption](crate::Client::decrypt_for_sharing) hides too little.
    #[must_use]
    pub fn with_error_at_most(&self, error: f64) -> Self {
        self.clone().with_noise(Noise::rest(error))
    }

    /// Checks that the ciphertext has the ring of the parameters and the primes of its level.
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

    /// Checks that the ciphertext is under this secret key.
    pub(crate) fn check_owner(&self, ours: KeyId) -> Result<(), EvaluationError> {
        self.metadata.check_owner(ours)
    }

    /// Checks that both ciphertexts have the same number of values.
    pub(crate) fn check_length(&self, other: &Self) -> Result<(), EvaluationError> {
        self.metadata.check_length(&other.metadata)
    }
}

/// Changes of the metadata by callers that know more than follows from the operations.
impl Ciphertext {
    /// Removes the error: the caller tracks it.
    pub(crate) fn exact(self) -> Self {
        self.with_metadata(Metadata::exact)
    }

    /// Sets an error that the caller tracked.
    pub(crate) fn with_noise(self, noise: Noise) -> Self {
        self.with_metadata(|known| known.with_noise(noise))
    }

    /// Adds an error that may be correlated with any other.
    pub(crate) fn with_rest(self, rest: f64) -> Self {
        self.with_metadata(|known| known.with_rest(rest))
    }

    /// Sets this bound instead of the derived one.
    pub(crate) fn assuming(self, bound: Bound) -> Self {
        self.with_metadata(|known| known.assuming(bound))
    }

    /// Sets the number of values in the same slots.
    pub(crate) fn with_length(self, length: usize) -> Self {
        self.with_metadata(|known| known.with_length(length))
    }

    /// Reads the ciphertext as a vector that fills `slots` slots.
    pub(crate) fn with_slots(self, slots: usize) -> Self {
        self.with_metadata(|known| known.with_slots(slots))
    }

    /// Reads the values as a vector with another number of slots, in which they are repeated too.
    pub(crate) fn seen_as(self, slots: usize) -> Self {
        self.with_metadata(|known| known.seen_as(slots))
    }

    /// Reads the same polynomials on another scale: values and errors are `times` times as large.
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
