// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A polynomial refined by an iteration, with the cheapest number of iterations.

use crate::polynomial::Polynomial;

/// The highest degree of an initial polynomial.
pub(super) const MOST_DEGREE: usize = 511;
/// The largest number of iterations, each of which doubles the digits.
pub(super) const MOST_ITERATIONS: usize = 6;

/// The number of slopes measured per degree, and the factor by which the largest may exceed them.
const SLOPES_PER_DEGREE: usize = 20;
const SLOPE_MARGIN: f64 = 1.02;

/// A polynomial that approximates a function, and the number of quadratic iterations that refine
/// it.
pub(super) struct Refined {
    pub start: Polynomial,
    /// The relative error of the initial polynomial.
    pub deviation: f64,
    pub iterations: usize,
    pub levels: usize,
}

/// Returns the refinement with the fewest levels, and then the fewest key switches. `start` returns
/// the polynomial with a relative error for a number of iterations, `needed` the relative error
/// from which that number of iterations reaches the requested one, and `cost` their levels and key
/// switches.
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
    /// Returns the largest absolute slope of `of` (an argument and its last iterate), measured
    /// between many points. The slope of a polynomial exceeds that of its function where the
    /// approximation is poor.
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

    /// Returns the largest approximation error times a weight, measured at many points. `iterate`
    /// is an iteration on an argument and its value.
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
