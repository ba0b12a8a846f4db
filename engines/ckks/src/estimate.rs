// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How large the error of a ciphertext is expected to be.
//!
//! Errors are taken for independent and Gaussian, as usual (Costache, Curtis, Hales, Murphy,
//! Ogilvie, Player, "On the precision loss in approximate homomorphic encryption", SAC 2023): a
//! polynomial whose coefficients have the standard deviation σ has slots of σ·√N. What is known of values is
//! the largest that they may be. Errors of one ciphertext with itself are known to be the same; where
//! different operands share errors, as a and a + b do, each operation may lose half a bit more.

use crate::params::{BootstrapShape, Chain, Parameters, Scale, SecretKind, SPARSE_WEIGHT};
use crate::ring::Basis;
use crate::sampling::STANDARD_DEVIATION;

/// What errors depend on: parameters, or what may become some.
pub(crate) trait Setting {
    /// The moduli, and log₂ N.
    fn moduli(&self) -> (&Chain, u32);

    /// The distribution of secrets.
    fn secret(&self) -> SecretKind;
}

impl Setting for Parameters {
    fn moduli(&self) -> (&Chain, u32) {
        (self.chain(), self.ring().log_degree())
    }

    fn secret(&self) -> SecretKind {
        self.secret_kind()
    }
}

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
    pub(crate) fn encoded(setting: &impl Setting, magnitude: f64, scale: Scale) -> Self {
        Self { error: in_slots(setting, 1.0 / 12f64.sqrt(), scale), magnitude }
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

    /// Of a square, whose factors' errors are the same.
    #[must_use]
    pub(crate) fn square(self) -> Self {
        let Self { error, magnitude } = self;
        Self { error: error * (2.0 * magnitude).hypot(error), magnitude: magnitude * magnitude }
    }

    /// The bits behind the point that are right: −log₂ of the error's standard deviation.
    pub fn precision_bits(self) -> f64 {
        -self.error.log2()
    }
}

/// N.
fn degree(setting: &impl Setting) -> f64 {
    f64::from(setting.moduli().1).exp2()
}

/// The error in the slots of errors of coefficients with a standard deviation.
fn in_slots(setting: &impl Setting, deviation: f64, scale: Scale) -> f64 {
    // Below what a double can hold, as of a switch of few primes by a key with many.
    if deviation == 0.0 {
        return 0.0;
    }
    (Scale::exp2((deviation * degree(setting).sqrt()).log2()) / scale).value()
}

/// The mean square of the secret's coefficients, times N.
fn secret_weight(setting: &impl Setting) -> f64 {
    match setting.secret() {
        SecretKind::Ternary => degree(setting) * 2.0 / 3.0,
        SecretKind::Sparse => SPARSE_WEIGHT as f64,
    }
}

/// Of an encryption by the secret key.
pub(crate) fn fresh_error(setting: &impl Setting, scale: Scale) -> f64 {
    in_slots(setting, STANDARD_DEVIATION, scale)
}

/// Of an encryption by the public key: v·e + e₀ + e₁·s with ternary v.
pub(crate) fn public_error(setting: &impl Setting, scale: Scale) -> f64 {
    let squares = degree(setting) * 2.0 / 3.0 + 1.0 + secret_weight(setting);
    in_slots(setting, STANDARD_DEVIATION * squares.sqrt(), scale)
}

/// Of a division: both parts are rounded, the second is multiplied by s.
pub(crate) fn rounding_error(setting: &impl Setting, scale: Scale) -> f64 {
    let squares = (1.0 + secret_weight(setting)) / 12.0;
    in_slots(setting, squares.sqrt(), scale)
}

/// Of a key switch of a polynomial with these primes: its digits times the key's errors over P, and
/// the rounding.
pub(crate) fn switching_error(setting: &impl Setting, basis: &Basis, scale: Scale) -> f64 {
    let chain = setting.moduli().0;
    let special = chain.modulus(&chain.special);
    let squares: f64 = chain
        .digits
        .iter()
        .map(|digit| digit.common(basis))
        .filter(|digit| !digit.is_empty())
        .map(|digit| (chain.modulus(&digit) / special).value().powi(2))
        .sum();
    let deviation = STANDARD_DEVIATION * (degree(setting) * squares / 12.0).sqrt();
    in_slots(setting, deviation, scale).hypot(rounding_error(setting, scale))
}

/// How many times a division's error what SlotToCoeff's last levels round is, at most: its matrices make it larger.
/// Measured at N = 2¹⁰ … 2¹³ and 2¹⁶ were 4 to 10.
const OUTWARDS: f64 = 12.0;
/// The same of all before angles are doubled, relative to a division there: 10 were measured.
const ANGLES: f64 = 12.0;

/// Of a bootstrap of values of absolute value up to 1. Of two rounds, what the first is off by is magnified
/// and bootstrapped, without what was rounded on the way.
pub(crate) fn bootstrap_error(setting: &impl Setting, shape: &BootstrapShape) -> f64 {
    let first = round_error(setting, shape, 1.0);
    if shape.gain_bits() == 0 {
        return first;
    }
    let gain = shape.gain().value();
    let second = round_error(setting, shape, size_of_error(first) * gain) / gain;
    second.hypot(rounding_error(setting, setting.moduli().0.levels[0].scale))
}

/// The size of Gaussian values of which the sine errs as of what a round is off by: coefficients cubed, whose
/// ninth powers it adds. E[x¹⁸]/(E[x⁶])⁴ is 26².
pub(crate) fn size_of_error(error: f64) -> f64 {
    3.0 * error
}

/// Of a round of a bootstrap, of values up to a size.
fn round_error(setting: &impl Setting, shape: &BootstrapShape, magnitude: f64) -> f64 {
    let (levels, slots) = (&setting.moduli().0.levels, shape.slots());
    let outwards = rounding_error(setting, levels[shape.levels].scale / shape.gain());
    let angles = rounding_error(setting, levels[shape.doubling_level()].scale);
    let angles = angles * shape.slots_of_cosines(slots);
    shape.sine_error(slots, magnitude).hypot(OUTWARDS * outwards).hypot(ANGLES * angles)
}
