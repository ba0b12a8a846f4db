// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Bounds of values: declared for inputs, derived for results.

use crate::complex::Complex;

/// The relative amount by which a value may exceed its bound: decimal bounds are rounded to
/// doubles.
const SLACK: f64 = 1e-9;

/// A set that contains all values of a vector: a disc around 0, or an interval of real numbers.
///
/// A bound is declared and never computed from the values, since every file of a ciphertext
/// contains it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    magnitude: f64,
    real: Option<(f64, f64)>,
}

impl Bound {
    /// Complex values whose absolute value is at most `magnitude`.
    pub fn complex(magnitude: f64) -> Self {
        Self { magnitude, real: None }
    }

    /// Real values from −`magnitude` to `magnitude`.
    pub fn real(magnitude: f64) -> Self {
        Self::between(-magnitude, magnitude)
    }

    /// Real values in an interval.
    pub fn between(low: f64, high: f64) -> Self {
        Self { magnitude: low.abs().max(high.abs()), real: Some((low, high)) }
    }

    /// The bound of one public number.
    pub(crate) fn of_number(number: Complex) -> Self {
        match number.im == 0.0 {
            true => Self::between(number.re, number.re),
            false => Self::complex(number.abs()),
        }
    }

    /// Returns `true` if the bound is valid: its ends are finite and in ascending order.
    pub fn is_valid(self) -> bool {
        let is_ordered = self.real.is_none_or(|(low, high)| low <= high);
        self.magnitude.is_finite() && self.magnitude >= 0.0 && is_ordered
    }

    /// The largest absolute value.
    pub fn magnitude(self) -> f64 {
        self.magnitude
    }

    /// The interval, if the values are known to be real.
    pub fn interval(self) -> Option<(f64, f64)> {
        self.real
    }

    /// Returns `true` if the values are known to be real.
    pub fn is_real(self) -> bool {
        self.real.is_some()
    }

    /// Returns `true` if a value is within the bound, up to rounding.
    pub fn contains(self, value: Complex) -> bool {
        let slack = SLACK * self.magnitude;
        match self.real {
            Some((low, high)) => {
                value.im == 0.0 && (low - slack..=high + slack).contains(&value.re)
            }
            None => value.abs() <= self.magnitude + slack,
        }
    }

    /// Returns `true` if all values of another bound are within this one, up to rounding.
    pub fn contains_all(self, other: Self) -> bool {
        let slack = SLACK * self.magnitude.max(other.magnitude);
        match (self.real, other.real) {
            (Some((low, high)), Some((from, to))) => low - slack <= from && to <= high + slack,
            (Some(_), None) => other.magnitude == 0.0 && self.contains(Complex::default()),
            (None, _) => other.magnitude <= self.magnitude + slack,
        }
    }

    /// The bound of sums.
    #[must_use]
    pub fn sum(self, other: Self) -> Self {
        let real = self.real.zip(other.real).map(|(a, b)| (a.0 + b.0, a.1 + b.1));
        Self::of(self.magnitude + other.magnitude, real)
    }

    /// The bound of negatives.
    #[must_use]
    pub fn negative(self) -> Self {
        Self { real: self.real.map(|(low, high)| (-high, -low)), ..self }
    }

    /// The bound of products.
    #[must_use]
    pub fn product(self, other: Self) -> Self {
        let real = self.real.zip(other.real).map(|(a, b)| {
            let ends = [a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1];
            let least = ends.into_iter().fold(f64::INFINITY, f64::min);
            (least, ends.into_iter().fold(f64::NEG_INFINITY, f64::max))
        });
        Self::of(self.magnitude * other.magnitude, real)
    }

    /// The bound of products with i.
    #[must_use]
    pub fn by_i(self) -> Self {
        Self::complex(self.magnitude)
    }

    /// The bound of sums of `count` values.
    #[must_use]
    pub fn times(self, count: f64) -> Self {
        self.product(Self::between(count, count))
    }

