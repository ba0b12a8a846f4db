// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The evaluator of functions: an evaluator and polynomials with its keys.

use crate::estimate::{Bound, Noise};
use crate::evaluator::{Ciphertext, Evaluator};
use crate::polynomial::PolynomialEvaluator;

/// Computes reciprocals, roots, signs and comparisons with an evaluator's keys.
#[derive(Clone, Copy)]
pub struct FunctionEvaluator<'a> {
    pub(super) evaluator: &'a Evaluator,
    pub(super) polynomials: PolynomialEvaluator<'a>,
}

impl<'a> FunctionEvaluator<'a> {
    /// An evaluator of functions with these keys.
    pub fn new(evaluator: &'a Evaluator) -> Self {
        Self { evaluator, polynomials: PolynomialEvaluator::new(evaluator) }
    }
}

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
