// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The estimates of functions.

use crate::estimate::{Bound, Noise};
use crate::evaluator::Ciphertext;

/// Returns a ciphertext without an error, whose values lie in a bound.
pub(super) fn quiet(a: &Ciphertext, bound: Bound) -> Ciphertext {
    a.clone().exact().assuming(bound)
}

/// Returns a function's values with the noise inherited from its argument, the error of its
/// computation and its approximation error.
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
