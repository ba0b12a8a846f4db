// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Different polynomials in different blocks of slots, evaluated together.
//!
//! All polynomials share the powers of an argument. Only the coefficients differ; they become
//! plaintext vectors.

use super::basis::PolynomialBasis;
use super::bounds::Bounds;
use super::error::PolynomialError;
use super::plan::{degree_of_all, Cost, Plan};
use super::polynomial::Polynomial;
use crate::complex::Complex;
use crate::estimate::{Bound, Estimate};
use crate::evaluator::EvaluationError;
use crate::ring::LOG_DEGREES;

/// The number of slots of the largest ring.
const MOST_SLOTS: usize = 1 << (*LOG_DEGREES.end() - 1);

/// A polynomial for each block of slots: slot s has the polynomial of place s / block, modulo the
/// number of polynomials. All have the same basis and interval.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockPolynomials {
    /// The polynomials; their number is a power of two.
    polynomials: Vec<Polynomial>,
    /// The number of slots in a block, a power of two.
    block: usize,
}

impl BlockPolynomials {
    /// Returns polynomials for blocks of `block` slots each.
    ///
    /// # Errors
    /// [`PolynomialError::Polynomials`] and [`PolynomialError::Block`] for numbers that are not
    /// powers of two, [`PolynomialError::Basis`] for polynomials of different bases or intervals.
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

    /// Returns the polynomials in the order of their blocks.
    pub fn polynomials(&self) -> &[Polynomial] {
        &self.polynomials
    }

    /// Returns the number of slots in a block.
    pub fn block(&self) -> usize {
        self.block
    }

    /// Returns the basis of the coefficients.
    pub fn kind(&self) -> PolynomialBasis {
        self.polynomials[0].kind()
    }

    /// Returns the largest degree.
    pub fn degree(&self) -> usize {
        degree_of_all(&self.polynomials)
    }

    /// Returns the cost of an evaluation. It is the cost of one polynomial of the largest degree
    /// that has every coefficient that any of the polynomials has.
    pub fn cost(&self) -> Cost {
        Plan::of_all(&self.polynomials).cost
    }

    /// Returns the number of levels that an evaluation needs: [`Polynomial::levels`] of the largest
    /// degree.
    pub fn levels(&self) -> usize {
        self.polynomials[0].levels_of_degree(self.degree())
    }

    /// Returns the value in a slot.
    pub fn value(&self, slot: usize, x: impl Into<Complex>) -> Complex {
        self.polynomials[slot / self.block % self.polynomials.len()].value(x)
    }

    /// Checks that a vector of `length` values fills its slots, and that they have room for a block
    /// of each polynomial.
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

    /// Returns the number of slots of one block of each polynomial.
    ///
    /// # Errors
    /// [`PolynomialError::Slots`] for more slots than any ring has.
    pub(crate) fn period(&self) -> Result<usize, PolynomialError> {
        self.check_length(MOST_SLOTS)?;
        Ok(self.polynomials.len() * self.block)
    }

    /// Returns the estimate of a vector's result, without the errors of the computation.
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

    /// Returns the bounds for arguments in a bound: values lie in the union of the polynomials'
    /// bounds, and slopes do not exceed the largest.
    ///
    /// # Errors
    /// [`PolynomialError::NotReal`] and [`PolynomialError::Outside`] for arguments that polynomials
    /// on an interval do not support.
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
