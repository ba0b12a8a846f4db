// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The security statement of shared decryptions, and the budget of such decryptions.

use super::error::{Alternatives, SharingError};
use super::expected::Expected;
use crate::complex::Complex;
use crate::params::Parameters;
use crate::sampling::{DIVERGENCE_BITS, DRAWS};

/// The security statement of a shared decryption, and the source of the bound of its error.
///
/// The error determines the size of the noise. It is known for a fresh ciphertext, and for results
/// that this process computed from fresh ciphertexts. For a ciphertext that somebody else computed,
/// the estimate in the file is only a claim, and noise for too small a claim hides nothing. Such a
/// ciphertext needs [`error_at_least`](Self::error_at_least) or [`expected`](Self::expected).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sharing {
    /// Bits of security, s.
    pub security_bits: u32,
    /// The total number of decryptions under one secret key that others may see, τ.
    pub queries: u32,
    /// A bound of the standard deviation of a slot's error that the owner of the secret knows, for
    /// a vector of the ciphertext's length. It must be above 0.
    pub error_at_least: Option<f64>,
    /// The result of the computation that the owner requested.
    pub expected: Option<Expected>,
}

impl Sharing {
    /// A statement for ciphertexts that were not computed by others.
    pub fn new(security_bits: u32, queries: u32) -> Self {
        Self { security_bits, queries, error_at_least: None, expected: None }
    }

    /// Adds a bound: the standard deviation of the error of a slot is at most this.
    #[must_use]
    pub fn with_error(self, error_at_least: f64) -> Self {
        Self { error_at_least: Some(error_at_least), ..self }
    }

    /// Adds the expected result of a known computation.
    #[must_use]
    pub fn expecting(self, expected: Expected) -> Self {
        Self { expected: Some(expected), ..self }
    }

    /// The bits by which the noise exceeds the bound of the error: s/2 + ½·log₂(12·τ·N).
    pub fn flooding_bits(&self, parameters: &Parameters) -> f64 {
        f64::from(self.security_bits) / 2.0 + self.query_bits(parameters)
    }

    /// ½·log₂(12·τ·N).
    fn query_bits(&self, parameters: &Parameters) -> f64 {
        (12.0 * f64::from(self.queries) * parameters.degree() as f64).log2() / 2.0
    }

    /// The largest number of bits of security for which the divergence of the sampler is below
    /// 2⁻ˢ/24.
    pub(super) fn most_security_bits(&self, parameters: &Parameters) -> f64 {
        let draws = 24.0 * DRAWS * parameters.degree() as f64 * f64::from(self.queries.max(1));
        DIVERGENCE_BITS - draws.log2()
    }

    pub(super) fn check(&self, parameters: &Parameters) -> Result<(), SharingError> {
        let &Self { security_bits, queries, error_at_least, .. } = self;
        let most = self.most_security_bits(parameters).floor() as u32;
        if queries == 0 || !(1..=most).contains(&security_bits) {
            return Err(SharingError::Statement { security_bits, queries, most });
        }
        match error_at_least.filter(|error| !(error.is_finite() && *error > 0.0)) {
            None => Ok(()),
            Some(got) => Err(SharingError::ErrorAtLeast { got }),
        }
    }

    /// Returns the statements that fit `bits` bits of noise.
    pub(super) fn alternatives(&self, parameters: &Parameters, bits: f64) -> Alternatives {
        let security_bits = 2.0 * (bits - self.query_bits(parameters));
        let queries = self.queries as f64 * (2.0 * (bits - self.flooding_bits(parameters))).exp2();
        // Conversions of negative numbers return 0.
        Alternatives { security_bits: security_bits as u32, queries: queries as u32 }
    }
}

/// A decryption that may be shared with others.
#[derive(Clone, Debug, PartialEq)]
pub struct Shared {
    /// The values with their noise, rounded to a power of two of at most a quarter of its standard
    /// deviation.
    pub values: Vec<Complex>,
    /// The remaining correct bits after the binary point: −log₂ of the standard deviation of a
    /// slot's noise.
    pub precision_bits: f64,
    /// The bits by which the noise exceeds the bound of the error.
    pub flooding_bits: f64,
    /// The bound of the standard deviation of a slot's error from which the noise was derived.
    pub error_bound: f64,
}

/// The number of decryptions that a client has shared, and the smallest number that was stated.
#[derive(Debug, Default)]
pub(crate) struct Budget {
    made: u32,
    queries: Option<u32>,
}

impl Budget {
    /// Returns the budget after `made` decryptions.
    pub fn of_parts(made: u32, queries: Option<u32>) -> Self {
        Self { made, queries }
    }

    /// The number of decryptions.
    pub fn made(&self) -> u32 {
        self.made
    }

    /// The smallest number that was stated.
    pub fn queries(&self) -> Option<u32> {
        self.queries
    }

    /// Returns the budget after one more decryption.
    pub fn after(&self, sharing: &Sharing) -> Result<Self, SharingError> {
        let queries = self.queries.map_or(sharing.queries, |before| before.min(sharing.queries));
        if self.made >= queries {
            return Err(SharingError::Budget { made: self.made, queries });
        }
        Ok(Self { made: self.made + 1, queries: Some(queries) })
    }
}
