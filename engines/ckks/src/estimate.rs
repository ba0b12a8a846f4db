// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How large the error of a ciphertext is expected to be.
//!
//! Errors are taken for independent and Gaussian, as usual (Costache, Curtis, Hales, Murphy,
//! Ogilvie, Player, "On the precision loss in approximate homomorphic encryption", SAC 2023): a
//! polynomial whose coefficients have the standard deviation σ has slots of σ·√N. What is known of values is
//! the largest that they may be.

use crate::params::{Parameters, Scale, SecretKind, SPARSE_WEIGHT};
use crate::ring::Basis;
use crate::sampling::STANDARD_DEVIATION;

/// The expected error of the values in a ciphertext's slots, and how large they may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Standard deviation of the error of a slot.
    pub error: f64,
    /// A bound of the values' absolute value.
    pub magnitude: f64,
}

impl Estimate {
    /// Of values that are known but for the rounding of their encoding.
    pub(crate) fn encoded(parameters: &Parameters, magnitude: f64, scale: Scale) -> Self {
        Self { error: in_slots(parameters, 1.0 / 12f64.sqrt(), scale), magnitude }
    }

    /// With an independent error of this standard deviation as well.
    #[must_use]
    pub(crate) fn with_error(self, error: f64) -> Self {
        Self { error: self.error.hypot(error), ..self }
    }

    /// Of a sum or a difference.
    #[must_use]
    pub(crate) fn sum(self, other: Self) -> Self {
        let magnitude = self.magnitude + other.magnitude;
        Self { error: self.error.hypot(other.error), magnitude }
    }

    /// Of a product.
    #[must_use]
    pub(crate) fn product(self, other: Self) -> Self {
        let crossed = (self.error * other.magnitude).hypot(self.magnitude * other.error);
        Self {
            error: crossed.hypot(self.error * other.error),
            magnitude: self.magnitude * other.magnitude,
        }
    }

    /// The bits behind the point that are right: −log₂ of the error's standard deviation.
    pub fn precision_bits(self) -> f64 {
        -self.error.log2()
    }
}

/// The error in the slots of errors of coefficients with a standard deviation.
fn in_slots(parameters: &Parameters, deviation: f64, scale: Scale) -> f64 {
    let degree = parameters.degree() as f64;
    (Scale::exp2((deviation * degree.sqrt()).log2()) / scale).value()
}

/// The mean square of the secret's coefficients, times N.
fn secret_weight(parameters: &Parameters) -> f64 {
    match parameters.secret_kind() {
        SecretKind::Ternary => parameters.degree() as f64 * 2.0 / 3.0,
        SecretKind::Sparse => SPARSE_WEIGHT as f64,
    }
}

/// Of an encryption by the secret key.
pub(crate) fn fresh_error(parameters: &Parameters, scale: Scale) -> f64 {
    in_slots(parameters, STANDARD_DEVIATION, scale)
}

/// Of an encryption by the public key: v·e + e₀ + e₁·s with ternary v.
pub(crate) fn public_error(parameters: &Parameters, scale: Scale) -> f64 {
    let degree = parameters.degree() as f64;
    let squares = degree * 2.0 / 3.0 + 1.0 + secret_weight(parameters);
    in_slots(parameters, STANDARD_DEVIATION * squares.sqrt(), scale)
}

/// Of a division: both parts are rounded, the second is multiplied by s.
pub(crate) fn rounding_error(parameters: &Parameters, scale: Scale) -> f64 {
    let squares = (1.0 + secret_weight(parameters)) / 12.0;
    in_slots(parameters, squares.sqrt(), scale)
}

/// Of a key switch of a polynomial with these primes: its digits times the key's errors over P, and
/// the rounding.
pub(crate) fn switching_error(parameters: &Parameters, basis: &Basis, scale: Scale) -> f64 {
    let chain = parameters.chain();
    let special = chain.modulus(&chain.special);
    let squares: f64 = chain
        .digits
        .iter()
        .map(|digit| digit.common(basis))
        .filter(|digit| !digit.is_empty())
        .map(|digit| (chain.modulus(&digit) / special).value().powi(2))
        .sum();
    let degree = parameters.degree() as f64;
    let deviation = STANDARD_DEVIATION * (degree * squares / 12.0).sqrt();
    in_slots(parameters, deviation, scale).hypot(rounding_error(parameters, scale))
}
