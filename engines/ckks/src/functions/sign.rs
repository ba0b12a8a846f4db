// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Signs, and functions of signs: comparisons, maxima, ReLU.
//!
//! The sign is a composition of odd polynomials, each the closest to 1 on the range of the one
//! before. With the same number of levels it is far more precise than one polynomial (Cheon, Kim,
//! Kim, "Efficient homomorphic comparison methods with optimal complexity", ASIACRYPT 2020; Lee,
//! Lee, No, Kim, IEEE TDSC 2022). All except the last are scaled to values in [−1, 1], so that the
//! next one needs no map.

use super::remez::{nearest_to_sign, odd_value};
use super::steepness::{steepness, Stage};
use crate::complex::Complex;
use crate::estimate::Bound;
use crate::evaluator::{Ciphertext, Evaluator};
use crate::polynomial::{check_argument, check_levels, Bounds, Polynomial, PolynomialError};

/// The levels n of parts, which have the degree 2^n − 1.
const LEVELS: std::ops::RangeInclusive<usize> = 2..=5;
/// The smallest quotient of threshold and bound, and the smallest error.
const LEAST: f64 = 1.0 / (1u64 << 40) as f64;
/// The number of points below the threshold at which ReLU is compared.
const GAP_POINTS: usize = 256;
/// An upper bound of the levels for every threshold and error within those limits.
const MOST_LEVELS: usize = 120;

/// The sign of values in [−bound, −threshold] or [threshold, bound].
///
/// Between −threshold and threshold it rises from −1 to 1, and errors of its argument grow by up to
/// [`largest_slope`](Self::largest_slope). The [estimate](Ciphertext::estimate) of a result applies
/// to values beyond the threshold; [`Ciphertext::error_anywhere`] applies to all values.
#[derive(Clone, Debug, PartialEq)]
pub struct Sign {
    parts: Vec<Part>,
    bound: f64,
    threshold: f64,
    error: f64,
}

/// An odd polynomial of the composition.
#[derive(Clone, Debug, PartialEq)]
struct Part {
    /// The coefficients of T₁, T₃, …
    coefficients: Vec<f64>,
    /// The lower bound of its arguments for values beyond the threshold.
    from: f64,
    /// The largest slope of this part and all later ones, divided by that of the later ones, for
    /// values beyond the threshold.
    slope: f64,
    /// The same slope on all of [−1, 1], which is far larger: the sign rises below the threshold.
    slope_anywhere: f64,
}

/// The best composition with a given number of levels.
#[derive(Clone)]
struct Composition {
    /// Positive values lie between this and 1.
    from: f64,
    /// The distance from 1, before the values are scaled.
    error: f64,
    parts: Vec<Part>,
}

impl Sign {
    /// Returns the composition with the fewest levels whose error is at most `error`.
    ///
    /// # Errors
    /// [`PolynomialError`] for a bound and a threshold that leave no interval, thresholds below
    /// 2⁻⁴⁰ of the bound and errors that are not between 2⁻⁴⁰ and 1.
    pub fn new(bound: f64, threshold: f64, error: f64) -> Result<Self, PolynomialError> {
        let is_interval = bound.is_finite() && threshold > 0.0 && threshold < bound;
        if !is_interval || threshold / bound < LEAST || (1.0 / bound).is_infinite() {
            return Err(PolynomialError::Interval { from: threshold, to: bound });
        }
        if error.is_nan() || !(LEAST..1.0).contains(&error) {
            return Err(PolynomialError::Error { got: error });
        }
        let none = Composition { from: threshold / bound, error: 1.0, parts: Vec::new() };
        let mut best: Vec<Option<Composition>> = vec![Some(none)];
        for levels in 1..=MOST_LEVELS {
            let shorter = LEVELS.filter(|last| *last <= levels).filter_map(|last| {
                best[levels - last].as_ref().map(|before| before.extended(last))
            });
            // If rounding errors prevent a better polynomial, the error is 1.
            let found = shorter.filter(|found| found.error < 1.0);
            let found = found.min_by(|a, b| a.error.total_cmp(&b.error));
            match found {
                Some(found) if found.error <= error => {
                    let error = found.error;
                    let mut parts = found.parts;
                    // The last part is not scaled to [−1, 1].
                    if let Some(last) = parts.last_mut() {
                        last.scale(1.0 + error);
                    }
                    find_slopes(&mut parts);
                    return Ok(Self { parts, bound, threshold, error });
                }
                found => best.push(found),
            }
        }
        Err(PolynomialError::Error { got: error })
    }

    /// Returns the largest absolute value of arguments.
    pub fn bound(&self) -> f64 {
        self.bound
    }

    /// Returns the smallest absolute value of arguments whose sign is found.
    pub fn threshold(&self) -> f64 {
        self.threshold
    }

    /// Returns the largest error.
    pub fn error(&self) -> f64 {
        self.error
    }

