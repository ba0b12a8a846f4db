// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Estimates of the errors that operations add.
//!
//! Errors are modeled as independent and nearly Gaussian, as usual (Costache, Curtis, Hales,
//! Murphy, Ogilvie, Player, "On the precision loss in approximate homomorphic encryption", SAC
//! 2023): if the errors of coefficients have the standard deviation σ, then those of n slots, which
//! come from 2n coefficients, have σ·√2n.

use super::bootstrap::BootstrapShape;
use super::chain::Chain;
use super::parameters::Parameters;
use super::scale::Scale;
use super::security::{SecretKind, SPARSE_WEIGHT};
use crate::estimate::{Noise, Origin};
use crate::ring::Basis;
use crate::sampling::STANDARD_DEVIATION;

/// The inputs of the estimates: parameters, or a candidate for them.
pub(crate) trait Setting {
    /// The moduli, and log₂ N.
    fn moduli(&self) -> (&Chain, u32);

    /// The distribution of secrets.
    fn secret(&self) -> SecretKind;

    /// The number of parties whose secrets add up to the secret key.
    fn parties(&self) -> usize;
}

impl Setting for Parameters {
    fn moduli(&self) -> (&Chain, u32) {
        (self.chain(), self.ring().log_degree())
    }

    fn secret(&self) -> SecretKind {
        self.secret_kind()
    }

    fn parties(&self) -> usize {
        Self::parties(self)
    }
}

/// The degree N of the ring.
fn degree(setting: &impl Setting) -> f64 {
    f64::from(setting.moduli().1).exp2()
}

/// The error of each of `slots` slots if the errors of coefficients have this standard deviation.
fn in_slots(deviation: f64, scale: Scale, slots: usize) -> f64 {
    // Too small for a double, such as after a switch of few primes with a key of many.
    if deviation == 0.0 {
        return 0.0;
    }
    (Scale::exp2((deviation * (2.0 * slots as f64).sqrt()).log2()) / scale).value()
}

/// The error of an embedding of `slots` slots computed in doubles, for values up to `magnitude`:
/// each of the log₂(slots) stages rounds.
pub(crate) fn double_error(magnitude: f64, slots: usize) -> f64 {
    magnitude * f64::EPSILON / 2.0 * (2.0 + slots.max(1).ilog2() as f64 / 2.0)
}

/// The error of the rounding of coefficients to integers.
pub(crate) fn integer_error(scale: Scale, slots: usize) -> f64 {
    in_slots(12f64.sqrt().recip(), scale, slots)
}

/// The mean square of the secret's coefficients, times N. The secrets of parties are independent.
fn secret_weight(setting: &impl Setting) -> f64 {
    match setting.secret() {
        SecretKind::Ternary => parties(setting) * degree(setting) * 2.0 / 3.0,
        SecretKind::Sparse => SPARSE_WEIGHT as f64,
    }
}

/// The number of parties: the factor of the variance of an error to which each party contributes.
fn parties(setting: &impl Setting) -> f64 {
    setting.parties() as f64
}

/// The error of an encryption with the secret key.
pub(crate) fn fresh_error(scale: Scale, slots: usize) -> f64 {
    in_slots(STANDARD_DEVIATION, scale, slots).hypot(integer_error(scale, slots))
}

/// The error of an encryption with the public key: v·e + e₀ + e₁·s with ternary v. The error e of
/// the key is a sum over the parties.
pub(crate) fn public_error(setting: &impl Setting, scale: Scale, slots: usize) -> f64 {
    let mask = degree(setting) * 2.0 / 3.0;
    let squares = parties(setting) * mask + 1.0 + secret_weight(setting);
    in_slots(STANDARD_DEVIATION * squares.sqrt(), scale, slots).hypot(integer_error(scale, slots))
}

/// The error of a division: both parts are rounded, and the second is multiplied by s.
pub(crate) fn rounding_error(setting: &impl Setting, scale: Scale, slots: usize) -> f64 {
    let squares = (1.0 + secret_weight(setting)) / 12.0;
    in_slots(squares.sqrt(), scale, slots)
}

/// The error of a key switch of a polynomial with these primes: the digits times the key's errors
/// over P, and the rounding.
pub(crate) fn switching_error(
    setting: &impl Setting,
    basis: &Basis,
    scale: Scale,
    slots: usize,
) -> f64 {
    let chain = setting.moduli().0;
    switching_error_by(setting, (&chain.special, &chain.digits), basis, scale, slots)
}

