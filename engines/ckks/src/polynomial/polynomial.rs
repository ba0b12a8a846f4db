// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A polynomial by its coefficients.

use super::basis::PolynomialBasis;
use super::error::{PolynomialError, MAX_DEGREE};
use crate::complex::Complex;

/// A polynomial with complex coefficients.
///
/// Chebyshev polynomials are the ones to take: their values and coefficients stay small where
/// powers do not. Outside their interval they grow without bound.
#[derive(Clone, Debug, PartialEq)]
pub struct Polynomial {
    pub(super) kind: PolynomialBasis,
    /// The last one is not zero, but where it is the only one.
    pub(super) coefficients: Vec<Complex>,
    /// By how much it differs at most from the function that it stands for.
    pub(super) approximation_error: f64,
}

impl Polynomial {
    /// Σ cₖ·xᵏ.
    ///
    /// # Errors
    /// [`PolynomialError`] for no coefficients, too many or ones that are not finite.
    pub fn monomial<C: Into<Complex> + Copy>(coefficients: &[C]) -> Result<Self, PolynomialError> {
        Self::new(PolynomialBasis::Monomial, coefficients)
    }

    /// Σ cₖ·Tₖ((2x − a − b)/(b − a)) on the interval [a, b].
    ///
    /// # Errors
    /// As [`Self::monomial`], and for what is no interval.
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

    /// The basis of the coefficients.
    pub fn kind(&self) -> PolynomialBasis {
        self.kind
    }

    /// The coefficients, that of degree 0 first.
    pub fn coefficients(&self) -> &[Complex] {
        &self.coefficients
    }

    /// The degree.
    pub fn degree(&self) -> usize {
        self.coefficients.len() - 1
    }

    /// The largest difference from the function that it approximates, measured at many points; 0
    /// for a polynomial made from coefficients.
    pub fn approximation_error(&self) -> f64 {
        self.approximation_error
    }

    /// The same as a polynomial that stands for nothing but itself.
    pub(crate) fn exact(&self) -> Self {
        Self { approximation_error: 0.0, ..self.clone() }
    }

    /// Whether an argument must be taken to [−1, 1] first, which costs a level.
    pub(super) fn has_map(&self) -> bool {
        match self.kind {
            PolynomialBasis::Monomial => false,
            PolynomialBasis::Chebyshev { from, to } => (from, to) != (-1.0, 1.0),
        }
    }

    /// The factor and the summand of the map of the interval to [−1, 1].
    pub(super) fn map(&self) -> (f64, f64) {
        match self.kind {
            PolynomialBasis::Monomial => (1.0, 0.0),
            PolynomialBasis::Chebyshev { from, to } => {
                let width = to / 2.0 - from / 2.0;
                (1.0 / width, -(from / 2.0 + to / 2.0) / width)
            }
        }
    }

    /// Its value, by Horner's or Clenshaw's recurrence.
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

/// Σ cₖ·Tₖ(y).
pub(crate) fn clenshaw(coefficients: &[Complex], y: Complex) -> Complex {
    let (mut last, mut before) = (Complex::default(), Complex::default());
    for c in coefficients.iter().skip(1).rev() {
        (last, before) = (*c + y * last * 2.0 - before, last);
    }
    coefficients.first().copied().unwrap_or_default() + y * last - before
}

/// Drops coefficients of 0 from the end, but for the first.
pub(super) fn trim(coefficients: &mut Vec<Complex>) {
    trim_zeros(coefficients, |c| *c == Complex::default());
}

/// The same of any kind of coefficients.
pub(super) fn trim_zeros<C>(coefficients: &mut Vec<C>, is_zero: impl Fn(&C) -> bool) {
    let len = coefficients.iter().rposition(|c| !is_zero(c)).map_or(1, |last| last + 1);
    coefficients.truncate(len);
}

/// That an interval is one, and not wider than doubles can take.
pub(super) fn check_interval((from, to): (f64, f64)) -> Result<(), PolynomialError> {
    let width = to / 2.0 - from / 2.0;
    let is_interval = from.is_finite() && to.is_finite() && (1.0 / width).is_normal();
    if !is_interval || width <= 0.0 {
        return Err(PolynomialError::Interval { from, to });
    }
    Ok(())
}
