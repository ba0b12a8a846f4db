// SPDX-License-Identifier: Apache-2.0 OR MIT
//! [`Lanes`] in pure Rust: eight numbers and a loop.
//!
//! With biases of zero these are the integers of AVX-512 IFMA. With the biases and the rounding of
//! `doubles` and of `nearest`, the sums are bit for bit those in the registers of these backends,
//! so their kernels can be tested on any processor. Nothing is inlined: kernels are large, and the
//! emulation is not meant to be fast.

use std::cmp::Ordering;

use super::procedure::Procedure;
use super::vector::{Lanes, Vector, LANES, LIMB_BITS, LIMB_MASK};

/// Eight numbers. Each low half of a product includes `LOW_BIAS`, each high half `HIGH_BIAS`. High
/// halves are rounded to the nearest integer, a tie to the even one, if [`Self::IS_NEAREST`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Emulated<const LOW_BIAS: u64, const HIGH_BIAS: u64>([u64; LANES]);

/// The lanes of AVX-512 IFMA.
pub(super) type EmulatedIntegers = Emulated<0, 0>;

/// The bits of the double 2⁵², to which a low half is added.
pub(super) const LOW_BIAS: u64 = (1023 + 52) << 52;
/// The bits of the double 2¹⁰⁴, to which a high half is added.
pub(super) const HIGH_BIAS: u64 = (1023 + 104) << 52;

/// The bits of the double 1.5·2⁵², to which a low half with a sign is added.
pub(super) const SIGNED_LOW_BIAS: u64 = LOW_BIAS + (1 << 51);

/// The lanes of products of doubles that are rounded toward zero.
pub(super) type EmulatedDoubles = Emulated<LOW_BIAS, HIGH_BIAS>;

/// The lanes of products of doubles that are rounded to the nearest.
pub(super) type EmulatedNearest = Emulated<SIGNED_LOW_BIAS, HIGH_BIAS>;

impl<const LOW_BIAS: u64, const HIGH_BIAS: u64> Emulated<LOW_BIAS, HIGH_BIAS> {
    #[inline(always)]
    fn map(self, other: Self, function: impl Fn(u64, u64) -> u64) -> Self {
        let mut result = [0; LANES];
        for (lane, value) in result.iter_mut().enumerate() {
            *value = function(self.0[lane], other.0[lane]);
        }
        Self(result)
    }

    const IS_NEAREST: bool = LOW_BIAS == SIGNED_LOW_BIAS;

    fn high_half(a: u64, b: u64) -> u64 {
        let product = u128::from(a) * u128::from(b);
        let (down, rest) = ((product >> LIMB_BITS) as u64, product as u64 & LIMB_MASK);
        let rounds_up = match rest.cmp(&(1 << (LIMB_BITS - 1))) {
            Ordering::Less => false,
            Ordering::Equal => down % 2 == 1,
            Ordering::Greater => true,
        };
        down + u64::from(Self::IS_NEAREST && rounds_up)
    }

    /// a·b minus the high half, modulo 2⁶⁴.
    fn low_half(a: u64, b: u64) -> u64 {
        a.wrapping_mul(b).wrapping_sub(Self::high_half(a, b) << LIMB_BITS)
    }
}

impl<const LOW_BIAS: u64, const HIGH_BIAS: u64> Vector for Emulated<LOW_BIAS, HIGH_BIAS> {
    type Factor = Self;

    // As in the backend.
    const SPLIT_SUMS: bool = LOW_BIAS == 0;
    const NEAREST: bool = Self::IS_NEAREST;

    #[inline(never)]
    fn splat(value: u64) -> Self {
        Self([value; LANES])
    }
    #[inline(never)]
    fn add(self, other: Self) -> Self {
        self.map(other, u64::wrapping_add)
    }
    #[inline(never)]
    fn sub(self, other: Self) -> Self {
        self.map(other, u64::wrapping_sub)
    }
    #[inline(never)]
    fn and(self, other: Self) -> Self {
        self.map(other, |a, b| a & b)
    }
    #[inline(never)]
    fn shift_left<const BITS: u32>(self) -> Self {
        Self(self.0.map(|value| value << BITS))
    }
    #[inline(never)]
    fn shift_right<const BITS: u32>(self) -> Self {
        Self(self.0.map(|value| value >> BITS))
    }
    #[inline(never)]
    fn shift_right_signed<const BITS: u32>(self) -> Self {
        Self(self.0.map(|value| (value as i64 >> BITS) as u64))
    }
    #[inline(never)]
    fn select_by_sign(self, negative: Self, other: Self) -> Self {
        let chosen = negative.map(other, u64::wrapping_sub);
        let masked = self.map(chosen, |sign, value| if (sign as i64) < 0 { value } else { 0 });
        masked.add(other)
    }

    #[inline(never)]
    fn factor(self) -> Self {
        Self(self.0.map(|value| value & LIMB_MASK))
    }
    fn splat_factor(limb: u64) -> Self {
        debug_assert!(limb <= LIMB_MASK);
        Self::splat(limb)
    }
    fn without_bias(low: u64, high: u64) -> Self {
        let bias = low.wrapping_mul(LOW_BIAS).wrapping_add(high.wrapping_mul(HIGH_BIAS));
        Self::splat(bias.wrapping_neg())
    }
    #[inline(never)]
    fn multiply_add(low: &mut Self, high: &mut Self, a: Self, b: Self) {
        *low = low.add(a.map(b, |a, b| LOW_BIAS.wrapping_add(Self::low_half(a, b))));
        Self::multiply_add_high(high, a, b);
    }
    #[inline(never)]
    fn multiply_add_high(high: &mut Self, a: Self, b: Self) {
        *high = high.add(a.map(b, |a, b| HIGH_BIAS.wrapping_add(Self::high_half(a, b))));
    }
}

impl<const LOW_BIAS: u64, const HIGH_BIAS: u64> Lanes for Emulated<LOW_BIAS, HIGH_BIAS> {
    type Serial = crate::serial::Portable;

    super::vector::one_register!();

    #[inline(never)]
    fn outlined<P: Procedure>(procedure: P) -> P::Output {
        procedure.call()
    }
    #[inline(never)]
    fn step<P: Procedure>(step: P) -> P::Output {
        step.call()
    }
    #[inline(never)]
    fn load(values: &[u64; LANES]) -> Self {
        Self(*values)
    }
    fn load_rows(rows: [&[u64; LANES]; LANES]) -> [Self; LANES] {
        std::array::from_fn(|number| Self(rows.map(|row| row[number])))
    }
    #[inline(never)]
    fn store(self) -> [u64; LANES] {
        self.0
    }
}
