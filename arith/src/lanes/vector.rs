// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Eight 64-bit lanes and products of their 52-bit limbs.

use super::Procedure;
use crate::serial::Arithmetic;

/// Jobs side by side.
pub const LANES: usize = 8;

/// Bits of a limb.
pub const LIMB_BITS: u32 = 52;

/// The bits of a limb, set.
pub const LIMB_MASK: u64 = (1 << LIMB_BITS) - 1;

/// Eight integers modulo 2⁶⁴, one a job.
///
/// Products are of limbs in [0, 2⁵²): the low half is their product modulo 2⁵², the high half the
/// rest. Some processors add a constant to each half, the *bias*; sums of halves begin with
/// [`Self::without_bias`] so that it cancels.
pub trait Lanes: Copy {
    /// A limb made ready to be multiplied.
    type Factor: Copy;
    /// The ordinary arithmetic of a processor with these lanes.
    type Serial: Arithmetic;

    /// Whether adding a half to a sum takes so long that long sums keep low and high halves apart.
    const SPLIT_SUMS: bool;

    /// Runs a procedure that is compiled with the instructions of these lanes and not inlined.
    fn outlined<P: Procedure>(procedure: P) -> P::Output;

    /// Runs a step of a procedure: inlined, but for the emulation.
    #[inline(always)]
    fn step<P: Procedure>(step: P) -> P::Output {
        step.call()
    }

    /// The same value in each lane.
    fn splat(value: u64) -> Self;
    /// One value a lane.
    fn load(values: &[u64; LANES]) -> Self;
    /// Eight values a lane: register `number` gets value `number` of each lane's row.
    fn load_rows(rows: [&[u64; LANES]; LANES]) -> [Self; LANES];
    /// The values.
    fn store(self) -> [u64; LANES];

    /// self + other mod 2⁶⁴.
    #[must_use]
    fn add(self, other: Self) -> Self;
    /// self − other mod 2⁶⁴.
    #[must_use]
    fn sub(self, other: Self) -> Self;
    /// Bits set in both.
    #[must_use]
    fn and(self, other: Self) -> Self;
    /// self · 2^BITS mod 2⁶⁴.
    #[must_use]
    fn shift_left<const BITS: u32>(self) -> Self;
    /// ⌊self / 2^BITS⌋ of unsigned lanes.
    #[must_use]
    fn shift_right<const BITS: u32>(self) -> Self;
    /// ⌊self / 2^BITS⌋ of signed lanes.
    #[must_use]
    fn shift_right_signed<const BITS: u32>(self) -> Self;
    /// Lane by lane `negative` where self is negative as a signed number, else `other`.
    #[must_use]
    fn select_by_sign(self, negative: Self, other: Self) -> Self;

    /// The low 52 bits of each lane as a factor; the others do not matter.
    fn factor(self) -> Self::Factor;
    /// A limb in [0, 2⁵²), the same in each lane, as a factor.
    fn splat_factor(limb: u64) -> Self::Factor;
    /// What a sum of `low` low halves and `high` high halves begins with to come out right.
    fn without_bias(low: u64, high: u64) -> Self;
    /// Adds a product's low half to `low` and its high half to `high`.
    fn multiply_add(low: &mut Self, high: &mut Self, a: Self::Factor, b: Self::Factor);
    /// Adds a product's low half.
    #[inline(always)]
    fn multiply_add_low(low: &mut Self, a: Self::Factor, b: Self::Factor) {
        let mut unused = Self::splat(0);
        Self::multiply_add(low, &mut unused, a, b);
    }
    /// Adds a product's high half.
    fn multiply_add_high(high: &mut Self, a: Self::Factor, b: Self::Factor);
}
