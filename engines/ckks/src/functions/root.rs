// SPDX-License-Identifier: Apache-2.0 OR MIT
//! √x and 1/√x: a polynomial, and Newton's iteration if its degree would be too high.

use super::estimates::{evaluated, quiet};
use super::refined::{cheapest, Refined, MOST_DEGREE};
use crate::complex::Complex;
use crate::estimate::{Bound, Noise};
use crate::evaluator::{Ciphertext, Evaluator};
use crate::polynomial::{check_argument, check_levels, Accuracy, Polynomial, PolynomialError};

impl Evaluator {
    /// Evaluates √a for values in an interval from 0 or above, with an error of at most `error` in
    /// addition to that of the ciphertext: by a polynomial, or as a · 1/√a if its degree would
    /// exceed 511.
    ///
    /// # Errors
    /// [`PolynomialError`] for an interval that reaches below 0; for an error out of reach, as
    /// small errors are on an interval from 0; for a level that is too low; and for a missing key
    /// for products.
    pub fn square_root(
        &self,
        a: &Ciphertext,
        (from, to): (f64, f64),
        error: f64,
    ) -> Result<Ciphertext, PolynomialError> {
        let plan = match root_plan((from, to), error)? {
            RootPlan::Direct(polynomial) => return self.evaluate(a, &polynomial),
            RootPlan::Refined(plan) => plan,
        };
        check_levels(a, plan.levels + 1)?;
        check_argument(a.bound(), (from, to))?;
        let x = quiet(a, Bound::between(from, to));
        let root = self.mul(&x, &self.refined_root(&x, (from, to), &plan)?)?;
        let missed = plan.error((from, to), inverse_root, iterate, |x| x);
        let slope = plan.slope((from, to), iterate, |x, y| x * y);
        let inherited = a.noise().scaled(slope.max(1.0 / (2.0 * from.sqrt())));
        let bound = Bound::between(from.sqrt() - missed, to.sqrt() + missed);
        Ok(evaluated(&root, &inherited, root.noise().deviation(), missed, bound))
    }

    /// Evaluates 1/√a for values in an interval above 0, with an error of at most `error` in
    /// addition to that of the ciphertext: y ← y·(3 − x·y²)/2 from a polynomial, with two levels
    /// per iteration.
    ///
    /// # Errors
    /// [`PolynomialError`] for an interval that reaches 0, an error out of reach, a level that is
    /// too low and a missing key for products.
    pub fn inverse_square_root(
        &self,
        a: &Ciphertext,
        (from, to): (f64, f64),
        error: f64,
    ) -> Result<Ciphertext, PolynomialError> {
        let plan = plan((from, to), error * from.sqrt(), Some(error))?;
        check_levels(a, plan.levels)?;
        check_argument(a.bound(), (from, to))?;
        let x = quiet(a, Bound::between(from, to));
        let root = self.refined_root(&x, (from, to), &plan)?;
        let missed = plan.error((from, to), inverse_root, iterate, |_| 1.0);
        let slope = plan.slope((from, to), iterate, |_, y| y);
        let inherited = a.noise().scaled(slope.max(1.0 / (2.0 * from * from.sqrt())));
        let bound = Bound::between(inverse_root(to) - missed, inverse_root(from) + missed);
        Ok(evaluated(&root, &inherited, root.noise().deviation(), missed, bound))
    }

    /// Evaluates 1/√x by a plan, with an estimate of the evaluation's own errors. x has no errors.
    fn refined_root(
        &self,
        x: &Ciphertext,
        (from, to): (f64, f64),
        plan: &Refined,
    ) -> Result<Ciphertext, PolynomialError> {
        let start = self.evaluate(x, &plan.start.exact())?;
        let values = Bound::real((1.0 + plan.deviation) / from.sqrt());
        if plan.iterations == 0 {
            return Ok(start.bounded(values));
        }
        // An iteration leaves at most this part of an error.
        let kept = 3.0 * plan.deviation;
        let mut error = start.noise().deviation();
        let mut y = start;
        // −x/2, whose products with y and y² give the correction of y.
        let half = self.mul_number(x, Complex::from(-0.5))?;
        for _ in 0..plan.iterations {
            let exact = quiet(&y, values);
            let (product, square) = (self.mul(&half, &exact)?, self.mul(&exact, &exact)?);
            let product = product.bounded(Bound::real(to.sqrt()));
            let correction = self.mul(&product, &square)?;
            y = self.add(&self.mul_number(&exact, Complex::from(1.5))?, &correction)?;
            error = error * kept + y.noise().deviation();
        }
        let noise = Noise::source(y.error_origin("root"), error);
        Ok(y.with_noise(noise).assuming(values))
    }
}

