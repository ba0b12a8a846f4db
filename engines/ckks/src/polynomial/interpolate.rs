// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Functions as polynomials: interpolation in the zeros of a Chebyshev polynomial, which is within
//! a factor of ln(degree) of the best approximation (Trefethen, "Approximation theory and
//! approximation practice", 2013, chapters 3 and 15).

use super::allowance::Allowance;
use super::basis::PolynomialBasis;
use super::bounds::chebyshev_points;
use super::error::{PolynomialError, MAX_DEGREE};
use super::polynomial::{check_interval, trim, Polynomial};
use crate::complex::Complex;

/// Smaller coefficients, relative to the largest, are rounding errors. Most have the wrong parity,
/// and a polynomial without them costs half the work.
const NEGLIGIBLE: f64 = 1.0 / (1u64 << 49) as f64;
/// The number of points per degree at which an approximation is compared with its function.
const POINTS_PER_DEGREE: usize = 5;

/// The accuracy that an approximation must have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Accuracy {
    /// The polynomial of this degree.
    Degree(usize),
    /// The polynomial of the lowest degree whose error is at most this.
    Error(f64),
}

impl Polynomial {
    /// Returns the Chebyshev interpolation of a function on an interval.
    ///
    /// # Errors
    /// [`PolynomialError`] for an invalid interval, a function that is not finite, a degree above
    /// [`MAX_DEGREE`] and an error that needs such a degree.
    pub fn approximation<C: Into<Complex>>(
        function: impl Fn(f64) -> C,
        interval: (f64, f64),
        accuracy: Accuracy,
    ) -> Result<Self, PolynomialError> {
        Self::approximation_within(function, interval, accuracy, &Allowance::unlimited())
    }

    /// As [`Self::approximation`] within an allowance of work, for untrusted functions.
    ///
    /// # Errors
    /// As [`Self::approximation`], [`PolynomialError::TooMuch`] and [`PolynomialError::Stopped`].
    pub fn approximation_within<C: Into<Complex>>(
        function: impl Fn(f64) -> C,
        interval: (f64, f64),
        accuracy: Accuracy,
        allowance: &Allowance,
    ) -> Result<Self, PolynomialError> {
        check_interval(interval)?;
        let function = |x: f64| finite(function(x).into(), x);
        let wanted = match accuracy {
            Accuracy::Degree(got) if got > MAX_DEGREE => {
                return Err(PolynomialError::Degree { got });
            }
            Accuracy::Degree(degree) => {
                let coefficients = interpolate(&function, interval, degree + 1, allowance)?;
                return measured(coefficients, interval, &function, allowance);
            }
            Accuracy::Error(got) if got.is_nan() || got <= 0.0 => {
                return Err(PolynomialError::Error { got });
            }
            Accuracy::Error(error) => error,
        };
        let mut count = 16;
        loop {
            let mut coefficients = interpolate(&function, interval, count, allowance)?;
            // Drops the coefficients that together make half of the allowed error.
            let mut tail = 0.0;
            while let Some(last) = coefficients.pop() {
                tail += last.abs();
                if tail > wanted / 2.0 {
                    coefficients.push(last);
                    break;
                }
            }
            let is_converged = 4 * coefficients.len() <= 3 * count || count > MAX_DEGREE;
            if coefficients.is_empty() {
                coefficients.push(Complex::default());
            }
            // Only converged coefficients are worth the comparison.
            if is_converged {
                let polynomial = measured(coefficients, interval, &function, allowance)?;
                let reached = polynomial.approximation_error;
                if reached <= wanted {
                    return Ok(polynomial);
                }
                if count > MAX_DEGREE {
                    return Err(PolynomialError::NotReached { reached, wanted });
                }
            }
            count *= 2;
        }
    }
}

fn finite(value: Complex, at: f64) -> Result<Complex, PolynomialError> {
    if value.is_finite() {
        return Ok(value);
    }
    Err(PolynomialError::Function { at })
}

/// Maps y in [−1, 1] to an interval.
fn point((from, to): (f64, f64), y: f64) -> f64 {
    // Exact at both ends.
    from * ((1.0 - y) / 2.0) + to * ((1.0 + y) / 2.0)
}

/// Returns the coefficients of the polynomial through `count` points:
/// cⱼ = 2/n · Σ f(xₖ)·cos(π·j·(2k + 1)/2n), and half of that for j = 0.
fn interpolate(
    function: &impl Fn(f64) -> Result<Complex, PolynomialError>,
    interval: (f64, f64),
    count: usize,
    allowance: &Allowance,
) -> Result<Vec<Complex>, PolynomialError> {
    let order = 4 * count;
    let cosines: Vec<f64> = (0..order).map(|m| Complex::root(m as u64, order as u64).re).collect();
    let values = (0..count).map(|k| function(point(interval, cosines[2 * k + 1])));
    let values = values.collect::<Result<Vec<_>, _>>()?;
    let coefficient = |j: usize| -> Result<Complex, PolynomialError> {
        allowance.take(count)?;
        let terms = values.iter().enumerate();
        let sum = terms.fold(Complex::default(), |sum, (k, value)| {
            sum + *value * cosines[j * (2 * k + 1) % order]
        });
        Ok(sum * (if j == 0 { 1.0 } else { 2.0 } / count as f64))
    };
    let coefficients: Result<Vec<Complex>, PolynomialError> = (0..count).map(coefficient).collect();
    let mut coefficients = coefficients?;
    let most = coefficients.iter().map(|c| c.abs()).fold(0.0, f64::max);
    for c in &mut coefficients {
        for part in [&mut c.re, &mut c.im] {
            if part.abs() < most * NEGLIGIBLE {
                *part = 0.0;
            }
        }
    }
    Ok(coefficients)
}

