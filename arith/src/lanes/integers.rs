// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Lanes whose halves of products are plain integers.

use super::vector::{Lanes, LIMB_MASK};

/// [`Lanes`] without a bias, whose factors are the lanes themselves.
pub trait IntegerLanes: Lanes<Factor = Self> {
    /// sum + the low half of a·b.
    #[must_use]
    fn add_low(sum: Self, a: Self, b: Self) -> Self;
    /// sum + the high half of a·b.
    #[must_use]
    fn add_high(sum: Self, a: Self, b: Self) -> Self;

    /// The low 52 bits of each lane.
    #[inline(always)]
    #[must_use]
    fn low_limb(self) -> Self {
        self.and(Self::splat(LIMB_MASK))
    }
}

/// A computation on eight lanes without a bias. The rules are those of [`Kernel`](super::Kernel).
pub trait IntegerKernel {
    /// The result.
    type Output;

    /// Computes the result.
    fn run<L: IntegerLanes>(self) -> Self::Output;
}