/// The way in which a square root is computed.
enum RootPlan {
    /// By one polynomial.
    Direct(Polynomial),
    /// As the product of x and 1/√x.
    Refined(Refined),
}

fn root_plan((from, to): (f64, f64), error: f64) -> Result<RootPlan, PolynomialError> {
    let found = Polynomial::approximation(f64::sqrt, (from, to), Accuracy::Error(error));
    let is_too_much = match &found {
        Ok(direct) => direct.degree() > MOST_DEGREE,
        Err(error) => matches!(error, PolynomialError::NotReached { .. }),
    };
    if from <= 0.0 || !is_too_much {
        return found.map(RootPlan::Direct);
    }
    plan((from, to), error / to.sqrt(), None).map(RootPlan::Refined)
}

/// Returns the levels that [`Evaluator::square_root`] needs.
pub(crate) fn square_root_levels(
    interval: (f64, f64),
    error: f64,
) -> Result<usize, PolynomialError> {
    Ok(match root_plan(interval, error)? {
        RootPlan::Direct(polynomial) => polynomial.levels(),
        RootPlan::Refined(plan) => plan.levels + 1,
    })
}

/// Returns the levels that [`Evaluator::inverse_square_root`] needs.
pub(crate) fn inverse_square_root_levels(
    (from, to): (f64, f64),
    error: f64,
) -> Result<usize, PolynomialError> {
    plan((from, to), error * from.sqrt(), Some(error)).map(|plan| plan.levels)
}

/// Returns 1/√x.
fn inverse_root(x: f64) -> f64 {
    x.sqrt().recip()
}

/// Returns the next iterate.
fn iterate(x: f64, y: f64) -> f64 {
    y * (3.0 - x * y * y) / 2.0
}

/// Returns the plan for a relative error or, without an iteration, for any absolute error.
fn plan(
    (from, to): (f64, f64),
    wanted: f64,
    absolute: Option<f64>,
) -> Result<Refined, PolynomialError> {
    Polynomial::chebyshev(&[1.0], (from, to))?;
    if from <= 0.0 {
        return Err(PolynomialError::Function { at: from });
    }
    let error = absolute.unwrap_or(wanted);
    if error.is_nan() || error <= 0.0 {
        return Err(PolynomialError::Error { got: error });
    }
    // An iteration maps an error e to 3/2·e² + 1/2·e³, which is less than 2·e².
    let before = |deviation: f64, _| (deviation / 2.0).sqrt();
    let needed = |iterations: usize| (0..iterations).fold(wanted.min(0.4), before);
    let cost = |iterations: usize| (2 * iterations, 3 * iterations);
    let start = |iterations: usize, deviation: f64| {
        let relative = deviation / to.sqrt();
        let error = absolute.filter(|_| iterations == 0).unwrap_or(relative);
        let accuracy = Accuracy::Error(error);
        Polynomial::approximation(inverse_root, (from, to), accuracy).ok()
    };
    cheapest(start, needed, cost).ok_or_else(|| PolynomialError::NotReached {
        reached: (inverse_root(from) - inverse_root(to)) / 2.0,
        wanted: error,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_converge() {
        for (interval, wanted) in [((0.5, 2.0), 1e-6), ((0.002, 1.0), 1e-8), ((1.0, 900.0), 1e-4)] {
            let plan = plan(interval, wanted, None).unwrap();
            let mut worst = 0f64;
            for step in 0..=1000 {
                let x = interval.0 + (interval.1 - interval.0) * f64::from(step) / 1000.0;
                let mut y = plan.start.value(x).re;
                assert!((y * x.sqrt() - 1.0).abs() <= plan.deviation * 1.01);
                (0..plan.iterations).for_each(|_| y = iterate(x, y));
                worst = worst.max((y * x.sqrt() - 1.0).abs());
            }
            assert!(worst <= wanted * 1.01, "{worst} for {wanted}");
        }
        let error = plan((0.0, 1.0), 0.1, Some(0.1)).err();
        assert_eq!(error, Some(PolynomialError::Function { at: 0.0 }));
        assert!(matches!(
            plan((1.0, 2.0), 0.1, Some(-1.0)).err(),
            Some(PolynomialError::Error { .. })
        ));
    }
}
