// SPDX-License-Identifier: Apache-2.0 OR MIT
//! 1/x: the best polynomial, and Goldschmidt's iteration if its degree would be too high.

use super::estimates::{evaluated, quiet};
use super::refined::{cheapest, Refined};
use crate::complex::Complex;
use crate::estimate::Bound;
use crate::evaluator::{Ciphertext, Evaluator};
use crate::polynomial::{
    check_argument, check_levels, Accuracy, Polynomial, PolynomialError, MAX_DEGREE,
};

impl Evaluator {
    /// Evaluates 1/a for values in an interval without 0, with an error of at most `error` in
    /// addition to that of the ciphertext.
    ///
    /// The initial approximation is the polynomial y with the least |1 − x·y|, a quotient of
    /// Chebyshev polynomials. An iteration y ← y·(1 + r), r ← r² with r = 1 − x·y squares it
    /// (Goldschmidt, "Applications of division by convergence", 1964). Each iteration costs one
    /// level, and the first r another.
    ///
    /// # Errors
    /// [`PolynomialError`] for an interval that contains 0, an error out of reach, a level that is
    /// too low (the error says how many levels are needed) and a missing key for products.
    pub fn inverse(
        &self,
        a: &Ciphertext,
        (from, to): (f64, f64),
        error: f64,
    ) -> Result<Ciphertext, PolynomialError> {
        if from < 0.0 && to < 0.0 {
            let inverse = self.inverse(&self.neg(a)?, (-to, -from), error)?;
            return Ok(self.neg(&inverse)?);
        }
        let plan = plan((from, to), error)?;
        check_levels(a, plan.levels)?;
        check_argument(a.bound(), (from, to))?;
        let slope = plan.slope((from, to), iterate, |_, y| y);
        let inherited = a.noise().scaled(slope.max(1.0 / (from * from)));
        let x = quiet(a, Bound::between(from, to));
        let values = Bound::real((1.0 + plan.deviation) / from);
        let start = self.evaluate(&x, &plan.start.exact())?;
        let mut noise = start.noise().deviation();
        let mut y = quiet(&start, values);
        if plan.iterations > 0 {
            // The first iteration removes the initial approximation's own errors, except this part.
            noise *= 2.0 * plan.deviation;
            let mut deviation = plan.deviation;
            let mut r = self.neg(&self.mul(&x, &y)?)?;
            r = self.add_number(&r, Complex::from(1.0))?;
            for iteration in 0..plan.iterations {
                if iteration > 0 {
                    r = self.mul(&r, &r)?;
                    deviation *= deviation;
                }
                r = r.bounded(Bound::real(deviation));
                let factor = self.add_number(&r, Complex::from(1.0))?;
                y = self.mul(&y, &factor)?.bounded(values);
            }
        }
        let missed = plan.error((from, to), f64::recip, iterate, |_| 1.0);
        let own = y.noise().deviation() + noise;
        let bound = Bound::between(to.recip() - missed, from.recip() + missed);
        Ok(evaluated(&y, &inherited, own, missed, bound))
    }
}

/// Returns the next iterate.
fn iterate(x: f64, y: f64) -> f64 {
    y * (2.0 - x * y)
}

/// Returns the levels that [`Evaluator::inverse`] needs.
pub(crate) fn inverse_levels((from, to): (f64, f64), error: f64) -> Result<usize, PolynomialError> {
    let interval = if from < 0.0 && to < 0.0 { (-to, -from) } else { (from, to) };
    plan(interval, error).map(|plan| plan.levels)
}

fn plan((from, to): (f64, f64), error: f64) -> Result<Refined, PolynomialError> {
    // Rejects invalid intervals.
    Polynomial::chebyshev(&[1.0], (from, to))?;
    if from <= 0.0 {
        return Err(PolynomialError::Function { at: 0.0 });
    }
    if error.is_nan() || error <= 0.0 {
        return Err(PolynomialError::Error { got: error });
    }
    // |1/x − y| ≤ error if |1 − x·y| is at most this.
    let wanted = (error * from).min(0.5);
    let needed = |iterations: usize| wanted.powf(0.5f64.powi(iterations as i32));
    let cost = |iterations: usize| match iterations {
        0 => (0, 0),
        _ => (iterations + 1, 2 * iterations),
    };
    let start = |_, deviation: f64| best_reciprocal((from, to), deviation);
    cheapest(start, needed, cost).ok_or(PolynomialError::NotReached {
        reached: (from.recip() - to.recip()) / 2.0,
        wanted: error,
    })
}

/// Returns the polynomial y of the lowest degree with |1 − x·y| ≤ `deviation` on an interval above
/// 0: 1 − x·y = T_n(ℓ(x))/T_n(ℓ(0)), where ℓ maps the interval to [−1, 1].
fn best_reciprocal((from, to): (f64, f64), deviation: f64) -> Option<Polynomial> {
    let width = to - from;
    let far = ((to + from) / width).acosh();
    let n = (deviation.recip().acosh() / far).ceil().max(1.0);
    if n > MAX_DEGREE as f64 {
        return None;
    }
    // ℓ(0) is below −1.
    let at_zero = (n * far).cosh() * if n % 2.0 == 0.0 { 1.0 } else { -1.0 };
    let value = |x: f64| {
        let y = ((x - from) - (to - x)) / width;
        (1.0 - (n * y.clamp(-1.0, 1.0).acos()).cos() / at_zero) / x
    };
    Polynomial::approximation(value, (from, to), Accuracy::Degree(n as usize - 1)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_have_the_deviation_that_is_asked() {
        for (interval, deviation) in
            [((1.0, 2.0), 1e-6), ((0.01, 1.0), 0.1), ((0.5, 40.0), 1e-3), ((3.0, 3.1), 0.4)]
        {
            let start = best_reciprocal(interval, deviation).unwrap();
            let mut worst = 0f64;
            for step in 0..=2000 {
                let x = interval.0 + (interval.1 - interval.0) * f64::from(step) / 2000.0;
                worst = worst.max((start.value(x) * x - Complex::from(1.0)).abs());
            }
            assert!(worst <= deviation * 1.0001, "{worst} for {deviation}");
        }
    }

    #[test]
    fn wide_intervals_are_iterated_on() {
        assert_eq!(plan((1.0, 3.0), 1e-4).unwrap().iterations, 0);
        let wide = plan((1e-4, 1.0), 1e-3).unwrap();
        assert!(wide.iterations > 0 && wide.start.degree() <= 511, "{}", wide.start.degree());
        for interval in [(0.0, 1.0), (-1.0, 1.0)] {
            assert_eq!(plan(interval, 0.1).err(), Some(PolynomialError::Function { at: 0.0 }));
        }
        assert!(matches!(plan((1e-12, 1.0), 1e-9).err(), Some(PolynomialError::NotReached { .. })));
        assert!(matches!(plan((1.0, 2.0), f64::NAN).err(), Some(PolynomialError::Error { .. })));
        assert!(matches!(plan((2.0, 1.0), 0.1).err(), Some(PolynomialError::Interval { .. })));
    }
}
