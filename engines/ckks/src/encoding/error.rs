// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The reasons why a vector cannot be encoded.

use crate::estimate::Bound;
use crate::params::Scale;

/// The reason why a vector cannot be encoded, or a plaintext cannot be decoded.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "messages name the fields")]
pub enum EncodingError {
    /// The parameters of the encoder do not match.
    #[error("the encoder is for the parameters {encoder}, but the key is for {key}")]
    Parameters { encoder: String, key: String },
    /// The level is too high.
    #[error("level {got} is above the highest level {top}")]
    Level { got: usize, top: usize },
    /// A value is infinite or NaN.
    #[error("value {index} is {value}: only finite numbers can be encoded")]
    NotFinite { index: usize, value: String },
    /// There are more values than slots.
    #[error("{got} values, but a plaintext has {limit} slots; split the vector or use a larger N")]
    TooLong { got: usize, limit: usize },
    /// The vector is empty.
    #[error("no value to encode: the vector is empty")]
    Empty,
    /// A bound is not finite or negative, or the ends of an interval are in the wrong order.
    #[error("{bound} is not a valid bound: give a finite number, or two, the smaller one first")]
    Bound { bound: Bound },
    /// A value is outside the declared bound.
    #[error(
        "value {index} is {value}, but the declared bound is {bound}: \
        declare a bound with the vector, at least {largest:?} here"
    )]
    OutOfBound { index: usize, value: String, bound: Bound, largest: f64 },
    /// The declared values times the scale exceed the modulus.
    #[error(
        "the declared values need up to {got:.1} bits with scale {scale}, but only {limit:.1} are \
        available; declare a smaller bound, or use a smaller scale or a higher level"
    )]
    TooLarge {
        /// log₂ of the largest value, and a bit for its sign.
        got: f64,
        /// log₂ of the modulus, or of the largest number that can be decoded.
        limit: f64,
        scale: Scale,
    },
}
