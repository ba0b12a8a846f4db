// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The reasons why an operation on ciphertexts is rejected.

use crate::encoding::EncodingError;
use crate::estimate::Bound;
use crate::keys::KeyId;
use crate::params::Scale;
use crate::ring::ProgramError;

/// The reason why an operation on ciphertexts is rejected.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "messages name the fields")]
pub enum EvaluationError {
    /// No levels are left.
    #[error(
        "the ciphertext is at level {got} and {what} needs level {needed}: use parameters with \
         more levels, or bootstrap it first"
    )]
    Level { what: &'static str, got: usize, needed: usize },
    /// The vectors have different lengths.
    #[error("a vector of {left} values and one of {right}: both must have the same length")]
    Length { left: usize, right: usize },
    /// The values do not fill the slots.
    #[error(
        "{what} needs full slots, but {length} values do not fill {slots}: use a power of two as \
        the number of values"
    )]
    Ragged { what: &'static str, length: usize, slots: usize },
    /// The range is outside the vector.
    #[error("values {from} to {to} are out of range: the vector has {length}")]
    Range { from: usize, to: usize, length: usize },
    /// The vectors have different numbers of slots.
    #[error("a ciphertext of {left} slots and one of {right}: encrypt vectors of the same length")]
    Slots { left: usize, right: usize },
    /// The levels differ, and the operation does not align them.
    #[error(
        "the ciphertexts are at levels {left} and {right}: bring the higher one down to \
         level {lower}, or rescale it where it was multiplied"
    )]
    Levels { left: usize, right: usize, lower: usize },
    /// The values are too large for their level.
    #[error(
        "{bound} need {got:.1} bits with the scale {scale}, but level {level} has room for \
        {limit:.1}: stay at a higher level, or declare a smaller bound if values are smaller"
    )]
    Room {
        bound: Bound,
        scale: Scale,
        /// log₂ of the largest value, and a bit for its sign.
        got: f64,
        /// log₂ of the modulus, or of the largest number that can be decoded.
        limit: f64,
        level: usize,
    },
    /// The scales cannot be aligned.
    #[error(
        "the scales are {left} and {right}, which differ by more than rounding: rescale the one \
         that was multiplied"
    )]
    Scale { left: Scale, right: Scale },
    /// The scale cannot be kept on the way to the lower level.
    #[error("the scale {scale} cannot be kept from level {from} to level {to}: rescale first")]
    Reach { scale: Scale, from: usize, to: usize },
    /// A ciphertext or plaintext does not have the parameters of the keys.
    #[error(
        "a vector with N = {degree} does not have the primes of level {level} of {ours}: \
        encrypt or encode it with the parameters of the keys"
    )]
    Parameters { degree: usize, level: usize, ours: String },
    /// The key is missing.
    #[error("no key to {what}: ask the client for evaluation keys with it")]
    Key { what: String },
    /// The key is for other parameters.
    #[error(
        "the key to {what} is for the parameters {key}, but the other keys are for {ours}: \
        request all keys from the same client"
    )]
    KeyParameters { what: String, key: String, ours: String },
    /// The key belongs to another secret key than the other keys.
    #[error(
        "the key to {what} belongs to the secret key {key}, but the other keys belong to \
        {ours}: use the keys of one client"
    )]
    KeyOwner { what: String, key: KeyId, ours: KeyId },
    /// A ciphertext is under another secret key.
    #[error(
        "the ciphertext is under the secret key {got}, but the others are under {ours}: \
        use ciphertexts and keys of one secret key"
    )]
    Owner { got: KeyId, ours: KeyId },
    /// The key is for lower levels.
    #[error(
        "the ciphertext is at level {got}, but the key to {what} goes up to level {most}: bring \
        it to that level, or request keys with more levels from the client"
    )]
    KeyLevel { what: String, got: usize, most: usize },
    /// The sum has no terms, or more than there are slots.
    #[error("{count} batches of {batch} slots do not fit in {slots} slots")]
    Batches { count: usize, batch: usize, slots: usize },
    /// The trace of the operation cannot be named.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// A vector or number cannot be encoded.
    #[error(transparent)]
    Encoding(#[from] EncodingError),
}
