// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The automorphisms that implement rotations and conjugation.

use crate::params::Parameters;

/// The exponent of X that rotates the slots to the left by `steps`: 5^steps modulo 2N.
pub fn rotation_exponent(parameters: &Parameters, steps: i64) -> u64 {
    let (slots, order) = (parameters.slots() as i64, 2 * parameters.degree() as u64);
    let (mut power, mut exponent) = (5, 1);
    let mut left = steps.rem_euclid(slots) as u64;
    while left > 0 {
        if left & 1 == 1 {
            exponent = exponent * power % order;
        }
        power = power * power % order;
        left >>= 1;
    }
    exponent
}

/// The exponent of X that conjugates the slots: −1 modulo 2N.
pub fn conjugation_exponent(parameters: &Parameters) -> u64 {
    2 * parameters.degree() as u64 - 1
}
