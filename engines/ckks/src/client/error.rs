// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Why a decryption cannot be shared, and what could be stated instead.

use crate::evaluator::EvaluationError;

/// The largest value of each field with the others unchanged; 0 where none is possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alternatives {
    /// Bits of security for the same number of queries.
    pub security_bits: u32,
    /// Queries with the same number of bits of security.
    pub queries: u32,
}

impl std::fmt::Display for Alternatives {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { security_bits, queries } = self;
        match (security_bits, queries) {
            (0, 0) => write!(f, "no security fits, nor fewer queries alone"),
            (_, 0) => write!(f, "at most {security_bits} bits of security fit"),
            (0, _) => write!(f, "at most {queries} queries fit"),
            _ => write!(f, "at most {security_bits} bits of security or {queries} queries fit"),
        }
    }
}

/// Why a decryption cannot be shared.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "messages name the fields")]
pub enum SharingError {
    /// Nothing is known of the error.
    #[error(
        "the ciphertext's error is estimated as {error}, by which nothing of it is known to be \
        right: it cannot be shared; bound the values that go into the computation"
    )]
    Error { error: f64 },
    /// The error is what somebody else claims.
    #[error(
        "the ciphertext is no fresh encryption, and its error of {error:e} is what the writer of its \
        file claims: it cannot be shared by that, since noise for a claim that is too small hides \
        nothing; give a bound of the error, or what the ciphertext was computed by"
    )]
    Claimed { error: f64 },
    /// It is not the result that its owner asked for.
    #[error(
        "the ciphertext has {got}, and the result of the computation that was asked for has \
        {expected}: it cannot be shared by the error of that; ask for the computation again, or give \
        a bound of the error"
    )]
    Unexpected { got: String, expected: String },
    /// Not a valid bound of the error.
    #[error(
        "the error is to be at least {got}: it cannot be shared; give a finite number above 0"
    )]
    ErrorAtLeast { got: f64 },
    /// What is promised is nothing, or too much.
    #[error(
        "{security_bits} bits of security for {queries} queries cannot be stated: take 1 query or \
         more, and for as many from 1 to {most} bits"
    )]
    Statement {
        security_bits: u32,
        queries: u32,
        /// The most bits.
        most: u32,
    },
    /// The modulus has no room for the noise.
    #[error(
        "{bits:.1} bits of noise flooding, and {most:.1} have room in the modulus at level \
        {level}: {alternatives}; or decrypt at a higher level"
    )]
    Room { bits: f64, most: f64, level: usize, alternatives: Alternatives },
    /// The noise would exceed the values.
    #[error(
        "{bits:.1} bits of noise flooding, and with more than {most:.1} nothing is left of values \
        up to {magnitude:e}: {alternatives}; or compute on a larger scale"
    )]
    Precision {
        bits: f64,
        /// The bits with which the noise is as large as the values.
        most: f64,
        magnitude: f64,
        alternatives: Alternatives,
    },
    /// All decryptions that were stated have been made.
    #[error(
        "{made} decryptions were shared, and it was stated that no more than {queries} would be: \
        the noise hides no more of them; state more from the first one on"
    )]
    Budget { made: u32, queries: u32 },
    /// The ciphertext is of other parameters.
    #[error(transparent)]
    Parameters(#[from] EvaluationError),
}
