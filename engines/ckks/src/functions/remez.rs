// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Odd polynomials that are closest to 1 on an interval above 0, and therefore closest to the sign
//! of x on both sides: the Remez exchange (Lee, Lee, No, Kim, "Minimax approximation of sign
//! function by composite polynomial for homomorphic comparison", IEEE TDSC 2022, section 3).
//!
//! Odd polynomials with m coefficients have at most m − 1 zeros above 0. The best one is therefore
//! characterized by an error that takes its largest value, with alternating signs, at m + 1 points.

/// The number of grid points per coefficient.
const POINTS: usize = 160;
/// The largest number of exchanges until the error is even.
const EXCHANGES: usize = 60;
/// The relative difference that the errors at the points may have.
const EVENNESS: f64 = 1e-7;

/// Returns the coefficients of T₁, T₃, T₅, … of the odd polynomial of a degree that is closest to 1
/// on [`from`, 1], and its error.
pub(super) fn nearest_to_sign(from: f64, degree: usize) -> (Vec<f64>, f64) {
    let count = degree.div_ceil(2);
    let grid = grid(from, POINTS * count);
    let start = |i: usize| grid[i * (grid.len() - 1) / count];
    let mut points: Vec<f64> = (0..=count).map(start).collect();
    let (mut best, mut least) = (Vec::new(), f64::INFINITY);
    for _ in 0..EXCHANGES {
        let coefficients = leveled(&points, count);
        let error = |x: f64| 1.0 - odd_value(&coefficients, x);
        let most = grid.iter().map(|x| error(*x).abs()).fold(0.0, f64::max);
        let even = error(points[0]).abs();
        if most < least {
            (best, least) = (coefficients.clone(), most);
        }
        let next = extrema(&grid, error);
        if most - even < EVENNESS * most || next.len() != points.len() {
            break;
        }
        points = next;
    }
    (best, least)
}

/// Returns Σ cₖ·T₂ₖ₊₁(x).
pub(super) fn odd_value(coefficients: &[f64], x: f64) -> f64 {
    // Clenshaw's recurrence for T₂ₖ₊₁ has steps of T₂(x) = 2x² − 1.
    let double = 2.0 * (2.0 * x * x - 1.0);
    let (mut last, mut before) = (0.0, 0.0);
    for c in coefficients.iter().rev() {
        (last, before) = (c + double * last - before, last);
    }
    // T₁ = x and T₋₁ = x.
    x * (last - before)
}

/// Returns points of [`from`, 1] whose squares are spread like the extrema of a Chebyshev
/// polynomial. For high degrees, the extrema of the best odd polynomials' errors are spread in this
/// way.
fn grid(from: f64, count: usize) -> Vec<f64> {
    let (low, width) = (from * from, 1.0 - from * from);
    let point = |k: usize| {
        let angle = std::f64::consts::PI * k as f64 / count as f64;
        (low + width * (1.0 - angle.cos()) / 2.0).sqrt().clamp(from, 1.0)
    };
    (0..=count).map(point).collect()
}

/// Returns the coefficients whose error at the points has one size and alternating signs.
fn leveled(points: &[f64], count: usize) -> Vec<f64> {
    let row = |(i, x): (usize, &f64)| {
        let mut row = Vec::with_capacity(count + 2);
        let (mut value, mut before) = (*x, *x);
        let double = 2.0 * (2.0 * x * x - 1.0);
        for _ in 0..count {
            row.push(value);
            (value, before) = (double * value - before, value);
        }
        row.push(if i % 2 == 0 { 1.0 } else { -1.0 });
        row.push(1.0);
        row
    };
    let mut solution = solved(points.iter().enumerate().map(row).collect());
    solution.truncate(count);
    solution
}

/// Solves linear equations by Gaussian elimination with partial pivoting. The right side is the
/// last entry of each row.
fn solved(mut rows: Vec<Vec<f64>>) -> Vec<f64> {
    let size = rows.len();
    for column in 0..size {
        let largest = |row: &usize| rows[*row][column].abs();
        let pivot = (column..size).max_by(|a, b| largest(a).total_cmp(&largest(b)));
        rows.swap(column, pivot.unwrap_or(column));
        let lead = rows[column].clone();
        for (index, row) in rows.iter_mut().enumerate() {
            if index != column {
                let factor = row[column] / lead[column];
                row.iter_mut().zip(&lead).for_each(|(entry, lead)| *entry -= factor * lead);
            }
        }
    }
    rows.iter().enumerate().map(|(index, row)| row[size] / row[index]).collect()
}

/// Returns the grid points with the largest error between its changes of sign.
fn extrema(grid: &[f64], error: impl Fn(f64) -> f64) -> Vec<f64> {
    let mut points: Vec<(f64, f64)> = Vec::new();
    for x in grid {
        let here = error(*x);
        match points.last_mut() {
            Some((point, there)) if *there * here > 0.0 => {
                if here.abs() > there.abs() {
                    (*point, *there) = (*x, here);
                }
            }
            _ => points.push((*x, here)),
        }
    }
    points.into_iter().map(|(point, _)| point).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_of_the_best_line_is_known() {
        // c·x on [a, 1]: 1 − c·a = c − 1.
        for from in [0.5f64, 0.1, 0.9] {
            let (coefficients, error) = nearest_to_sign(from, 1);
            assert!((coefficients[0] - 2.0 / (1.0 + from)).abs() < 1e-12);
            assert!((error - (1.0 - from) / (1.0 + from)).abs() < 1e-12);
        }
    }

    #[test]
    fn errors_alternate_and_shrink_with_the_degree() {
        for from in [0.6, 0.1, 1.0 / 1024.0] {
            let mut last = 1.0;
            for degree in [3usize, 7, 15, 31] {
                let (coefficients, error) = nearest_to_sign(from, degree);
                assert!(error < last, "degree {degree}: {error}");
                last = error;
                let count = degree.div_ceil(2);
                let extrema = extrema(&grid(from, 5000), |x| 1.0 - odd_value(&coefficients, x));
                assert_eq!(extrema.len(), count + 1, "degree {degree} from {from}");
                for x in extrema {
                    let here = (1.0 - odd_value(&coefficients, x)).abs();
                    assert!((here / error - 1.0).abs() < 1e-2 || error < 1e-9, "{here}, {error}");
                }
                // The polynomial rises from 0 to the interval.
                let mut below = 0.0;
                for step in 1..=100 {
                    let value = odd_value(&coefficients, from * f64::from(step) / 100.0);
                    assert!(value > below, "degree {degree} from {from}");
                    below = value;
                }
            }
        }
    }
}
