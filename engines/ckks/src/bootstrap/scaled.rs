// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Bootstraps of values above 1.

use super::error::BootstrapError;
use crate::evaluator::{Ciphertext, EvaluationError, Evaluator};
use crate::params::Scale;

/// Values up to 2 to the power of this are bootstrapped as they are: the sine's error, which grows
/// by their cube, is no larger than others.
const TOLERATED_BITS: u32 = 2;
/// log₂ of the largest divisor. What is left of a level's 40 bits makes the division precise.
const MOST_BITS: u32 = 5;

/// By how many bits values of a bound are divided before a bootstrap.
pub(crate) fn scaling_bits(magnitude: f64) -> u32 {
    // Estimates of values up to a power of two are not made larger by rounding.
    let bits = (magnitude * (1.0 - 1e-9)).log2().ceil() - f64::from(TOLERATED_BITS);
    if bits.is_nan() {
        return u32::MAX;
    }
    bits.max(0.0) as u32
}

/// Whether values of a bound may be bootstrapped.
pub(crate) fn is_small_enough(magnitude: f64) -> bool {
    scaling_bits(magnitude) <= MOST_BITS
}

/// The values of a ciphertext of level 1 or above over a power of two, at the lowest level: brought
/// to a scale as much smaller and read on the usual one.
///
/// # Errors
/// [`BootstrapError::Magnitude`] for values that may not be bootstrapped, and
/// [`EvaluationError::Level`] at the lowest level.
pub(super) fn divided(
    evaluator: &Evaluator,
    a: &Ciphertext,
    bits: u32,
) -> Result<Ciphertext, BootstrapError> {
    if bits > MOST_BITS {
        let most = f64::from(TOLERATED_BITS + MOST_BITS).exp2();
        return Err(BootstrapError::Magnitude { got: a.bound().magnitude(), most });
    }
    if a.level() == 0 {
        let what = "a bootstrap of values above 4";
        return Err(EvaluationError::Level { what, got: 0, needed: 1 }.into());
    }
    let usual = evaluator.parameters().level(0).scale;
    let divided = evaluator.at_scale(a, 0, usual / Scale::power_of_two(bits as i32))?;
    Ok(divided.read_on(usual, 1.0 / f64::from(bits).exp2()))
}
