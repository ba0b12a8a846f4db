// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Bootstraps of values above 1.

use super::bootstrapper::BootstrapError;
use crate::estimate::Bound;
use crate::evaluator::{Ciphertext, EvaluationError, Server};
use crate::params::Scale;

/// Values up to 2 to the power of this are bootstrapped as they are: the sine's error, which grows by their
/// cube, is no larger than others.
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

impl Server {
    /// [`Self::bootstrap`] of values of absolute value up to `magnitude`, at most 128.
    ///
    /// Those above 4 are divided by a power of two on the way to the lowest level, which takes a ciphertext
    /// of level 1 or above, and are multiplied by it after. Both are changes of the scale: a polynomial
    /// that is brought to a scale 2^k times smaller stands, on the usual one, for values 2^k times
    /// smaller. Neither takes a level from the result, but its errors are 2^k times those of a bootstrap.
    ///
    /// # Errors
    /// As [`Self::bootstrap`], and for larger values and too low a level.
    pub fn bootstrap_within(
        &self,
        a: &Ciphertext,
        magnitude: f64,
    ) -> Result<Ciphertext, EvaluationError> {
        self.check_own(a)?;
        let a = &a.bounded(Bound::complex(magnitude));
        let bits = scaling_bits(a.bound().magnitude());
        if bits == 0 {
            return self.bootstrap_small(a);
        }
        if bits > MOST_BITS {
            let most = f64::from(TOLERATED_BITS + MOST_BITS).exp2();
            return Err(BootstrapError::Magnitude { got: magnitude, most }.into());
        }
        self.check_bootstrap_of(a.slots())?;
        if a.level() == 0 {
            let what = "a bootstrap of values above 4";
            return Err(EvaluationError::Level { what, got: 0, needed: 1 });
        }
        let usual = self.parameters().level(0).scale;
        let divided = self.at_scale(a, 0, usual / Scale::power_of_two(bits as i32))?;
        let divisor = f64::from(bits).exp2();
        let small = divided.read_on(usual, 1.0 / divisor);
        self.mul_integer(&self.bootstrap_small(&small)?, 1 << bits)
    }
}
