// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The reasons why a decryption cannot be shared, and possible alternatives.

use crate::evaluator::EvaluationError;

/// The largest possible value of each field if the other one is unchanged; 0 if there is no such
/// value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alternatives {
    /// Bits of security for the same number of decryptions.
    pub security_bits: u32,
    /// The number of decryptions with the same security.
    pub queries: u32,
}

impl std::fmt::Display for Alternatives {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { security_bits, queries } = self;
        match (security_bits, queries) {
            (0, 0) => write!(f, "no security fits, and neither do fewer queries"),
            (_, 0) => write!(f, "at most {security_bits} bits of security fit"),
            (0, _) => write!(f, "at most {queries} queries fit"),
            _ => write!(f, "at most {security_bits} bits of security or {queries} queries fit"),
        }
    }
}

/// The reason why a decryption cannot be shared.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "messages name the fields")]
pub enum SharingError {
    /// The error is unknown.
    #[error(
        "the ciphertext's error is estimated as {error}, so no bit of its values is known to \
        be correct: it cannot be shared; declare bounds of the inputs of the computation"
    )]
    Error { error: f64 },
    /// The error is a claim in a file.
    #[error(
        "the ciphertext is not a fresh encryption, and its error of {error:e} is only a claim of \
        the writer of its file: it cannot be shared on that basis, since noise for too small an \
        error hides nothing; give a bound of the error, or the computation of the ciphertext"
    )]
    Claimed { error: f64 },
    /// The ciphertext is not the expected result.
    #[error(
        "the ciphertext has {got}, but the result of the requested computation has \
        {expected}: it cannot be shared with the error of that result; request the computation \
        again, or give a bound of the error"
    )]
    Unexpected { got: String, expected: String },
    /// The bound of the error is invalid.
    #[error("the bound of the error is {got}: give a finite number above 0")]
    ErrorAtLeast { got: f64 },
    /// The requested security or number of decryptions is zero or too large.
    #[error(
        "{security_bits} bits of security for {queries} queries cannot be stated: use 1 query or \
         more, and between 1 and {most} bits for {queries} queries"
    )]
    Statement {
        security_bits: u32,
        queries: u32,
        /// The largest possible number of bits.
        most: u32,
    },
    /// The modulus has no room for the noise.
    #[error(
        "{bits:.1} bits of noise flooding are needed, but only {most:.1} fit the modulus at level \
        {level}: {alternatives}; or decrypt at a higher level"
    )]
    Room { bits: f64, most: f64, level: usize, alternatives: Alternatives },
    /// The noise would exceed the values.
    #[error(
        "{bits:.1} bits of noise flooding are needed, but above {most:.1} nothing is left of \
        values up to {magnitude:e}: {alternatives}; or compute on a larger scale"
    )]
    Precision {
        bits: f64,
        /// The number of bits at which the noise is as large as the values.
        most: f64,
        magnitude: f64,
        alternatives: Alternatives,
    },
    /// The stated number of decryptions has been made.
    #[error(
        "{made} decryptions were shared already, and at most {queries} were stated: \
        the noise does not hide more; state a larger number from the first decryption on"
    )]
    Budget { made: u32, queries: u32 },
    /// The ciphertext does not belong to these parameters or this key.
    #[error(transparent)]
    Parameters(#[from] EvaluationError),
}
