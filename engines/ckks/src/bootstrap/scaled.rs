// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Bootstraps of values above 1.

use super::error::BootstrapError;
use crate::evaluator::{Ciphertext, EvaluationError, Evaluator};
use crate::params::Scale;

/// Values up to 2 to this power are bootstrapped as they are: the sine's error, which grows with
/// the cube of the values, is no larger than the other errors.
const TOLERATED_BITS: u32 = 2;
/// log₂ of the largest divisor. The rest of a level's 40 bits makes the division precise.
const MOST_BITS: u32 = 5;

/// Returns the number of bits by which values of a bound are divided before a bootstrap.
pub(crate) fn scaling_bits(magnitude: f64) -> u32 {
    // Rounding must not push estimates of values up to a power of two above it.
    let bits = (magnitude * (1.0 - 1e-9)).log2().ceil() - f64::from(TOLERATED_BITS);
    if bits.is_nan() {
        return u32::MAX;
    }
    bits.max(0.0) as u32
}

/// Returns `true` if values of this bound can be bootstrapped.
pub(crate) fn is_small_enough(magnitude: f64) -> bool {
    scaling_bits(magnitude) <= MOST_BITS
}

/// Divides the values of a ciphertext of level 1 or above by a power of two, at the lowest level:
/// the ciphertext is brought to a smaller scale and read on the usual one.
///
/// # Errors
/// [`BootstrapError::Magnitude`] for values that are too large to bootstrap, and
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
