// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The polynomial that approximates the sigmoid.

use halimede_ckks::polynomial::{Accuracy, Polynomial, PolynomialError};

use crate::graph::sigmoid;

/// The number of points of the least squares.
const POINTS: usize = 1 << 12;

/// Returns the polynomial of σ(−x·`interval`) on [−1, 1] by least squares with equal weights, as in
/// Kim et al. (JMIR Medical Informatics 6, 2018): for typical arguments it is closer to σ than the
/// Chebyshev interpolation, and it is monotonic in between.
///
/// # Errors
/// [`PolynomialError`] for a degree above the largest.
pub fn falling_sigmoid(degree: usize, interval: f64) -> Result<Polynomial, PolynomialError> {
    let function = |x: f64| sigmoid(-x * interval);
    // Legendre polynomials are orthogonal there; sums over midpoints approximate integrals.
    let point = |k: usize| (2.0 * k as f64 + 1.0) / POINTS as f64 - 1.0;
    let coefficient = |n: usize| {
        // Without ½ the function is odd.
        if n.is_multiple_of(2) {
            return if n == 0 { 0.5 } else { 0.0 };
        }
        let terms = (0..POINTS).map(|k| function(point(k)) * legendre(n, point(k)));
        terms.sum::<f64>() / POINTS as f64 * (2.0 * n as f64 + 1.0)
    };
    let coefficients: Vec<f64> = (0..=degree).map(coefficient).collect();
    let value =
        |x: f64| -> f64 { coefficients.iter().enumerate().map(|(n, c)| c * legendre(n, x)).sum() };
    Polynomial::approximation(value, (-1.0, 1.0), Accuracy::Degree(degree))
}

/// The smallest part of a polynomial's slope that its third power must have.
const LEAST_CUBIC: f64 = 1e-5;

/// A polynomial of degree 3 with a constant and an odd part, c + a·x·(x² + b), on [−1, 1].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OddCubic {
    /// The constant c.
    pub constant: f64,
    /// The factor a.
    pub factor: f64,
    /// The summand b.
    pub addend: f64,
    /// A bound of its values.
    pub largest: f64,
}

impl OddCubic {
    /// Returns the form of such a polynomial; `None` if it is nearly linear, so that b would be too
    /// large.
    pub fn new(polynomial: &Polynomial) -> Option<Self> {
        let odd = |x: f64| 0.5 * (polynomial.value(x) - polynomial.value(-x)).re;
        // a·(b + 1) and a·(b + ¼)/2.
        let (whole, half) = (odd(1.0), odd(0.5));
        let factor = (whole - 2.0 * half) / 0.75;
        let slope = whole - factor;
        let constant = polynomial.value(0.0).re;
        let largest = constant.abs() + factor.abs() + slope.abs();
        (factor.abs() > LEAST_CUBIC * slope.abs()).then(|| Self {
            constant,
            factor,
            addend: slope / factor,
            largest,
        })
    }
}

/// Returns Pₙ(x), by Bonnet's recursion.
fn legendre(n: usize, x: f64) -> f64 {
    let (mut before, mut value) = (0.0, 1.0);
    for k in 0..n {
        let k = k as f64;
        let next = ((2.0 * k + 1.0) * x * value - k * before) / (k + 1.0);
        (before, value) = (value, next);
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_polynomial_is_the_nearest_in_the_mean() {
        let polynomial = falling_sigmoid(3, 16.0).unwrap();
        let distance = |change: f64, power: i32| {
            let at = |k: usize| (2.0 * k as f64 + 1.0) / 999.0 - 1.0;
            let error =
                |x: f64| polynomial.value(x).re + change * x.powi(power) - sigmoid(-16.0 * x);
            (0..999).map(|k| error(at(k)).powi(2)).sum::<f64>()
        };
        let least = distance(0.0, 0);
        for power in 0..=3 {
            for change in [-1e-2, 1e-2] {
                assert!(distance(change, power) > least, "{power} {change}");
            }
        }
        assert!((polynomial.value(0.0).re - 0.5).abs() < 1e-15);
        // The value of the least squares from another program.
        assert!(((least / 999.0).sqrt() - 0.112_13).abs() < 1e-4, "{least}");
    }

    #[test]
    fn a_constant_and_an_odd_part_are_the_polynomial() {
        for interval in [0.5, 8.0, 16.0, 100.0] {
            let polynomial = falling_sigmoid(3, interval).unwrap();
            let cubic = OddCubic::new(&polynomial).unwrap();
            for step in -50..=50 {
                let x = f64::from(step) / 50.0;
                let value = cubic.constant + cubic.factor * x * (x * x + cubic.addend);
                assert!((value - polynomial.value(x).re).abs() < 1e-12, "{interval} {x}");
                assert!(value.abs() <= cubic.largest);
            }
        }
        assert_eq!(OddCubic::new(&falling_sigmoid(3, 1e-3).unwrap()), None);
    }
}