    /// Returns a bound for the slope of [`value`](Self::value) in [−bound, bound]: errors of values
    /// below the threshold grow by this factor.
    pub fn largest_slope(&self) -> f64 {
        self.parts.iter().map(|part| part.slope_anywhere).product::<f64>() / self.bound
    }

    /// Returns the number of levels, one of them for a bound other than 1.
    pub fn levels(&self) -> usize {
        let of = |part: &Part| (part.degree() + 1).ilog2() as usize;
        self.parts.iter().map(of).sum::<usize>() + usize::from(self.bound != 1.0)
    }

    /// Returns the degrees of the polynomials.
    pub fn degrees(&self) -> Vec<usize> {
        self.parts.iter().map(Part::degree).collect()
    }

    /// Returns the range of [`Evaluator::relu`].
    pub(crate) fn relu_bound(&self) -> Bound {
        // For values below the threshold or negative ones, the result may be this far below 0.
        let below = self.relu_gap().max(self.bound * self.error / 2.0);
        Bound::between(-below, self.bound * (1.0 + self.error / 2.0))
    }

    /// Returns the largest error of [`Evaluator::relu`] for values below the threshold.
    pub(crate) fn relu_gap(&self) -> f64 {
        let point = |k: usize| self.threshold * k as f64 / GAP_POINTS as f64;
        let off = |x: f64| x * (1.0 - self.value(x)).abs() / 2.0;
        (0..=GAP_POINTS).map(|k| off(point(k))).fold(0.0, f64::max)
    }

    /// Returns the approximate sign of an unencrypted value.
    pub fn value(&self, x: f64) -> f64 {
        self.parts.iter().fold(x / self.bound, |x, part| odd_value(&part.coefficients, x))
    }
}

impl Composition {
    /// Returns the composition with one more polynomial, of `levels` levels.
    fn extended(&self, levels: usize) -> Self {
        let (coefficients, error) = nearest_to_sign(self.from, (1 << levels) - 1);
        let mut part = Part { coefficients, from: self.from, slope: 0.0, slope_anywhere: 0.0 };
        part.scale(1.0 / (1.0 + error));
        let mut parts = self.parts.clone();
        parts.push(part);
        Self { from: (1.0 - error) / (1.0 + error), error, parts }
    }
}

/// Finds the slopes of all parts. The product of the slopes from any part on is the largest slope
/// of their composition.
fn find_slopes(parts: &mut [Part]) {
    let stages: Vec<Stage<'_>> = parts.iter().map(Part::stage).collect();
    let [usual, anywhere] = [false, true].map(|is_anywhere| steepness(&stages, is_anywhere));
    for (index, part) in parts.iter_mut().enumerate() {
        let over_next = |all: &[f64]| all[index] / all.get(index + 1).copied().unwrap_or(1.0);
        (part.slope, part.slope_anywhere) = (over_next(&usual), over_next(&anywhere));
    }
}

impl Part {
    fn degree(&self) -> usize {
        2 * self.coefficients.len() - 1
    }

    fn stage(&self) -> Stage<'_> {
        Stage { odd: &self.coefficients, from: self.from }
    }

    fn scale(&mut self, factor: f64) {
        self.coefficients.iter_mut().for_each(|c| *c *= factor);
    }

    /// Returns factor · the polynomial + summand, on [−bound, bound].
    fn polynomial(
        &self,
        bound: f64,
        factor: f64,
        summand: f64,
    ) -> Result<Polynomial, PolynomialError> {
        Polynomial::chebyshev(&self.all_coefficients(factor, summand), (-bound, bound))
    }

    /// Returns the coefficients of T₀, T₁, T₂, … of factor · the polynomial + summand.
    fn all_coefficients(&self, factor: f64, summand: f64) -> Vec<Complex> {
        let mut coefficients = vec![Complex::default(); self.degree() + 1];
        coefficients[0] = summand.into();
        for (k, c) in self.coefficients.iter().enumerate() {
            coefficients[2 * k + 1] = (c * factor).into();
        }
        coefficients
    }
}

impl Evaluator {
    /// Evaluates the signs of values: −1 or 1, with the error of `sign`.
    ///
    /// # Errors
    /// [`PolynomialError`] if the level is too low (the error says how many levels are needed) or
    /// the key for products is missing.
    pub fn sign(&self, a: &Ciphertext, sign: &Sign) -> Result<Ciphertext, PolynomialError> {
        self.composed(a, sign, 1.0, 0.0)
    }

    /// Returns 1 for positive values and 0 for negative ones.
    ///
    /// # Errors
    /// As [`Self::sign`].
    pub fn is_positive(&self, a: &Ciphertext, sign: &Sign) -> Result<Ciphertext, PolynomialError> {
        self.composed(a, sign, 0.5, 0.5)
    }

    /// Returns 1 where a > b, and 0 where a < b, for differences in the range of `sign`.
    ///
    /// # Errors
    /// As [`Self::sign`].
    pub fn greater(
        &self,
        a: &Ciphertext,
        b: &Ciphertext,
        sign: &Sign,
    ) -> Result<Ciphertext, PolynomialError> {
        self.is_positive(&self.sub(a, b)?, sign)
    }

