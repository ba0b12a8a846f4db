// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Bounds of a polynomial and its derivative, for error estimates.

use super::basis::PolynomialBasis;
use super::error::PolynomialError;
use super::polynomial::{clenshaw, Polynomial};
use crate::complex::Complex;
use crate::estimate::{Bound, Estimate};

/// The number of evaluation points per degree.
const POINTS_PER_DEGREE: usize = 4;

/// The range of a polynomial's values, and the largest absolute value of its derivative.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bounds {
    pub value: Bound,
    /// The slope with respect to the argument in [−1, 1] of Chebyshev polynomials, for typical
    /// arguments: those of a sign function lie beyond its threshold.
    pub slope: f64,
    /// The same slope for all possible arguments.
    pub slope_anywhere: f64,
}

impl Polynomial {
    /// Returns the estimate of a vector's result, without the errors of the computation.
    ///
    /// # Errors
    /// As [`Self::bounds`].
    pub(crate) fn estimate(&self, a: Estimate) -> Result<Estimate, PolynomialError> {
        let bounds = self.bounds(a.bound)?;
        let inherited = bounds.slope * self.map().0.abs() * a.error;
        Ok(Estimate { error: inherited + self.approximation_error(), bound: bounds.value })
    }

    /// Returns the bounds for arguments in a bound.
    ///
    /// # Errors
    /// [`PolynomialError::NotReal`] and [`PolynomialError::Outside`] for arguments that a
    /// polynomial on an interval does not support.
    pub(crate) fn bounds(&self, argument: Bound) -> Result<Bounds, PolynomialError> {
        let is_real = self.coefficients().iter().all(|c| c.im == 0.0);
        match self.kind() {
            PolynomialBasis::Monomial => {
                let magnitude = argument.magnitude();
                let (mut value, mut slope) = (0.0, 0.0);
                for (degree, c) in self.coefficients().iter().enumerate() {
                    value += c.abs() * magnitude.powi(degree as i32);
                    let below = degree.saturating_sub(1) as i32;
                    slope += degree as f64 * c.abs() * magnitude.powi(below);
                }
                let is_real = is_real && argument.is_real();
                let value = if is_real { Bound::real(value) } else { Bound::complex(value) };
                Ok(Bounds { value, slope, slope_anywhere: slope })
            }
            PolynomialBasis::Chebyshev { from, to } => {
                check_argument(argument, (from, to))?;
                Ok(self.chebyshev_bounds(is_real))
            }
        }
    }

    /// Returns the bounds in the whole interval.
    fn chebyshev_bounds(&self, is_real: bool) -> Bounds {
        let (points, more) = points_and_more(self.degree());
        let values = |of: &[Complex]| {
            let of = of.to_vec();
            chebyshev_points(points).map(move |y| clenshaw(&of, y.into()))
        };
        let most = |of: &[Complex]| more * values(of).map(Complex::abs).fold(0.0, f64::max);
        let slope = largest_slope(self.coefficients());
        if !is_real {
            let value = Bound::complex(most(self.coefficients()));
            return Bounds { value, slope, slope_anywhere: slope };
        }
        let (low, high) = values(self.coefficients())
            .map(|value| value.re)
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
                (low.min(value), high.max(value))
            });
        let (middle, radius) = (low / 2.0 + high / 2.0, more * (high / 2.0 - low / 2.0));
        let off = radius + self.approximation_error();
        let value = Bound::between(middle - off, middle + off);
        Bounds { value, slope, slope_anywhere: slope }
    }
}

/// Returns the number of Chebyshev points that bound a polynomial of a degree, and the largest
/// factor by which it can exceed its values there: 1/cos(π/2m) for m·d points (Ehlich, Zeller,
/// "Schwankung von Polynomen zwischen Gitterpunkten", Math. Z. 86, 1964).
fn points_and_more(degree: usize) -> (usize, f64) {
    let more = (std::f64::consts::FRAC_PI_2 / POINTS_PER_DEGREE as f64).cos().recip();
    (POINTS_PER_DEGREE * degree.max(1), more)
}

