// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Errors of polynomials and functions.

use super::basis::PolynomialBasis;
use crate::evaluator::EvaluationError;

/// The largest degree of a polynomial.
pub const MAX_DEGREE: usize = 4095;

/// Why a polynomial or a function cannot be constructed or evaluated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "messages name the fields")]
pub enum PolynomialError {
    /// The polynomial has no coefficients.
    #[error("a polynomial needs at least one coefficient")]
    Empty,
    /// A coefficient is infinite or not a number.
    #[error("the coefficient of degree {degree} is not finite")]
    NotFinite { degree: usize },
    /// The degree is too large.
    #[error("the degree of a polynomial is at most {MAX_DEGREE}; got {got}")]
    Degree { got: usize },
    /// An interval is empty, reversed or not finite.
    #[error("[{from}, {to}] is not an interval: use two finite numbers, the smaller one first")]
    Interval { from: f64, to: f64 },
    /// Arguments may lie outside the interval.
    #[error(
        "values may lie from {low} to {high}, but the polynomial approximates only \
        [{from}, {to}]: use an interval that contains all values, or declare their range"
    )]
    Outside { low: f64, high: f64, from: f64, to: f64 },
    /// Arguments may be complex.
    #[error(
        "a polynomial on an interval needs real arguments, and these are complex, up to \
        {magnitude}: declare that they are real, or encrypt them as real numbers"
    )]
    NotReal { magnitude: f64 },
    /// The function has no finite value in the interval.
    #[error("the function is not finite at {at}: use an interval on which it is")]
    Function { at: f64 },
    /// The requested error is 0 or less, or doubles cannot reach it.
    #[error("an error of {got} cannot be reached: it must be positive, and below 1 for a sign")]
    Error { got: f64 },
    /// The requested error needs a higher degree than the largest.
    #[error(
        "an error of {wanted:e} needs too high a degree, an error of {reached:e} does not: use a \
        smaller interval, a smoother function or a larger error"
    )]
    NotReached { reached: f64, wanted: f64 },
    /// Functions need more terms than the allowance has.
    #[error(
        "the functions need more than the limit of {most} terms for approximations: use fewer \
        functions, smaller intervals or a larger error"
    )]
    TooMuch { most: u64 },
    /// The result is no longer needed.
    #[error("stopped: the result is no longer needed")]
    Stopped,
    /// The number of polynomials of blocks is 0 or not a power of two.
    #[error("the number of polynomials of blocks must be a power of two; got {got}")]
    Polynomials { got: usize },
    /// The number of slots in a block is 0 or not a power of two.
    #[error("the number of slots in a block must be a power of two; got {got}")]
    Block { got: usize },
    /// Polynomials of blocks have different bases or intervals.
    #[error(
        "the polynomials of blocks must share one basis and interval: polynomial {place} is in \
        {got}, and the first one in {first}"
    )]
    Basis {
        /// The place of the first polynomial that differs, from 0 on.
        place: usize,
        got: PolynomialBasis,
        first: PolynomialBasis,
    },
    /// The slots have no room for a block of each polynomial.
    #[error("{count} blocks of {block} slots are more than the {slots} slots of the vector")]
    Slots { count: usize, block: usize, slots: usize },
    /// An operation on ciphertexts failed.
    #[error(transparent)]
    Evaluation(#[from] EvaluationError),
}

impl PolynomialError {
    /// Returns the error of the operation on ciphertexts, if that is the cause.
    pub fn evaluation(&self) -> Option<&EvaluationError> {
        match self {
            Self::Evaluation(error) => Some(error),
            _ => None,
        }
    }
}
