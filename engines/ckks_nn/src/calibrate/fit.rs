// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Polynomials for activations: least squares in the Chebyshev basis, weighted by a histogram.

use super::calibration::Range;
use super::histogram::Histogram;
use crate::graph::{Activation, Parity};

/// The number of points per degree.
const POINTS_PER_DEGREE: usize = 16;
/// The smallest number of points.
const LEAST_POINTS: usize = 512;
/// The total weight of points where no value was seen, next to a weight of 1 for points where
/// values were seen: the polynomial must not explode in the margin.
const FLOOR: f64 = 0.02;

/// A polynomial on [−1, 1] that approximates a function on an interval.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// Σ cₖ·Tₖ(y), with y from −1 to 1 on the interval.
    pub coefficients: Vec<f64>,
    /// The interval.
    pub interval: Range,
    /// The largest difference from the function on the interval, measured at many points.
    pub largest_error: f64,
    /// The root mean square of the difference, weighted by the histogram.
    pub mean_error: f64,
}

/// Returns the polynomial that approximates an activation. On an interval around 0, it is exactly
/// even or odd if the activation is, so that it needs half of the products, and an odd polynomial
/// is 0 at 0.
pub fn fit_activation(
    activation: &Activation,
    interval: Range,
    histogram: &Histogram,
    degree: usize,
) -> Fit {
    let function = |x: f64| activation.value(x);
    let parity = match interval.middle() == 0.0 {
        true => activation.parity(),
        false => Parity::Neither,
    };
    let share = |x: f64| match parity {
        Parity::Neither => histogram.share(x),
        _ => histogram.share(x) + histogram.share(-x),
    };
    fit_weighted(function, interval, share, degree, parity)
}

/// Returns the polynomial of a degree with the least squares of differences from a function,
/// weighted by the histogram. A small part of the weight is spread over the whole interval.
pub fn fit(
    function: impl Fn(f64) -> f64,
    interval: Range,
    histogram: &Histogram,
    degree: usize,
) -> Fit {
    fit_weighted(function, interval, |x| histogram.share(x), degree, Parity::Neither)
}

/// As [`fit`], weighted by the share of values in a value's part of the interval, and only with the
/// coefficients of one parity.
fn fit_weighted(
    function: impl Fn(f64) -> f64,
    interval: Range,
    share: impl Fn(f64) -> f64,
    degree: usize,
    parity: Parity,
) -> Fit {
    let count = (POINTS_PER_DEGREE * (degree + 1)).max(LEAST_POINTS);
    let (middle, radius) = (interval.middle(), interval.radius());
    // Chebyshev points are equally dense in the angle, so that each has the weight sin(angle).
    let points: Vec<(f64, f64)> = (0..count)
        .map(|k| {
            let angle = std::f64::consts::PI * (k as f64 + 0.5) / count as f64;
            let y = angle.cos();
            (y, share(middle + radius * y) * angle.sin())
        })
        .collect();
    let total: f64 = points.iter().map(|(_, weight)| weight).sum();
    let weight = |seen: f64| match total > 0.0 {
        true => seen / total + FLOOR / count as f64,
        false => 1.0 / count as f64,
    };
    let width = degree + 1;
    let mut normal = vec![vec![0.0; width + 1]; width];
    for (y, seen) in &points {
        let basis = chebyshev(*y, width);
        let value = function(middle + radius * y);
        let weight = weight(*seen);
        for row in 0..width {
            for column in 0..width {
                normal[row][column] += weight * basis[row] * basis[column];
            }
            normal[row][width] += weight * basis[row] * value;
        }
    }
    let mut coefficients = solve(normal);
    let is_absent = |power: &usize| match parity {
        Parity::Even => !power.is_multiple_of(2),
        Parity::Odd => power.is_multiple_of(2),
        Parity::Neither => false,
    };
    // They are 0 up to rounding.
    (0..=degree).filter(is_absent).for_each(|power| coefficients[power] = 0.0);
    let mut fit = Fit { coefficients, interval, largest_error: 0.0, mean_error: 0.0 };
    for (y, seen) in &points {
        let error = (fit.value(middle + radius * y) - function(middle + radius * y)).abs();
        fit.largest_error = fit.largest_error.max(error);
        fit.mean_error += seen / total.max(f64::MIN_POSITIVE) * error * error;
    }
    for end in [interval.low, interval.high] {
        fit.largest_error = fit.largest_error.max((fit.value(end) - function(end)).abs());
    }
    fit.mean_error = fit.mean_error.sqrt();
    fit
}

