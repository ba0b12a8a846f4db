// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The estimates of a function's values.

use crate::estimate::{Bound, Noise};
use crate::evaluator::Ciphertext;

/// A ciphertext without an error, whose values lie in a bound.
pub(super) fn quiet(a: &Ciphertext, bound: Bound) -> Ciphertext {
    a.clone().exact().assuming(bound)
}

/// A function's values: with what it makes of its argument's noise, an error of its computation,
/// and by how much the function is missed.
pub(super) fn evaluated(
    values: &Ciphertext,
    inherited: &Noise,
    own: f64,
    missed: f64,
    bound: Bound,
) -> Ciphertext {
    let own = Noise::source(values.error_origin("function"), own);
    let noise = inherited.sum(&own).with_rest(missed);
    values.clone().with_noise(noise).assuming(bound)
}