/// Returns the polynomial with its measured difference from the function.
fn measured(
    mut coefficients: Vec<Complex>,
    interval: (f64, f64),
    function: &impl Fn(f64) -> Result<Complex, PolynomialError>,
    allowance: &Allowance,
) -> Result<Polynomial, PolynomialError> {
    trim(&mut coefficients);
    let kind = PolynomialBasis::Chebyshev { from: interval.0, to: interval.1 };
    let mut polynomial = Polynomial { kind, coefficients, approximation_error: 0.0 };
    for y in chebyshev_points(POINTS_PER_DEGREE * (polynomial.degree() + 20)) {
        allowance.take(polynomial.coefficients.len())?;
        let x = point(interval, y);
        let error = (function(x)? - polynomial.value(x)).abs();
        polynomial.approximation_error = polynomial.approximation_error.max(error);
    }
    Ok(polynomial)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_approximated_as_well_as_asked() {
        type Case = (fn(f64) -> f64, (f64, f64));
        let functions: [Case; 5] = [
            (f64::exp, (-3.0, 2.0)),
            (f64::sin, (-10.0, 10.0)),
            (|x| 1.0 / (1.0 + (-x).exp()), (-8.0, 8.0)),
            (f64::sqrt, (0.01, 4.0)),
            (|x| 7.0 * x * x - 1.0, (5.0, 6.0)),
        ];
        for (function, interval) in functions {
            let mut last = 0;
            for error in [1e-2, 1e-5, 1e-9] {
                let accuracy = Accuracy::Error(error);
                let found = Polynomial::approximation(function, interval, accuracy).unwrap();
                assert!(found.approximation_error() <= error && found.degree() >= last);
                for step in 0..=1000 {
                    let x = point(interval, f64::from(step) / 500.0 - 1.0);
                    assert!((found.value(x).re - function(x)).abs() <= 1.01 * error, "{x}");
                }
                last = found.degree();
                // The degree is not far above the lowest that interpolation needs.
                let accuracy = Accuracy::Degree(last * 2 / 3);
                let lower = Polynomial::approximation(function, interval, accuracy).unwrap();
                assert!(lower.approximation_error() > error, "degree {last} for {error}");
            }
        }
    }

    #[test]
    fn odd_and_even_functions_have_half_the_coefficients() {
        for (parity, function) in [(1, f64::sin as fn(f64) -> f64), (0, f64::cos)] {
            let accuracy = Accuracy::Error(1e-10);
            let found = Polynomial::approximation(function, (-6.0, 6.0), accuracy).unwrap();
            let coefficients = found.coefficients().iter().enumerate();
            assert!(coefficients.clone().all(|(k, c)| c.abs() == 0.0 || k % 2 == parity));
            assert!(coefficients.filter(|(_, c)| c.abs() > 0.0).count() > 8);
        }
        let turn = |x: f64| Complex::new(x.cos(), x.sin());
        let found = Polynomial::approximation(turn, (-1.0, 1.0), Accuracy::Error(1e-12)).unwrap();
        assert!((found.value(0.3) - turn(0.3)).abs() < 1e-12);
    }

    #[test]
    fn what_cannot_be_approximated_says_why() {
        let error = |interval, accuracy| {
            Polynomial::approximation(|x| 1.0 / x, interval, accuracy).unwrap_err()
        };
        let of_degree = Accuracy::Degree(8);
        for (from, to) in [(1.0, 1.0), (2.0, 1.0), (0.0, f64::INFINITY), (f64::MIN, f64::MAX)] {
            assert_eq!(error((from, to), of_degree), PolynomialError::Interval { from, to });
        }
        for interval in [(f64::NAN, 1.0), (0.0, f64::NAN)] {
            assert!(matches!(error(interval, of_degree), PolynomialError::Interval { .. }));
        }
        assert_eq!(error((-1.0, 1.0), of_degree), PolynomialError::Function { at: 0.0 });
        let got = MAX_DEGREE + 1;
        assert_eq!(error((1.0, 2.0), Accuracy::Degree(got)), PolynomialError::Degree { got });
        for got in [0.0, -1.0] {
            let expected = PolynomialError::Error { got };
            assert_eq!(error((1.0, 2.0), Accuracy::Error(got)), expected);
        }
        let absolute = |x: f64| x.abs();
        let accuracy = Accuracy::Error(1e-9);
        let error = Polynomial::approximation(absolute, (-1.0, 1.0), accuracy).unwrap_err();
        assert!(matches!(error, PolynomialError::NotReached { reached, .. } if reached < 1e-2));
    }
}
