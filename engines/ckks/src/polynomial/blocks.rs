// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Different polynomials in different blocks of slots, which are evaluated together.
//!
//! The powers of an argument are the same for all polynomials: only the numbers that they are
//! multiplied by differ, and are plaintext vectors instead.

use super::basis::PolynomialBasis;
use super::bounds::Bounds;
use super::error::PolynomialError;
use super::plan::{degree_of_all, Cost, Plan};
use super::polynomial::Polynomial;
use crate::complex::Complex;
use crate::estimate::{Bound, Estimate};
use crate::evaluator::EvaluationError;
use crate::ring::LOG_DEGREES;

/// The slots of the largest ring.
const MOST_SLOTS: usize = 1 << (*LOG_DEGREES.end() - 1);

/// A polynomial for each block of slots: slot s has the polynomial of place s / block, modulo their
/// number. All have the same basis and interval.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockPolynomials {
    /// A power of two of them.
    polynomials: Vec<Polynomial>,
    /// Slots of a block, a power of two.
    block: usize,
}

impl BlockPolynomials {
    /// Polynomials for blocks of `block` slots each.
    ///
    /// # Errors
    /// [`PolynomialError::Polynomials`] and [`PolynomialError::Block`] for numbers that are no power
    /// of two, [`PolynomialError::Basis`] for polynomials of different bases or intervals.
    pub fn new(polynomials: Vec<Polynomial>, block: usize) -> Result<Self, PolynomialError> {
        let got = polynomials.len();
        if !got.is_power_of_two() {
            return Err(PolynomialError::Polynomials { got });
        }
        if !block.is_power_of_two() {
            return Err(PolynomialError::Block { got: block });
        }
        let first = polynomials[0].kind();
        match polynomials.iter().position(|p| p.kind() != first) {
            Some(place) => {
                Err(PolynomialError::Basis { place, got: polynomials[place].kind(), first })
            }
            None => Ok(Self { polynomials, block }),
        }
    }

    /// The polynomials in the order of their blocks.
    pub fn polynomials(&self) -> &[Polynomial] {
        &self.polynomials
    }

    /// The slots of a block.
    pub fn block(&self) -> usize {
        self.block
    }

    /// The basis of the coefficients.
    pub fn kind(&self) -> PolynomialBasis {
        self.polynomials[0].kind()
    }

    /// The largest degree.
    pub fn degree(&self) -> usize {
        degree_of_all(&self.polynomials)
    }

    /// The cost of an evaluation, which is that of one polynomial of the largest degree with all
    /// coefficients that any of these has.
    pub fn cost(&self) -> Cost {
        Plan::of_all(&self.polynomials).cost
    }

    /// The levels that an evaluation takes: [`Polynomial::levels`] of the largest degree.
    pub fn levels(&self) -> usize {
        self.polynomials[0].levels_of_degree(self.degree())
    }

    /// The value in a slot.
    pub fn value(&self, slot: usize, x: impl Into<Complex>) -> Complex {
        self.polynomials[slot / self.block % self.polynomials.len()].value(x)
    }

    /// Checks that a vector of `length` values fills its slots, and that they hold a block of each
    /// polynomial.
    ///
    /// # Errors
    /// [`EvaluationError::Ragged`] and [`PolynomialError::Slots`].
    pub(crate) fn check_length(&self, length: usize) -> Result<(), PolynomialError> {
        let slots = length.next_power_of_two();
        if length != slots {
            let what = "a polynomial for each block";
            return Err(EvaluationError::Ragged { what, length, slots }.into());
        }
        let (count, block) = (self.polynomials.len(), self.block);
        match count.checked_mul(block).is_some_and(|all| all <= slots) {
            true => Ok(()),
            false => Err(PolynomialError::Slots { count, block, slots }),
        }
    }

    /// The slots of a block of each polynomial.
    ///
    /// # Errors
    /// [`PolynomialError::Slots`] for more than any ring has.
    pub(crate) fn period(&self) -> Result<usize, PolynomialError> {
        self.check_length(MOST_SLOTS)?;
        Ok(self.polynomials.len() * self.block)
    }

    /// What becomes of a vector's estimate, but for the errors of the computation.
    ///
    /// # Errors
    /// As [`Self::bounds`].
    pub(crate) fn estimate(&self, a: Estimate) -> Result<Estimate, PolynomialError> {
        let all = self.polynomials.iter().map(|p| p.estimate(a));
        let union = |a: Estimate, b: Estimate| Estimate {
            error: a.error.max(b.error),
            bound: a.bound.union(b.bound),
        };
        all.reduce(|a, b| Ok(union(a?, b?))).unwrap_or(Ok(a))
    }

    /// For arguments in a bound: values lie in the union of the polynomials' bounds, and no slope is
    /// larger.
    ///
    /// # Errors
    /// [`PolynomialError::NotReal`] and [`PolynomialError::Outside`] for arguments that polynomials
    /// on an interval are not for.
    pub(crate) fn bounds(&self, argument: Bound) -> Result<Bounds, PolynomialError> {
        let mut all = self.polynomials[0].bounds(argument)?;
        for p in &self.polynomials[1..] {
            let next = p.bounds(argument)?;
            all = Bounds {
                value: all.value.union(next.value),
                slope: all.slope.max(next.slope),
                slope_anywhere: all.slope_anywhere.max(next.slope_anywhere),
            };
        }
        Ok(all)
    }
}