    /// The intersection: a bound of values that lie in both. It is real if either is real.
    #[must_use]
    pub fn intersection(self, other: Self) -> Self {
        let magnitude = self.magnitude.min(other.magnitude);
        let real = match (self.real, other.real) {
            (Some(a), Some(b)) => Some((a.0.max(b.0), a.1.min(b.1))),
            (a, b) => a.or(b),
        };
        // An invalid interval is left as the caller declared it.
        match real {
            Some((low, high)) if low > high => other,
            _ => Self::of(magnitude, real),
        }
    }

    /// The smallest bound that contains both.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        let real = self.real.zip(other.real).map(|(a, b)| (a.0.min(b.0), a.1.max(b.1)));
        Self { magnitude: self.magnitude.max(other.magnitude), real }
    }

    /// Restricts the interval to the magnitude, and the magnitude to the interval.
    fn of(magnitude: f64, real: Option<(f64, f64)>) -> Self {
        let Some((low, high)) = real else { return Self::complex(magnitude) };
        let (low, high) = (low.max(-magnitude), high.min(magnitude));
        Self { magnitude: magnitude.min(low.abs().max(high.abs())), real: Some((low, high)) }
    }
}

impl std::fmt::Display for Bound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.real {
            // The only known property of an unknown vector is that its values are real.
            Some((f64::MIN, f64::MAX)) => f.write_str("real values"),
            Some((low, high)) => write!(f, "real values from {low} to {high}"),
            None => write!(f, "values up to {}", self.magnitude),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bound() -> impl Strategy<Value = (Bound, Complex)> {
        // A bound, and a value within it.
        (-9.0..9.0f64, -9.0..9.0f64, 0.0..=1.0f64, 0.0..6.3f64, any::<bool>()).prop_map(
            |(a, b, part, angle, is_real)| match is_real {
                true => {
                    let (low, high) = (a.min(b), a.max(b));
                    (Bound::between(low, high), (low + part * (high - low)).into())
                }
                false => {
                    let radius = part * a.abs();
                    (
                        Bound::complex(a.abs()),
                        Complex::new(radius * angle.cos(), radius * angle.sin()),
                    )
                }
            },
        )
    }

    proptest! {
        #[test]
        fn results_lie_in_their_bounds((a, x) in bound(), (b, y) in bound(), count in 1u8..9) {
            prop_assert!(a.contains(x) && b.contains(y));
            prop_assert!(a.sum(b).contains(x + y));
            prop_assert!(a.sum(b.negative()).contains(x - y));
            prop_assert!(a.product(b).contains(x * y));
            prop_assert!(a.by_i().contains(x * Complex::new(0.0, 1.0)));
            prop_assert!(a.times(count.into()).contains(x * f64::from(count)));
            prop_assert!(a.union(b).contains(x) && a.union(b).contains(y));
            prop_assert!(a.union(b).contains_all(a) && a.contains_all(a));
            if b.contains(x) {
                prop_assert!(a.intersection(b).contains(x));
            }
        }
    }

    #[test]
    fn complex_values_are_in_no_interval() {
        assert!(!Bound::real(1.0).contains_all(Bound::complex(0.5)));
        assert!(Bound::complex(1.0).contains_all(Bound::between(0.0, 1.0)));
        assert!(!Bound::between(0.5, 2.0).contains_all(Bound::real(2.0)));
        assert!(!Bound::real(1.0).contains(Complex::new(0.0, 0.1)));
        assert!(Bound::real(0.1).contains((0.1f64 + 1e-17).into()));
        for wrong in [Bound::complex(f64::NAN), Bound::complex(-1.0), Bound::between(2.0, 1.0)] {
            assert!(!wrong.is_valid());
        }
        assert_eq!(Bound::between(-0.5, 2.0).times(-2.0).interval(), Some((-4.0, 1.0)));
        assert_eq!(Bound::real(2.0).intersection(Bound::between(0.5, 3.0)).magnitude(), 2.0);
    }
}
