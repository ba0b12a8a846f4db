// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A polynomial and an iteration that makes it more precise: how many iterations are the cheapest.

use crate::polynomial::Polynomial;

/// The highest degree that an iteration starts from.
pub(super) const MOST_DEGREE: usize = 511;
/// The most iterations, each of which doubles the digits.
pub(super) const MOST_ITERATIONS: usize = 6;

/// Slopes that are measured, for each degree, and by how much the largest may exceed them.
const SLOPES_PER_DEGREE: usize = 20;
const SLOPE_MARGIN: f64 = 1.02;

/// A polynomial that approximates a function, and how often a quadratic iteration is to mend it.
pub(super) struct Refined {
    pub start: Polynomial,
    /// The start's relative error.
    pub deviation: f64,
    pub iterations: usize,
    pub levels: usize,
}

/// The cheapest start, by levels first and by key switches then: `start` gives the polynomial of a
/// relative error for a number of iterations, `needed` the relative error that they take to the
/// wanted one, and `cost` their levels and key switches.
pub(super) fn cheapest(
    start: impl Fn(usize, f64) -> Option<Polynomial>,
    needed: impl Fn(usize) -> f64,
    cost: impl Fn(usize) -> (usize, usize),
) -> Option<Refined> {
    let candidates = (0..=MOST_ITERATIONS).filter_map(|iterations| {
        let deviation = needed(iterations);
        let start = start(iterations, deviation).filter(|start| start.degree() <= MOST_DEGREE)?;
        let (levels, switches) = cost(iterations);
        let levels = levels + start.levels();
        let switches = switches + start.cost().switches;
        Some((switches, Refined { start, deviation, iterations, levels }))
    });
    let best = candidates.min_by_key(|(switches, refined)| (refined.levels, *switches));
    best.map(|(_, refined)| refined)
}

impl Refined {
    /// The largest absolute slope of what is computed, measured between many points: `of` an argument
    /// and the last iterate. That of a polynomial exceeds its function's where it misses it by much.
    pub fn slope(
        &self,
        (from, to): (f64, f64),
        iterate: impl Fn(f64, f64) -> f64,
        of: impl Fn(f64, f64) -> f64,
    ) -> f64 {
        let count = SLOPES_PER_DEGREE * (self.start.degree() + 20);
        let point = |k: usize| {
            let angle = std::f64::consts::PI * k as f64 / count as f64;
            from + (to - from) * (1.0 - angle.cos()) / 2.0
        };
        let value = |x: f64| {
            let start = self.start.value(x).re;
            of(x, (0..self.iterations).fold(start, |y, _| iterate(x, y)))
        };
        let between = |k: usize| {
            let [here, there] = [point(k), point(k + 1)];
            ((value(there) - value(here)) / (there - here)).abs()
        };
        SLOPE_MARGIN * (0..count).map(between).filter(|s| s.is_finite()).fold(0.0, f64::max)
    }

    /// By how much the function is missed at most, times a weight, measured at many points;
    /// `iterate` is an iteration on an argument and its value.
    pub fn error(
        &self,
        (from, to): (f64, f64),
        function: impl Fn(f64) -> f64,
        iterate: impl Fn(f64, f64) -> f64,
        weight: impl Fn(f64) -> f64,
    ) -> f64 {
        let count = 5 * (self.start.degree() + 20);
        let error = |k: usize| {
            let angle = std::f64::consts::PI * k as f64 / count as f64;
            let x = from + (to - from) * (1.0 - angle.cos()) / 2.0;
            let start = self.start.value(x).re;
            let end = (0..self.iterations).fold(start, |y, _| iterate(x, y));
            weight(x) * (end - function(x)).abs()
        };
        (0..=count).map(error).fold(0.0, f64::max)
    }
}