/// The error of the key switch after a product. The relinearization key of several parties has the
/// error s·e₀ + u·e₁ + e₂, where the secret s and the mask u are sums of ternary polynomials, one
/// of each party, and e₀, e₁ and e₂ are sums of errors. In a slot that makes products of three
/// Gaussian numbers with the digits, which exceed 5 deviations in one slot of 4,400. The estimate
/// is √2 times the deviation, beyond five times which there is one of 100,000.
pub(crate) fn relinearization_error(
    setting: &impl Setting,
    basis: &Basis,
    scale: Scale,
    slots: usize,
) -> f64 {
    let squares = match setting.parties() {
        1 => 1.0,
        _ => 2.0 * parties(setting) * (2.0 * secret_weight(setting) + 1.0),
    };
    let chain = setting.moduli().0;
    let of = (&chain.special, &chain.digits[..]);
    digits_error(setting, of, squares, basis, scale, slots)
        .hypot(rounding_error(setting, scale, slots))
}

/// Like [`switching_error`], with a key that has these special primes and digits.
pub(crate) fn switching_error_by(
    setting: &impl Setting,
    of: (&Basis, &[Basis]),
    basis: &Basis,
    scale: Scale,
    slots: usize,
) -> f64 {
    digits_error(setting, of, parties(setting), basis, scale, slots)
        .hypot(rounding_error(setting, scale, slots))
}

/// The error of the digits times the errors of a key, over P. The variance of a coefficient of a
/// key's error is `squares` times that of a sampled error.
fn digits_error(
    setting: &impl Setting,
    (special, digits): (&Basis, &[Basis]),
    squares: f64,
    basis: &Basis,
    scale: Scale,
    slots: usize,
) -> f64 {
    let chain = setting.moduli().0;
    let special = chain.modulus(special);
    let quotients: f64 = digits
        .iter()
        .map(|digit| digit.common(basis))
        .filter(|digit| !digit.is_empty())
        .map(|digit| (chain.modulus(&digit) / special).value().powi(2))
        .sum();
    let deviation = STANDARD_DEVIATION * (squares * degree(setting) * quotients / 12.0).sqrt();
    in_slots(deviation, scale, slots)
}

/// Upper bound of the error that rounding in the last levels of SlotToCoeff adds, relative to that
/// of one division: the matrices amplify it. Measured at N = 2¹⁰ … 2¹³ and 2¹⁶: 4 to 10.
const OUTWARDS: f64 = 12.0;
/// The same bound for all rounding before the doubling of angles, relative to a division there.
/// Measured: 10.
const ANGLES: f64 = 12.0;

/// The noise of a bootstrap of values of absolute value up to 1. With two rounds, the error of the
/// first is magnified and bootstrapped, except for its rounding.
pub(crate) fn bootstrap_noise(setting: &impl Setting, shape: &BootstrapShape) -> Noise {
    let noise = |(sine, other): (f64, f64)| {
        Noise::source(Origin::derived("bootstrap", []), other).with_rest(sine)
    };
    let first = noise(round_error(setting, shape, 1.0));
    if shape.gain_bits() == 0 {
        return first;
    }
    let (gain, slots) = (shape.gain().value(), shape.slots());
    let magnitude = size_of_error(first.deviation()) * gain;
    let second = noise(round_error(setting, shape, magnitude)).scaled(1.0 / gain);
    let rounding = rounding_error(setting, setting.moduli().0.levels[0].scale, slots);
    second.with(Origin::derived("the first round", []), rounding)
}

/// The magnitude of Gaussian values whose sine error matches that of a round's error. The latter
/// consists of cubed coefficients x³, for which the sine adds x⁹. For a standard Gaussian x, the
/// mean of x¹⁸ is 26² times the fourth power of the mean of x⁶: 26 times the sine error of Gaussian
/// values of the same size, hence about that of values three times as large.
pub(crate) fn size_of_error(error: f64) -> f64 {
    3.0 * error
}

/// The error of a round of a bootstrap of values up to `magnitude`: the error of the sine, which is
/// the same for equal values, and the rest.
fn round_error(setting: &impl Setting, shape: &BootstrapShape, magnitude: f64) -> (f64, f64) {
    let (levels, slots) = (&setting.moduli().0.levels, shape.slots());
    let outwards = rounding_error(setting, levels[shape.levels].scale / shape.gain(), slots);
    let angles = rounding_error(setting, levels[shape.doubling_level()].scale, slots);
    let angles = angles * shape.slots_of_cosines(slots);
    (shape.sine_error(slots, magnitude), (OUTWARDS * outwards).hypot(ANGLES * angles))
}
