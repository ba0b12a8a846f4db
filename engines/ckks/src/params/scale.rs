// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Scales: the factor from values to the coefficients of a ciphertext.

use std::fmt;

/// A positive number with 105 bits of precision: the sum of two doubles, times a power of two.
/// Scales and moduli are products and quotients of primes, and intermediate values are never
/// rounded to a double (Dekker, "A floating-point technique for extending the available precision",
/// 1971).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// In [1, 2).
    high: f64,
    /// At most half a unit in the last place of `high`.
    low: f64,
    exponent: i32,
}

impl Scale {
    /// 1.
    pub const ONE: Self = Self { high: 1.0, low: 0.0, exponent: 0 };

    /// The scale of this value; `None` unless it is positive and normal.
    pub fn new(value: f64) -> Option<Self> {
        (value.is_normal() && value > 0.0).then(|| Self::sum(value, 0.0, 0))
    }

    /// 2^exponent.
    pub fn power_of_two(exponent: i32) -> Self {
        Self { exponent, ..Self::ONE }
    }

    /// 2^exponent, rounded to a double's precision.
    pub fn exp2(exponent: f64) -> Self {
        let whole = exponent.floor();
        Self::sum((exponent - whole).exp2(), 0.0, whole as i32)
    }

    /// The product of the moduli.
    pub fn product(moduli: impl IntoIterator<Item = u32>) -> Self {
        let each = |modulus| Self::sum(f64::from(modulus), 0.0, 0);
        moduli.into_iter().fold(Self::ONE, |product, by| product * each(by))
    }

    /// The nearest double; infinite from 2¹⁰²⁴ on.
    pub fn value(self) -> f64 {
        self.high * f64::from(self.exponent).exp2()
    }

    /// Returns the number over 2^exponent as two doubles, the first in [1, 2), and that exponent.
    pub fn parts(self) -> (f64, f64, i32) {
        (self.high, self.low, self.exponent)
    }

    /// Returns the number with these parts, or `None` for parts that [`Self::parts`] never returns.
    pub fn from_parts(high: f64, low: f64, exponent: i32) -> Option<Self> {
        let is_scale = (1.0..2.0).contains(&high) && low.is_finite() && high + low == high;
        (is_scale && exponent.unsigned_abs() < 1 << 20).then_some(Self { high, low, exponent })
    }

    /// log₂ of the number.
    pub fn log2(self) -> f64 {
        f64::from(self.exponent)
            + (self.high.log2() + self.low / self.high * std::f64::consts::LOG2_E)
    }

    /// The relative difference: self / other − 1.
    pub fn deviation(self, other: Self) -> f64 {
        let ratio = self / other;
        let unit = f64::from(ratio.exponent).exp2();
        (ratio.high * unit - 1.0) + ratio.low * unit
    }

    /// The square root.
    #[must_use]
    pub fn square_root(self) -> Self {
        let is_odd = self.exponent & 1;
        let factor = f64::from(is_odd).exp2();
        let (high, low) = (self.high * factor, self.low * factor);
        let root = high.sqrt();
        let error = root.mul_add(-root, high);
        Self::sum(root, (error + low) / (2.0 * root), self.exponent.saturating_sub(is_odd) / 2)
    }

    /// The nearest integer, or `None` from 2¹²⁶ on.
    pub fn nearest_integer(self) -> Option<i128> {
        if self.exponent >= 126 {
            return None;
        }
        let unit = f64::from(self.exponent).exp2();
        let (high, low) = (self.high * unit, self.low * unit);
        let whole = high.floor();
        Some(whole as i128 + ((high - whole) + low).round() as i128)
    }

    /// (high + low) · 2^exponent, where low is small compared to high.
    fn sum(high: f64, low: f64, exponent: i32) -> Self {
        let total = high + low;
        let rest = low - (total - high);
        // The exponent of a normal double: bits 52 to 62, minus 1023.
        let shift = ((total.to_bits() >> 52) & 0x7ff) as i32 - 1023;
        let unit = f64::from(-shift).exp2();
        Self { high: total * unit, low: rest * unit, exponent: exponent.saturating_add(shift) }
    }
}

