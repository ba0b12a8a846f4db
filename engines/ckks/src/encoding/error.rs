// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Why a vector cannot be encoded.

use crate::estimate::Bound;
use crate::params::Scale;

/// Why a vector cannot be encoded, or a plaintext cannot be decoded.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "messages name the fields")]
pub enum EncodingError {
    /// The encoder is of other parameters.
    #[error("the encoder is for the parameters {encoder}, and the key for {key}")]
    Parameters { encoder: String, key: String },
    /// There is no such level.
    #[error("level {got}, and the highest is {top}")]
    Level { got: usize, top: usize },
    /// A value is infinite or no number.
    #[error("value {index} is {value}: only finite numbers can be encoded")]
    NotFinite { index: usize, value: String },
    /// There are more values than slots.
    #[error(
        "{got} values, but a plaintext has {limit} slots; split the vector or take a larger N"
    )]
    TooLong { got: usize, limit: usize },
    /// No value at all.
    #[error("there is no value to encode")]
    Empty,
    /// A bound is not finite, negative or an interval whose ends are the wrong way round.
    #[error("{bound} is no bound: it is a finite number, or two, the smaller one first")]
    Bound { bound: Bound },
    /// A value is outside the declared bound.
    #[error(
        "value {index} is {value}, and {bound} are declared, which go with every ciphertext: \
        declare a bound with the vector, at least {largest:?} here"
    )]
    OutOfBound { index: usize, value: String, bound: Bound, largest: f64 },
    /// The declared values times the scale exceed the modulus.
    #[error(
        "the declared values take up to {got:.1} bits with scale {scale}, and there are only \
        {limit:.1}; declare a smaller bound, or take a smaller scale or a higher level"
    )]
    TooLarge {
        /// log₂ of the largest, and a bit for its sign.
        got: f64,
        /// log₂ of the modulus, or what can be decoded.
        limit: f64,
        scale: Scale,
    },
}
