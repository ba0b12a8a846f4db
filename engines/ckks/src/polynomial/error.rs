// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Why a polynomial or a function cannot be evaluated.

use super::basis::PolynomialBasis;
use crate::evaluator::EvaluationError;

/// The greatest degree.
pub const MAX_DEGREE: usize = 4095;

/// Why a polynomial or a function cannot be made or evaluated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "messages name the fields")]
pub enum PolynomialError {
    /// It has no coefficient.
    #[error("a polynomial has at least one coefficient")]
    Empty,
    /// A coefficient is infinite or no number.
    #[error("the coefficient of degree {degree} is not finite")]
    NotFinite { degree: usize },
    /// The degree is too large.
    #[error("polynomials have a degree up to {MAX_DEGREE}; got {got}")]
    Degree { got: usize },
    /// An interval is empty, reversed or not finite.
    #[error("[{from}, {to}] is no interval: take two finite numbers, the smaller one first")]
    Interval { from: f64, to: f64 },
    /// Arguments may lie outside the interval.
    #[error(
        "values may lie from {low} to {high}, and the polynomial is for [{from}, {to}], outside of \
        which it may be anything: take an interval with all of them, or declare where they lie"
    )]
    Outside { low: f64, high: f64, from: f64, to: f64 },
    /// Arguments may be complex.
    #[error(
        "a polynomial on an interval is of real numbers, and these are complex, up to {magnitude}: \
        declare that they are real, or encrypt them as real numbers"
    )]
    NotReal { magnitude: f64 },
    /// The function has no finite value in the interval.
    #[error("the function is not finite at {at}: take an interval on which it is")]
    Function { at: f64 },
    /// No error, or one that doubles cannot reach.
    #[error(
        "an error of {got} cannot be reached: it must be positive, and that of a sign below 1"
    )]
    Error { got: f64 },
    /// The wanted error takes a higher degree.
    #[error(
        "an error of {wanted:e} takes too high a degree, one of {reached:e} does not: take a \
        smaller interval, a smoother function or a larger error"
    )]
    NotReached { reached: f64, wanted: f64 },
    /// Functions take more terms than are allowed for.
    #[error(
        "the functions take more than the {most} terms that approximations may add up here: take fewer \
        functions, smaller intervals or a larger error"
    )]
    TooMuch { most: u64 },
    /// Whoever wanted the result does not any more.
    #[error("stopped: nobody wants the result any more")]
    Stopped,
    /// The number of polynomials of blocks is none or no power of two.
    #[error("blocks have a power of two of polynomials; got {got}")]
    Polynomials { got: usize },
    /// The slots of a block are none or no power of two.
    #[error("a block has a power of two of slots; got {got}")]
    Block { got: usize },
    /// Polynomials of blocks have different bases or intervals.
    #[error(
        "the polynomials of blocks have one basis and one interval: that of place {place} is in {got}, \
        and the first one in {first}"
    )]
    Basis {
        /// The place of the first one that differs, from 0 on.
        place: usize,
        got: PolynomialBasis,
        first: PolynomialBasis,
    },
    /// Slots do not hold a block of each polynomial.
    #[error("{count} blocks of {block} slots are more than the {slots} slots of the vector")]
    Slots { count: usize, block: usize, slots: usize },
    /// An operation on ciphertexts is refused.
    #[error(transparent)]
    Evaluation(#[from] EvaluationError),
}

impl PolynomialError {
    /// The error of the operation on ciphertexts, if the cause is one.
    pub fn evaluation(&self) -> Option<&EvaluationError> {
        match self {
            Self::Evaluation(error) => Some(error),
            _ => None,
        }
    }
}