/// Returns a bound for the absolute value of the derivative on [−1, 1] of the polynomial with these
/// Chebyshev coefficients.
fn largest_slope(coefficients: &[Complex]) -> f64 {
    let (points, more) = points_and_more(coefficients.len().saturating_sub(1));
    let slope = derivative(coefficients);
    let slopes = chebyshev_points(points).map(|y| clenshaw(&slope, y.into()).abs());
    more * slopes.fold(0.0, f64::max)
}

/// Checks that arguments are real and lie in an interval.
///
/// # Errors
/// [`PolynomialError::NotReal`] and [`PolynomialError::Outside`].
pub(crate) fn check_argument(
    argument: Bound,
    (from, to): (f64, f64),
) -> Result<(), PolynomialError> {
    if Bound::between(from, to).contains_all(argument) {
        return Ok(());
    }
    match argument.interval() {
        Some((low, high)) => Err(PolynomialError::Outside { low, high, from, to }),
        None => Err(PolynomialError::NotReal { magnitude: argument.magnitude() }),
    }
}

/// Returns points of [−1, 1], including its ends, which are dense near the ends, where slopes are
/// largest.
pub(super) fn chebyshev_points(count: usize) -> impl Iterator<Item = f64> {
    (0..=count).map(move |k| Complex::root(k as u64, 2 * count as u64).re)
}

/// Returns the Chebyshev coefficients of the derivative: dₖ₋₁ = dₖ₊₁ + 2k·cₖ, and d₀ is half of
/// that.
pub(crate) fn derivative(coefficients: &[Complex]) -> Vec<Complex> {
    let mut slope = vec![Complex::default(); coefficients.len() + 1];
    for k in (1..coefficients.len()).rev() {
        slope[k - 1] = slope[k + 1] + coefficients[k] * (2 * k) as f64;
    }
    slope[0] = slope[0] * 0.5;
    slope
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn bounds_are_those_of_many_points() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for degree in [0, 1, 2, 7, 30] {
            let coefficients: Vec<f64> = (0..=degree).map(|_| rng.gen_range(-1.0..1.0)).collect();
            let polynomial = Polynomial::chebyshev(&coefficients, (-1.0, 1.0)).unwrap();
            let bounds = polynomial.bounds(Bound::real(1.0)).unwrap();
            let (mut value, mut slope) = (0f64, 0f64);
            for _ in 0..2000 {
                let y: f64 = rng.gen_range(-1.0..1.0);
                let [here, there] = [y - 1e-6, y + 1e-6].map(|y| polynomial.value(y).re);
                value = value.max(here.abs());
                slope = slope.max((there - here).abs() / 2e-6);
            }
            let most = bounds.value.magnitude();
            assert!(value < most * 1.0001 && most < value * 1.2, "{degree}");
            assert!(slope < bounds.slope * 1.0001 + 1e-6, "{degree}: {slope}, {}", bounds.slope);
            assert!(bounds.slope < slope * 1.5 + 1e-6, "{degree}: {slope}, {}", bounds.slope);
        }
    }

    #[test]
    fn powers_are_bounded_on_a_disc() {
        let polynomial = Polynomial::monomial(&[1.0, -2.0, 0.0, 3.0]).unwrap();
        let bounds = polynomial.bounds(Bound::complex(2.0));
        let value = Bound::complex(1.0 + 4.0 + 24.0);
        assert_eq!(bounds, Ok(Bounds { value, slope: 38.0, slope_anywhere: 38.0 }));
        let constant = Polynomial::monomial(&[-4.0]).unwrap();
        let bounds = constant.bounds(Bound::real(0.0));
        let value = Bound::real(4.0);
        assert_eq!(bounds, Ok(Bounds { value, slope: 0.0, slope_anywhere: 0.0 }));
    }

    #[test]
    fn arguments_outside_an_interval_are_refused() {
        let polynomial = Polynomial::chebyshev(&[0.0, 1.0], (0.5, 2.0)).unwrap();
        assert!(polynomial.bounds(Bound::between(0.5, 2.0)).is_ok());
        let outside = PolynomialError::Outside { low: -2.0, high: 2.0, from: 0.5, to: 2.0 };
        assert_eq!(polynomial.bounds(Bound::real(2.0)), Err(outside));
        let complex = polynomial.bounds(Bound::complex(1.0));
        assert_eq!(complex, Err(PolynomialError::NotReal { magnitude: 1.0 }));
    }
}
