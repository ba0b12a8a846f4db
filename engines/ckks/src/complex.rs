// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A complex number of two doubles, laid out as in C and NumPy.

use std::ops::{Add, Mul, Neg, Sub};

use zeroize::DefaultIsZeroes;

/// `re` + i·`im`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Complex {
    /// The real part.
    pub re: f64,
    /// The imaginary part.
    pub im: f64,
}

impl Complex {
    /// re + i·im.
    pub const fn new(re: f64, im: f64) -> Self {
        Self { re, im }
    }

    /// e^(2πi · numerator/denominator). Sine and cosine are computed in the first octant, where
    /// they are most precise.
    pub fn root(numerator: u64, denominator: u64) -> Self {
        // Eighths of the circle, and the remaining fraction of an eighth.
        let eighths = 8 * (numerator % denominator);
        let (octant, rest) = (eighths / denominator, eighths % denominator);
        let part = |rest: u64| rest as f64 / denominator as f64 * std::f64::consts::FRAC_PI_4;
        let angle = if octant % 2 == 0 { part(rest) } else { part(denominator - rest) };
        let (sin, cos) = angle.sin_cos();
        match octant {
            0 => Self::new(cos, sin),
            1 => Self::new(sin, cos),
            2 => Self::new(-sin, cos),
            3 => Self::new(-cos, sin),
            4 => Self::new(-cos, -sin),
            5 => Self::new(-sin, -cos),
            6 => Self::new(sin, -cos),
            _ => Self::new(cos, -sin),
        }
    }

    /// The conjugate.
    #[must_use]
    pub fn conjugate(self) -> Self {
        Self::new(self.re, -self.im)
    }

    /// The absolute value.
    pub fn abs(self) -> f64 {
        self.re.hypot(self.im)
    }

    /// Returns `true` if both parts are finite.
    pub fn is_finite(self) -> bool {
        self.re.is_finite() && self.im.is_finite()
    }
}

impl DefaultIsZeroes for Complex {}

impl From<f64> for Complex {
    fn from(re: f64) -> Self {
        Self::new(re, 0.0)
    }
}

impl Add for Complex {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self::new(self.re + other.re, self.im + other.im)
    }
}

impl Sub for Complex {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self::new(self.re - other.re, self.im - other.im)
    }
}

impl Neg for Complex {
    type Output = Self;

    fn neg(self) -> Self {
        Self::new(-self.re, -self.im)
    }
}

impl Mul for Complex {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self::new(self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re)
    }
}

impl Mul<f64> for Complex {
    type Output = Self;

    fn mul(self, factor: f64) -> Self {
        Self::new(self.re * factor, self.im * factor)
    }
}
