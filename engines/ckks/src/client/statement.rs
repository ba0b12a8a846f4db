// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The security statement of a decryption for others, and the budget of such decryptions.

use crate::complex::Complex;
use crate::evaluator::EvaluationError;
use crate::params::Parameters;
use crate::sampling::{DIVERGENCE_BITS, DRAWS};

/// The security statement of a decryption for others; every field is required.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sharing {
    /// Bits of security, s.
    pub security_bits: u32,
    /// How many decryptions under one secret key others may see altogether, τ.
    pub queries: u32,
    /// The standard deviation of a slot's error is taken for at least this: what the owner of the
    /// secret knows of the computation, where the ciphertext's estimate comes from somebody else.
    pub error_at_least: f64,
}

impl Sharing {
    /// `security_bits` bits of security for `queries` decryptions.
    pub fn new(security_bits: u32, queries: u32) -> Self {
        Self { security_bits, queries, error_at_least: 0.0 }
    }

    /// The bits by which the noise exceeds the bound of the error: s/2 + ½·log₂(12·τ·N).
    pub fn flooding_bits(&self, parameters: &Parameters) -> f64 {
        f64::from(self.security_bits) / 2.0 + self.query_bits(parameters)
    }

    /// ½·log₂(12·τ·N).
    fn query_bits(&self, parameters: &Parameters) -> f64 {
        (12.0 * f64::from(self.queries) * parameters.degree() as f64).log2() / 2.0
    }

    /// The most bits of security for which the sampler's divergence is below 2⁻ˢ/24.
    pub(super) fn most_security_bits(&self, parameters: &Parameters) -> f64 {
        let draws = 24.0 * DRAWS * parameters.degree() as f64 * f64::from(self.queries.max(1));
        DIVERGENCE_BITS - draws.log2()
    }

    pub(super) fn check(&self, parameters: &Parameters) -> Result<(), SharingError> {
        let &Self { security_bits, queries, error_at_least } = self;
        let most = self.most_security_bits(parameters).floor() as u32;
        if queries == 0 || !(1..=most).contains(&security_bits) {
            return Err(SharingError::Statement { security_bits, queries, most });
        }
        match error_at_least.is_finite() && error_at_least >= 0.0 {
            true => Ok(()),
            false => Err(SharingError::ErrorAtLeast { got: error_at_least }),
        }
    }

    /// What could be stated with room for `bits` bits of noise.
    pub(super) fn alternatives(&self, parameters: &Parameters, bits: f64) -> Alternatives {
        let security_bits = 2.0 * (bits - self.query_bits(parameters));
        let queries = self.queries as f64 * (2.0 * (bits - self.flooding_bits(parameters))).exp2();
        // Conversions of negative numbers give 0.
        Alternatives { security_bits: security_bits as u32, queries: queries as u32 }
    }
}

/// A decryption that may be shared with others.
#[derive(Clone, Debug, PartialEq)]
pub struct Shared {
    /// The values with their noise, rounded to a power of two of at most a quarter of its standard
    /// deviation.
    pub values: Vec<Complex>,
    /// The correct bits after the binary point that are left: −log₂ of the standard deviation of a
    /// slot's noise.
    pub precision_bits: f64,
    /// The bits by which the noise exceeds the bound of the error.
    pub flooding_bits: f64,
}

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
pub enum SharingError {
    /// Nothing is known of the error.
    #[error(
        "the ciphertext's error is estimated as {error}, by which nothing of it is known to be \
        right: it cannot be shared; bound the values that go into the computation"
    )]
    Error {
        /// Its estimate.
        error: f64,
    },
    /// Not a valid bound of the error.
    #[error(
        "the error is to be at least {got}: it cannot be shared; give a finite number from 0 on"
    )]
    ErrorAtLeast {
        /// What was given.
        got: f64,
    },
    /// What is promised is nothing, or too much.
    #[error(
        "{security_bits} bits of security for {queries} queries cannot be stated: take 1 query or \
         more, and for as many from 1 to {most} bits"
    )]
    Statement {
        /// Bits of security.
        security_bits: u32,
        /// Decryptions.
        queries: u32,
        /// The most bits.
        most: u32,
    },
    /// The modulus has no room for the noise.
    #[error(
        "{bits:.1} bits of noise flooding, and {most:.1} have room in the modulus at level \
        {level}: {alternatives}; or decrypt at a higher level"
    )]
    Room {
        /// What the statement takes.
        bits: f64,
        /// What there is room for.
        most: f64,
        /// The ciphertext's level.
        level: usize,
        /// What could be stated.
        alternatives: Alternatives,
    },
    /// The noise would exceed the values.
    #[error(
        "{bits:.1} bits of noise flooding, and with more than {most:.1} nothing is left of values \
        up to {magnitude:e}: {alternatives}; or compute on a larger scale"
    )]
    Precision {
        /// What the statement takes.
        bits: f64,
        /// The bits with which the noise is as large as the values.
        most: f64,
        /// The bound of the values.
        magnitude: f64,
        /// What could be stated.
        alternatives: Alternatives,
    },
    /// All decryptions that were stated have been made.
    #[error(
        "{made} decryptions were shared, and it was stated that no more than {queries} would be: \
        the noise hides no more of them; state more from the first one on"
    )]
    Budget {
        /// How many there were.
        made: u32,
        /// The least number that was stated.
        queries: u32,
    },
    /// The ciphertext is of other parameters.
    #[error(transparent)]
    Parameters(#[from] EvaluationError),
}

/// Decryptions that a client has shared, and the fewest that it was told there would be.
#[derive(Debug, Default)]
pub(crate) struct Budget {
    made: u32,
    queries: Option<u32>,
}

impl Budget {
    /// The budget after one more.
    pub fn after(&self, sharing: &Sharing) -> Result<Self, SharingError> {
        let queries = self.queries.map_or(sharing.queries, |before| before.min(sharing.queries));
        if self.made >= queries {
            return Err(SharingError::Budget { made: self.made, queries });
        }
        Ok(Self { made: self.made + 1, queries: Some(queries) })
    }
}
