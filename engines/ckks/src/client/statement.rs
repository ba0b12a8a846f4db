// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The security statement of a decryption for others, and the budget of such decryptions.

use super::error::{Alternatives, SharingError};
use super::expected::Expected;
use crate::complex::Complex;
use crate::params::Parameters;
use crate::sampling::{DIVERGENCE_BITS, DRAWS};

/// The security statement of a decryption for others, and where the bound of its error comes from.
///
/// Noise is measured by the error. That of a fresh ciphertext, and of what was computed in this
/// process from such, is known. That of what somebody else computed is not: the estimate in its file
/// is what its writer claims, and a claim that is too small makes noise that hides nothing. So such a
/// ciphertext needs [`error_at_least`](Self::error_at_least) or [`expected`](Self::expected).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sharing {
    /// Bits of security, s.
    pub security_bits: u32,
    /// How many decryptions under one secret key others may see altogether, τ.
    pub queries: u32,
    /// A bound of the standard deviation of a slot's error that the owner of the secret knows, for a
    /// vector of as many values as the ciphertext has: above 0.
    pub error_at_least: Option<f64>,
    /// The result of the computation that the owner asked for.
    pub expected: Option<Expected>,
}

impl Sharing {
    /// `security_bits` bits of security for `queries` decryptions of what was not computed by others.
    pub fn new(security_bits: u32, queries: u32) -> Self {
        Self { security_bits, queries, error_at_least: None, expected: None }
    }

    /// The same for ciphertexts whose slots have errors of at most this standard deviation.
    #[must_use]
    pub fn with_error(self, error_at_least: f64) -> Self {
        Self { error_at_least: Some(error_at_least), ..self }
    }

    /// The same for the result of a computation that is known.
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

    /// The most bits of security for which the sampler's divergence is below 2⁻ˢ/24.
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
    /// The bound of the standard deviation of a slot's error by which the noise was measured.
    pub error_bound: f64,
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
