// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What is known of encrypted values without a key: where they lie, and how large their error is.
//!
//! Both are promises. A value lies in its [`Bound`] because inputs were declared to lie in theirs.
//! The true error, the root of the mean square over all values, is at most half a bit more than the
//! [`Estimate`] says, whatever the circuit and the values: see the engine's README for how it is
//! tested.

mod bound;
mod noise;
mod origin;

pub use bound::Bound;
pub(crate) use noise::Noise;
pub(crate) use origin::Origin;

/// The error of the values in a ciphertext's slots, and where they lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Standard deviation of the error of a slot.
    pub error: f64,
    /// Where values lie.
    pub bound: Bound,
}

impl Estimate {
    /// Of a sum or a difference of anything.
    pub(crate) fn sum(self, other: Self) -> Self {
        Self { error: self.error + other.error, bound: self.bound.sum(other.bound) }
    }

    /// Of a product of anything.
    pub(crate) fn product(self, other: Self) -> Self {
        let crossed = self.error * other.magnitude() + self.magnitude() * other.error;
        let error = crossed + self.error * other.error;
        Self { error, bound: self.bound.product(other.bound) }
    }

    /// The largest absolute value that there may be.
    pub fn magnitude(self) -> f64 {
        self.bound.magnitude()
    }

    /// The bits behind the point that are right: −log₂ of the error's standard deviation.
    pub fn precision_bits(self) -> f64 {
        -self.error.log2()
    }
}