impl std::ops::Mul for Scale {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let product = self.high * other.high;
        let error = self.high.mul_add(other.high, -product);
        let rest = self.high * other.low + self.low * other.high;
        Self::sum(product, error + rest, self.exponent.saturating_add(other.exponent))
    }
}

impl std::ops::Div for Scale {
    type Output = Self;

    fn div(self, other: Self) -> Self {
        let quotient = self.high / other.high;
        let error = quotient.mul_add(-other.high, self.high);
        let rest = (error + self.low - quotient * other.low) / other.high;
        Self::sum(quotient, rest, self.exponent.saturating_sub(other.exponent))
    }
}

impl fmt::Display for Scale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "2^{:.3}", self.log2())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigInt;
    use proptest::prelude::*;

    /// scale · 2^bits as an integer.
    fn integer(scale: Scale, bits: i32) -> BigInt {
        let part = |part: f64| BigInt::from((part * 2f64.powi(110)) as i128);
        (part(scale.high) + part(scale.low)) << (bits + scale.exponent - 110) as usize
    }

    fn product(of: &[u32]) -> BigInt {
        of.iter().map(|by| BigInt::from(*by)).product()
    }

    proptest! {
        #[test]
        fn products_and_quotients_keep_ninety_eight_bits(
            above in prop::collection::vec(1u32 << 24..1 << 30, 1..50),
            below in prop::collection::vec(1u32 << 24..1 << 30, 0..50),
        ) {
            let divisor = Scale::product(below.iter().copied());
            let ours = Scale::product(above.iter().copied()) / divisor;
            let exact = (product(&above) << 2000usize) / product(&below);
            let error = integer(ours, 2000) - &exact;
            prop_assert!(error.bits() + 98 <= exact.bits(), "{} of {}", error.bits(), exact.bits());
            let root = ours.square_root();
            prop_assert!((root * root).deviation(ours).abs() < 2f64.powi(-102));
            prop_assert!((ours.log2() + 2000.0 - exact.bits() as f64).abs() <= 1.0);
        }
    }

    #[test]
    fn parts_are_checked() {
        let third = Scale::ONE / Scale::new(3.0).unwrap();
        let (high, low, exponent) = third.parts();
        assert_eq!(Scale::from_parts(high, low, exponent), Some(third));
        let wrong =
            [(0.5, 0.0), (-1.0, 0.0), (f64::NAN, 0.0), (2.0, 0.0), (1.0, 0.1), (1.0, f64::NAN)];
        for (high, low) in wrong {
            assert_eq!(Scale::from_parts(high, low, 0), None);
        }
        assert_eq!(Scale::from_parts(1.0, 0.0, i32::MIN), None);
        for value in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-310] {
            assert_eq!(Scale::new(value), None);
        }
        assert!((third.log2() + 3f64.log2()).abs() < 1e-15);
        let integer = Scale::product([3, 5, 65_537, 1 << 29, 1_000_003]);
        assert_eq!(integer.nearest_integer(), Some(15 * 65_537 * (1 << 29) * 1_000_003));
        for (value, nearest) in
            [(0.25, 0), (0.5, 1), (2.75, 3), (1e15 + 0.25, 1_000_000_000_000_000)]
        {
            assert_eq!(Scale::new(value).unwrap().nearest_integer(), Some(nearest));
        }
        assert_eq!(Scale::power_of_two(126).nearest_integer(), None);
        // Exponents saturate at the limits of `i32`.
        let (largest, least) = (Scale::power_of_two(i32::MAX), Scale::power_of_two(i32::MIN));
        assert_eq!((largest * largest, least / largest), (largest, least));
        assert_eq!(least.square_root(), Scale::power_of_two(i32::MIN / 2));
        let near = Scale::new(3.0 + 3.0 * 2f64.powi(-40)).unwrap();
        assert!((near.deviation(Scale::new(3.0).unwrap()) - 2f64.powi(-40)).abs() < 1e-28);
        assert_eq!(Scale::power_of_two(-3).value(), 0.125);
        assert_eq!(Scale::power_of_two(40).to_string(), "2^40.000");
        assert!((Scale::exp2(-7.25).log2() + 7.25).abs() < 1e-15);
    }
}
