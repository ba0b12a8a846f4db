// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The steepness of a composition of odd polynomials: the factor by which it magnifies errors.
//!
//! An error that arises before some polynomial grows by at most the largest slope of the
//! composition of that polynomial and all later ones. That is far less than the product of their
//! largest slopes: one is steep at 0, which it maps to 0, and another at 1, whose image lies where
//! the next one is flat. The slopes are therefore multiplied along the path of each value.

use super::remez::odd_value;
use crate::complex::Complex;
use crate::polynomial::{chebyshev_value, derivative};

/// The number of cells per octave below `from`, and the number of octaves: everything below is
/// linear.
const CELLS_PER_OCTAVE: i32 = 32;
const OCTAVES: i32 = 6;
/// The number of cells above `from` per coefficient.
const CELLS_PER_COEFFICIENT: usize = 400;
/// The factor by which a slope in a cell may exceed the slopes at three points of the cell.
const MARGIN: f64 = 1.03;
/// The part of their range by which values in a cell may exceed the values at three points of the
/// cell.
const PADDING: f64 = 0.125;

/// A polynomial of a composition, by its coefficients of T₁, T₃, …
pub(super) struct Stage<'a> {
    pub odd: &'a [f64],
    /// The lower bound of its arguments for values whose signs are found.
    pub from: f64,
}

/// An interval of a polynomial's argument, and the largest slope there of the polynomial and all
/// later ones.
struct Cell {
    from: f64,
    to: f64,
    slope: f64,
}

/// Returns the largest slope on [0, 1], or from [`Stage::from`] to 1, of each polynomial with all
/// later ones.
pub(super) fn steepness(stages: &[Stage<'_>], is_anywhere: bool) -> Vec<f64> {
    let mut behind: Vec<Cell> = Vec::new();
    let mut largest = Vec::with_capacity(stages.len());
    for stage in stages.iter().rev() {
        behind = stage.cells(&behind, is_anywhere);
        largest.push(most(&behind));
    }
    largest.reverse();
    largest
}

fn most(cells: &[Cell]) -> f64 {
    cells.iter().map(|cell| cell.slope).fold(0.0, f64::max)
}

impl Stage<'_> {
    fn cells(&self, behind: &[Cell], is_anywhere: bool) -> Vec<Cell> {
        let mut coefficients = vec![Complex::default(); 2 * self.odd.len()];
        self.odd.iter().enumerate().for_each(|(k, c)| coefficients[2 * k + 1] = (*c).into());
        let derivative = derivative(&coefficients);
        let cell = |ends: &[f64]| {
            let (from, to) = (ends[0], ends[1]);
            let points = [from, from / 2.0 + to / 2.0, to];
            let slopes = points.map(|x| chebyshev_value(&derivative, x.into()).abs());
            let values = points.map(|x| odd_value(self.odd, x).abs());
            let (low, high) = (least(&values), -least(&values.map(std::ops::Neg::neg)));
            let padding = PADDING * (high - low);
            let slope = MARGIN * slopes.into_iter().fold(0.0, f64::max);
            Cell { from, to, slope: slope * slope_of(behind, low - padding, high + padding) }
        };
        self.points(is_anywhere).windows(2).map(cell).collect()
    }

    /// Returns the ends of cells: by octaves near 0, and dense near 1, as the zeros of slopes are.
    fn points(&self, is_anywhere: bool) -> Vec<f64> {
        let count = CELLS_PER_COEFFICIENT * self.odd.len();
        let above = (0..=count).map(|k| {
            let angle = std::f64::consts::PI * k as f64 / count as f64;
            self.from + (1.0 - self.from) * (1.0 - angle.cos()) / 2.0
        });
        if !is_anywhere {
            return above.collect();
        }
        let below = (-OCTAVES * CELLS_PER_OCTAVE..0)
            .map(|k| self.from * (f64::from(k) / f64::from(CELLS_PER_OCTAVE)).exp2());
        std::iter::once(0.0).chain(below).chain(above).collect()
    }
}

fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

/// Returns the largest slope of the later polynomials for values in an interval; 1 after the last
/// polynomial.
fn slope_of(behind: &[Cell], low: f64, high: f64) -> f64 {
    if behind.is_empty() {
        return 1.0;
    }
    let first = behind.partition_point(|cell| cell.to < low);
    let last = behind.partition_point(|cell| cell.from <= high);
    match behind.get(first..last) {
        Some(cells) if !cells.is_empty() => most(cells),
        // Rounding moved the interval beyond all cells.
        _ => most(behind),
    }
}

#[cfg(test)]
mod tests {
    use super::super::remez::nearest_to_sign;
    use super::*;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn slopes_are_those_of_many_points() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for (start, degrees) in [
            (0.1, vec![7]),
            (0.01, vec![7, 15]),
            (1e-3, vec![15, 7, 31]),
            (1e-5, vec![31, 31, 15, 31]),
        ] {
            let (mut from, mut all) = (start, Vec::new());
            for degree in degrees {
                let (mut odd, error) = nearest_to_sign(from, degree);
                odd.iter_mut().for_each(|c| *c /= 1.0 + error);
                all.push((odd, from));
                from = (1.0 - error) / (1.0 + error);
            }
            let stages: Vec<Stage<'_>> =
                all.iter().map(|(odd, from)| Stage { odd, from: *from }).collect();
            let [usual, anywhere] =
                [false, true].map(|is_anywhere| steepness(&stages, is_anywhere));
            for (k, stage) in stages.iter().enumerate() {
                let value = |x: f64| stages[k..].iter().fold(x, |x, stage| odd_value(stage.odd, x));
                let slope = |a: f64, b: f64| ((value(b) - value(a)) / (b - a)).abs();
                let (mut below, mut above) = (0f64, 0f64);
                for _ in 0..20_000 {
                    let part: f64 = rng.gen();
                    let x = stage.from * part;
                    below = below.max(slope(x, x + 1e-4 * stage.from));
                    let x = match rng.gen() {
                        true => stage.from.powf(part),
                        false => 1.0 - (1.0 - stage.from) * part * part,
                    };
                    let step = 1e-4 * (1.0 - stage.from);
                    let x = x.clamp(stage.from, 1.0 - step);
                    above = above.max(slope(x, x + step));
                }
                let what = format!("{start}, from {k} on");
                assert!(above <= usual[k] * 1.01, "{what}: {above}, {}", usual[k]);
                assert!(
                    below.max(above) <= anywhere[k] * 1.001,
                    "{what}: {below}, {}",
                    anywhere[k]
                );
                // The bound is not so loose that it is useless.
                assert!(anywhere[k] < 16.0 * below.max(above), "{what}: {below}, {}", anywhere[k]);
            }
        }
    }
}
