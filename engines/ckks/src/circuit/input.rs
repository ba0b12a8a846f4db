// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The inputs of a plan.

use crate::estimate::{Bound, Estimate};
use crate::evaluator::Ciphertext;
use crate::params::{fresh_error, Parameters};

/// The properties of an input that a plan depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Input {
    /// The level of the input.
    pub level: usize,
    /// The number of values.
    pub length: usize,
    /// The bound of the values, and the bound of their error.
    pub estimate: Estimate,
}

impl Input {
    /// Returns the properties of a fresh encryption of values in a bound, one in each slot.
    pub fn fresh(parameters: &Parameters, bound: Bound) -> Self {
        let (level, length) = (parameters.fresh_level(), parameters.slots());
        let error = fresh_error(parameters.level(level).scale, length);
        Self { level, length, estimate: Estimate { error, bound } }
    }
}

impl From<&Ciphertext> for Input {
    fn from(a: &Ciphertext) -> Self {
        Self { level: a.level(), length: a.length(), estimate: a.estimate() }
    }
}