impl Fit {
    /// Returns the value of the polynomial.
    pub fn value(&self, x: f64) -> f64 {
        let y = (x - self.interval.middle()) / self.interval.radius();
        let (mut last, mut before) = (0.0, 0.0);
        for c in self.coefficients.iter().skip(1).rev() {
            (last, before) = (c + 2.0 * y * last - before, last);
        }
        self.coefficients.first().copied().unwrap_or(0.0) + y * last - before
    }

    /// Returns the largest absolute value of the polynomial on the interval, sampled at many
    /// points.
    pub fn magnitude(&self) -> f64 {
        let count = LEAST_POINTS.max(POINTS_PER_DEGREE * self.coefficients.len());
        let point = |k: usize| {
            let y = (std::f64::consts::PI * k as f64 / count as f64).cos();
            self.interval.middle() + self.interval.radius() * y
        };
        (0..=count).map(|k| self.value(point(k)).abs()).fold(0.0, f64::max)
    }
}

/// Returns T₀(y), T₁(y), …
fn chebyshev(y: f64, count: usize) -> Vec<f64> {
    let mut basis = vec![1.0, y];
    for k in 2..count {
        basis.push(2.0 * y * basis[k - 1] - basis[k - 2]);
    }
    basis.truncate(count);
    basis
}

/// Solves a positive definite system by the Cholesky decomposition. The last column is the right
/// side.
fn solve(mut system: Vec<Vec<f64>>) -> Vec<f64> {
    let count = system.len();
    let mut solution = vec![0.0; count];
    for row in 0..count {
        for column in 0..=row {
            let before: f64 = (0..column).map(|k| system[row][k] * system[column][k]).sum();
            let rest = system[row][column] - before;
            system[row][column] = match row == column {
                // Rounding must not make it negative.
                true => rest.max(f64::EPSILON * system[0][0]).sqrt(),
                false => rest / system[column][column],
            };
        }
        let before: f64 = (0..row).map(|k| system[row][k] * solution[k]).sum();
        solution[row] = (system[row][count] - before) / system[row][row];
    }
    for row in (0..count).rev() {
        let after: f64 = (row + 1..count).map(|k| system[k][row] * solution[k]).sum();
        solution[row] = (solution[row] - after) / system[row][row];
    }
    solution
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gaussian(range: Range) -> Histogram {
        let mut histogram = Histogram::new(range.low, range.high);
        for step in -400..=400 {
            let x = f64::from(step) / 100.0;
            for _ in 0..(1000.0 * (-x * x / 2.0).exp()) as usize {
                histogram.add(x);
            }
        }
        histogram
    }

    #[test]
    fn polynomials_are_found_again() {
        let interval = Range { low: -3.0, high: 5.0 };
        let function = |x: f64| 1.0 - 2.0 * x + 0.25 * x.powi(3);
        let found = fit(function, interval, &gaussian(Range { low: -4.0, high: 4.0 }), 3);
        assert!(found.largest_error < 1e-9, "{}", found.largest_error);
        let none = Histogram::new(-1.0, 1.0);
        assert!(fit(function, interval, &none, 5).largest_error < 1e-9);
    }

    #[test]
    fn even_and_odd_functions_have_such_polynomials() {
        let range = Range { low: -1.0, high: 4.0 };
        let wide = Range { low: -6.0, high: 6.0 };
        for (activation, absent) in [(Activation::Absolute, 1), (Activation::Tanh, 0)] {
            let found = fit_activation(&activation, wide, &gaussian(range), 15);
            let alike = fit(|x| activation.value(x), wide, &gaussian(wide), 15);
            assert!(found.coefficients.iter().skip(absent).step_by(2).all(|c| *c == 0.0));
            assert!(found.mean_error < 2.0 * alike.mean_error, "{}", found.mean_error);
            let off = Range { low: -5.0, high: 6.0 };
            let found = fit_activation(&activation, off, &gaussian(range), 15);
            assert!(found.coefficients.iter().all(|c| *c != 0.0));
        }
    }

    #[test]
    fn errors_are_small_where_values_are() {
        let range = Range { low: -4.0, high: 4.0 };
        let wide = Range { low: -8.0, high: 8.0 };
        let mut last = f64::INFINITY;
        for degree in [3, 7, 15, 31, 63] {
            let found = fit(|x| x.max(0.0), wide, &gaussian(range), degree);
            assert!(found.mean_error < last && found.mean_error < found.largest_error);
            last = found.mean_error;
        }
        assert!(last < 0.02, "{last}");
    }
}
