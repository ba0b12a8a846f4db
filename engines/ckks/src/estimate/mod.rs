// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Estimates of encrypted values without a key: their bound and their error.
//!
//! Both are guarantees. A value is within its [`Bound`] because the inputs were declared to be
//! within theirs. The true error, the root of the mean square over all values, exceeds the
//! [`Estimate`] by at most half a bit, for any circuit and any values. The README of the engine
//! describes how this is tested.

mod bound;
mod noise;
mod origin;
mod shares;

pub use bound::Bound;
pub(crate) use noise::{Noise, NoiseParts};
pub(crate) use origin::Origin;
pub(crate) use shares::{Merged, Parts};

/// The error and the bound of the values in a ciphertext's slots.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The standard deviation of the error of a slot.
    pub error: f64,
    /// The bound of the values.
    pub bound: Bound,
}

impl Estimate {
    /// The estimate of a sum or a difference of arbitrary operands.
    pub(crate) fn sum(self, other: Self) -> Self {
        Self { error: self.error + other.error, bound: self.bound.sum(other.bound) }
    }

    /// The estimate of a product of arbitrary operands.
    pub(crate) fn product(self, other: Self) -> Self {
        let crossed = self.error * other.magnitude() + self.magnitude() * other.error;
        let error = crossed + self.error * other.error;
        Self { error, bound: self.bound.product(other.bound) }
    }

    /// The largest possible absolute value.
    pub fn magnitude(self) -> f64 {
        self.bound.magnitude()
    }

    /// The number of correct bits after the binary point: −log₂ of the error's standard deviation.
    pub fn precision_bits(self) -> f64 {
        -self.error.log2()
    }
}