    /// Evaluates max(0, a) in each place, one level lower than the sign. If a is below the
    /// threshold, the error is below the threshold; otherwise it is half the sign's error times a.
    ///
    /// # Errors
    /// As [`Self::sign`].
    pub fn relu(&self, a: &Ciphertext, sign: &Sign) -> Result<Ciphertext, PolynomialError> {
        check_levels(a, sign.levels() + 1)?;
        let product = self.mul(a, &self.is_positive(a, sign)?)?;
        let bound = sign.relu_bound();
        Ok(product.bounded(bound).with_rest(sign.relu_gap()))
    }

    /// Returns the larger of two values in each place, as precise as [`Self::relu`] of their
    /// difference.
    ///
    /// # Errors
    /// As [`Self::sign`].
    pub fn max(
        &self,
        a: &Ciphertext,
        b: &Ciphertext,
        sign: &Sign,
    ) -> Result<Ciphertext, PolynomialError> {
        Ok(self.add(b, &self.relu(&self.sub(a, b)?, sign)?)?)
    }

    /// Returns the smaller of two values in each place, as precise as [`Self::relu`] of their
    /// difference.
    ///
    /// # Errors
    /// As [`Self::sign`].
    pub fn min(
        &self,
        a: &Ciphertext,
        b: &Ciphertext,
        sign: &Sign,
    ) -> Result<Ciphertext, PolynomialError> {
        Ok(self.sub(a, &self.relu(&self.sub(a, b)?, sign)?)?)
    }

    /// Evaluates factor · sign(a) + summand.
    fn composed(
        &self,
        a: &Ciphertext,
        sign: &Sign,
        factor: f64,
        summand: f64,
    ) -> Result<Ciphertext, PolynomialError> {
        self.check_own(a)?;
        check_levels(a, sign.levels())?;
        check_argument(a.bound(), (-sign.bound, sign.bound))?;
        let mut result = a.clone();
        let last = sign.parts.len().saturating_sub(1);
        for (index, part) in sign.parts.iter().enumerate() {
            let bound = if index == 0 { sign.bound } else { 1.0 };
            let (factor, summand) = if index == last { (factor, summand) } else { (1.0, 0.0) };
            let polynomial = part.polynomial(bound, factor, summand)?;
            let level = check_levels(&result, polynomial.levels())?;
            let scale = self.parameters().level(level).scale;
            let largest = (1.0 + if index == last { sign.error } else { 0.0 }) * factor;
            let value = Bound::between(summand - largest, summand + largest);
            let [slope, slope_anywhere] = [part.slope, part.slope_anywhere].map(|of| of * factor);
            let bounds = Bounds { value, slope, slope_anywhere };
            result = self.evaluate_within(&result, &polynomial, level, scale, bounds)?;
        }
        Ok(result.with_rest(sign.error * factor))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compositions_are_signs_within_their_error() {
        for (bound, threshold, error) in
            [(1.0, 0.25, 0.1), (40.0, 0.5, 1e-3), (1.0, 1.0 / 256.0, 1e-6), (1e-3, 1e-6, 1e-9)]
        {
            let sign = Sign::new(bound, threshold, error).unwrap();
            assert!(sign.error() <= error && sign.levels() < 30);
            for step in 0..=3000 {
                let part = f64::from(step) / 3000.0;
                let x = threshold * (bound / threshold).powf(part);
                assert!((sign.value(x) - 1.0).abs() <= 1.0001 * error, "{x}");
                assert_eq!(sign.value(-x), -sign.value(x));
                let between = sign.value(threshold * part);
                assert!((0.0..=1.0 + error).contains(&between), "{between}");
            }
        }
    }

    #[test]
    fn levels_do_not_grow_unseen() {
        // α bits of precision for values from 2^−α on.
        let levels = |alpha: i32| {
            let precision = 0.5f64.powi(alpha);
            Sign::new(1.0, precision, precision).unwrap().levels()
        };
        assert_eq!([4, 8, 12, 16, 20].map(levels), [6, 12, 17, 21, 25]);
    }

    #[test]
    fn what_is_no_sign_is_refused() {
        for (bound, threshold) in
            [(1.0, 1.0), (1.0, 0.0), (1.0, -0.5), (f64::NAN, 0.1), (1.0, f64::NAN), (1.0, 1e-14)]
        {
            let error = Sign::new(bound, threshold, 0.1).unwrap_err();
            assert!(matches!(error, PolynomialError::Interval { .. }), "{error}");
        }
        for error in [0.0, 1.0, -0.1, f64::NAN, 1e-14] {
            let error = Sign::new(1.0, 0.5, error).unwrap_err();
            assert!(matches!(error, PolynomialError::Error { .. }), "{error}");
        }
    }
}
