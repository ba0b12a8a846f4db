// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A polynomial as its coefficients.

use super::basis::PolynomialBasis;
use super::error::{PolynomialError, MAX_DEGREE};
use crate::complex::Complex;

/// A polynomial with complex coefficients.
///
/// Prefer Chebyshev polynomials: their values and coefficients stay small where powers grow.
/// Outside their interval they grow without bound.
#[derive(Clone, Debug, PartialEq)]
pub struct Polynomial {
    pub(super) kind: PolynomialBasis,
    /// The coefficients. The last one is not zero unless it is the only one.
    pub(super) coefficients: Vec<Complex>,
    /// The largest difference from the function that the polynomial approximates.
    pub(super) approximation_error: f64,
}

impl Polynomial {
    /// Returns Σ cₖ·xᵏ.
    ///
    /// # Errors
    /// [`PolynomialError`] for an empty or too long list of coefficients, or one that is not
    /// finite.
    pub fn monomial<C: Into<Complex> + Copy>(coefficients: &[C]) -> Result<Self, PolynomialError> {
        Self::new(PolynomialBasis::Monomial, coefficients)
    }

    /// Returns Σ cₖ·Tₖ((2x − a − b)/(b − a)) on the interval [a, b].
    ///
    /// # Errors
    /// As [`Self::monomial`], and for an invalid interval.
    pub fn chebyshev<C: Into<Complex> + Copy>(
        coefficients: &[C],
        (from, to): (f64, f64),
    ) -> Result<Self, PolynomialError> {
        check_interval((from, to))?;
        Self::new(PolynomialBasis::Chebyshev { from, to }, coefficients)
    }

    fn new<C: Into<Complex> + Copy>(
        kind: PolynomialBasis,
        coefficients: &[C],
    ) -> Result<Self, PolynomialError> {
        let mut coefficients: Vec<Complex> = coefficients.iter().map(|c| (*c).into()).collect();
        if let Some(degree) = coefficients.iter().position(|c| !c.is_finite()) {
            return Err(PolynomialError::NotFinite { degree });
        }
        trim(&mut coefficients);
        match coefficients.len() {
            0 => Err(PolynomialError::Empty),
            len if len > MAX_DEGREE + 1 => Err(PolynomialError::Degree { got: len - 1 }),
            _ => Ok(Self { kind, coefficients, approximation_error: 0.0 }),
        }
    }

    /// Returns the basis of the coefficients.
    pub fn kind(&self) -> PolynomialBasis {
        self.kind
    }

    /// Returns the coefficients, starting with degree 0.
    pub fn coefficients(&self) -> &[Complex] {
        &self.coefficients
    }

    /// Returns the degree.
    pub fn degree(&self) -> usize {
        self.coefficients.len() - 1
    }

    /// Returns the largest difference from the function that the polynomial approximates, measured
    /// at many points; 0 for a polynomial constructed from coefficients.
    pub fn approximation_error(&self) -> f64 {
        self.approximation_error
    }

    /// Returns the same polynomial with an approximation error of 0.
    pub(crate) fn exact(&self) -> Self {
        Self { approximation_error: 0.0, ..self.clone() }
    }

    /// Returns `true` if an argument must first be mapped to [−1, 1], which costs a level.
    pub(super) fn has_map(&self) -> bool {
        match self.kind {
            PolynomialBasis::Monomial => false,
            PolynomialBasis::Chebyshev { from, to } => (from, to) != (-1.0, 1.0),
        }
    }

    /// Returns the factor and the summand of the map of the interval to [−1, 1].
    pub(super) fn map(&self) -> (f64, f64) {
        match self.kind {
            PolynomialBasis::Monomial => (1.0, 0.0),
            PolynomialBasis::Chebyshev { from, to } => {
                let width = to / 2.0 - from / 2.0;
                (1.0 / width, -(from / 2.0 + to / 2.0) / width)
            }
        }
    }

    /// Returns the value of the polynomial, by Horner's or Clenshaw's recurrence.
    pub fn value(&self, x: impl Into<Complex>) -> Complex {
        let x = x.into();
        let coefficients = self.coefficients.iter().rev();
        match self.kind {
            PolynomialBasis::Monomial => {
                coefficients.fold(Complex::default(), |sum, c| sum * x + *c)
            }
            PolynomialBasis::Chebyshev { .. } => {
                let (factor, summand) = self.map();
                clenshaw(&self.coefficients, x * factor + Complex::from(summand))
            }
        }
    }
}

/// Returns Σ cₖ·Tₖ(y).
pub(crate) fn clenshaw(coefficients: &[Complex], y: Complex) -> Complex {
    let (mut last, mut before) = (Complex::default(), Complex::default());
    for c in coefficients.iter().skip(1).rev() {
        (last, before) = (*c + y * last * 2.0 - before, last);
    }
    coefficients.first().copied().unwrap_or_default() + y * last - before
}

/// Drops coefficients of 0 from the end, except the first coefficient.
pub(super) fn trim(coefficients: &mut Vec<Complex>) {
    trim_zeros(coefficients, |c| *c == Complex::default());
}

/// As [`trim`], for any type of coefficients.
pub(super) fn trim_zeros<C>(coefficients: &mut Vec<C>, is_zero: impl Fn(&C) -> bool) {
    let len = coefficients.iter().rposition(|c| !is_zero(c)).map_or(1, |last| last + 1);
    coefficients.truncate(len);
}

/// Checks that an interval is valid and not too wide for doubles.
pub(super) fn check_interval((from, to): (f64, f64)) -> Result<(), PolynomialError> {
    let width = to / 2.0 - from / 2.0;
    let is_interval = from.is_finite() && to.is_finite() && (1.0 / width).is_normal();
    if !is_interval || width <= 0.0 {
        return Err(PolynomialError::Interval { from, to });
    }
    Ok(())
}
