// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Why an operation on ciphertexts is refused.

use crate::encoding::EncodingError;
use crate::estimate::Bound;
use crate::keys::KeyId;
use crate::params::Scale;
use crate::ring::ProgramError;

/// Why an operation on ciphertexts is refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "messages name the fields")]
pub enum EvaluationError {
    /// The levels are used up.
    #[error(
        "the ciphertext is at level {got} and {what} needs level {needed}: take parameters with \
         more levels, or bootstrap it before"
    )]
    Level { what: &'static str, got: usize, needed: usize },
    /// Vectors of different lengths.
    #[error("a vector of {left} values and one of {right}: both must have as many")]
    Length { left: usize, right: usize },
    /// An operation on slots, of a vector that does not fill them.
    #[error(
        "{what} is done on slots, of which {length} values do not fill {slots}: take a power of \
        two of values"
    )]
    Ragged { what: &'static str, length: usize, slots: usize },
    /// Values that are not there.
    #[error("values {from} to {to} are not there: the vector has {length}")]
    Range { from: usize, to: usize, length: usize },
    /// Vectors of different numbers of slots.
    #[error("a ciphertext of {left} slots and one of {right}: encrypt both with as many values")]
    Slots { left: usize, right: usize },
    /// Different levels, where nothing is brought together.
    #[error(
        "the ciphertexts are at levels {left} and {right}: bring the higher one down to \
         level {lower}, or rescale it where it was multiplied"
    )]
    Levels { left: usize, right: usize, lower: usize },
    /// Values are too large for their level.
    #[error(
        "{bound} take {got:.1} bits with the scale {scale}, and level {level} has room for \
        {limit:.1}: stay at a higher level, or declare a smaller bound where values are smaller"
    )]
    Room {
        bound: Bound,
        scale: Scale,
        /// log₂ of the largest, and a bit for its sign.
        got: f64,
        /// log₂ of the modulus, or what can be decoded.
        limit: f64,
        level: usize,
    },
    /// Scales that no alignment brings together.
    #[error(
        "the scales are {left} and {right}, which differ by more than rounding: rescale the one \
         that was multiplied"
    )]
    Scale { left: Scale, right: Scale },
    /// A scale that cannot be kept on the way to a level.
    #[error("the scale {scale} cannot be kept from level {from} to level {to}: rescale before")]
    Reach { scale: Scale, from: usize, to: usize },
    /// A ciphertext or plaintext is not of the parameters of the keys.
    #[error(
        "a vector of N = {degree} with other primes at level {level} than {ours}, which the keys \
        are for: encrypt or encode it with the parameters of the keys"
    )]
    Parameters { degree: usize, level: usize, ours: String },
    /// There is no key for it.
    #[error("there is no key to {what}: ask the client for evaluation keys with it")]
    Key { what: String },
    /// The key is for other parameters.
    #[error(
        "the key to {what} is for the parameters {key}, and the others are for {ours}: ask for all \
        keys of the same client"
    )]
    KeyParameters { what: String, key: String, ours: String },
    /// A key belongs to another secret key than the others.
    #[error(
        "the key to {what} belongs to the secret key {key}, and the others to {ours}: take all \
        keys of the same client"
    )]
    KeyOwner { what: String, key: KeyId, ours: KeyId },
    /// A ciphertext is under another secret key.
    #[error(
        "the ciphertext is under the secret key {got}, and {ours} is in use: only what is under \
        one key goes together"
    )]
    Owner { got: KeyId, ours: KeyId },
    /// The key is for lower levels.
    #[error(
        "the ciphertext is at level {got} and the key to {what} goes up to level {most}: bring it \
        to that level, or ask the client for keys with more levels"
    )]
    KeyLevel { what: String, got: usize, most: usize },
    /// A sum of no terms, or of more than there are slots.
    #[error("{count} batches of {batch} slots do not fit in {slots} slots")]
    Batches { count: usize, batch: usize, slots: usize },
    /// The trace of an operation cannot be named.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// A vector or number cannot be encoded.
    #[error(transparent)]
    Encoding(#[from] EncodingError),
}
