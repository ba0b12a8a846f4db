// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The base field of BLS12-381 with one element per lane. p has 381 bits; elements have eight limbs
//! of 52 bits and are in Montgomery form with R = 2⁴¹⁶.
//!
//! A value is any number congruent to the element. Its type states the bound of the number, and the
//! compiler rejects a computation that violates a bound.
//!
//! | type | columns | value |
//! |---|---|---|
//! | [`Fp<L, B>`](Fp) | limbs in [0, 2⁵²) | in [0, B·p] |
//! | [`Sum<L, B>`](Sum) | signed, magnitude below 2⁵³·B | in [0, B·p] |
//! | [`Factor<L, B>`](Factor) | limbs as factors of products | in [0, B·p] |
//! | [`Wide<L, N>`](Wide) | sixteen, signed, magnitude below N·2⁵⁶ | magnitude below N·2²⁶·p² |
//!
//! Sums do not carry until [`Sum::carried`]. A difference adds B·p, the bound of the subtrahend,
//! since a factor must not be negative. Wide products need no such offset: [`Wide::reduced`]
//! accepts either sign. R is 2³⁵·p, so one reduction brings a sum of 126 products of numbers below
//! 2¹³·p below 3p.

#![allow(clippy::needless_range_loop)] // one index runs through several arrays

use super::vector::{Lanes, Vector, LIMB_BITS, LIMB_MASK};

mod columns;
mod halves;
mod moves;
mod transfer;
mod wide;

#[cfg(test)]
mod tests;

pub use columns::COLUMNS;
pub use transfer::{
    of_halves, of_montgomery_384, of_numbers, splat_montgomery_384, to_montgomery_384, Row, Stored,
    Words,
};
pub use wide::{reduced_pair, reduced_pair_of_sums, Column, Wide};

/// The number of limbs of an element.
pub const LIMBS: usize = 8;

/// p, least significant limb first.
pub const MODULUS: [u64; 6] = [
    0xb9fe_ffff_ffff_aaab,
    0x1eab_fffe_b153_ffff,
    0x6730_d2a0_f6b0_f624,
    0x6477_4b84_f385_12bf,
    0x4b1b_a7b6_434b_acd7,
    0x1a01_11ea_397f_e69a,
];

/// p as limbs of 52 bits.
const MODULUS_52: [u64; LIMBS] = transfer::limbs_52(&MODULUS);

/// The largest bound of a [`Sum`]. Its columns are then below 2⁶².
const LARGEST_SUM: u64 = 512;

/// The columns of eight lanes.
pub type Columns<L> = [L; LIMBS];

/// One element per lane as limbs, with a value in [0, BOUND·p].
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Fp<L, const BOUND: u64>(Columns<L>);

/// One element per lane as signed columns that are not carried, with a value in [0, BOUND·p].
#[derive(Clone, Copy, Debug)]
pub struct Sum<L, const BOUND: u64>(Columns<L>);

/// One element per lane as a factor of a product, with a value in [0, BOUND·p].
#[derive(Clone, Copy)]
pub struct Factor<L: Lanes, const BOUND: u64>(Factors<L>);

/// The limbs of a factor.
type Factors<L> = [<L as Vector>::Factor; LIMBS];

/// Returns multiple·p as limbs.
const fn multiple_of_modulus(multiple: u64) -> [u64; LIMBS] {
    let mut limbs = [0; LIMBS];
    let mut carry = 0u128;
    let mut limb = 0;
    while limb < LIMBS {
        carry += MODULUS_52[limb] as u128 * multiple as u128;
        limbs[limb] = carry as u64 & LIMB_MASK;
        carry >>= LIMB_BITS;
        limb += 1;
    }
    assert!(carry == 0, "the multiple must be below 2^416");
    limbs
}

/// A term of a sum: an element in columns.
pub trait Term<L: Lanes>: Copy {
    /// The value lies in [0, BOUND·p].
    const BOUND: u64;

    /// Returns the columns.
    fn columns(&self) -> &Columns<L>;

    /// Returns a sum with only this term.
    #[inline(always)]
    fn sum<const C: u64>(&self) -> Sum<L, C> {
        const { assert!(Self::BOUND <= C && C <= LARGEST_SUM, "the sum's bound") };
        Sum(*self.columns())
    }

    /// self + term.
    #[inline(always)]
    fn plus<T: Term<L>, const C: u64>(&self, term: &T) -> Sum<L, C> {
        const { assert!(Self::BOUND + T::BOUND <= C && C <= LARGEST_SUM, "the sum's bound") };
        Sum(columns::sum(self.columns(), term.columns()))
    }

    /// self − term + BOUND·p, with the bound of the term.
    #[inline(always)]
    fn minus<T: Term<L>, const C: u64>(&self, term: &T) -> Sum<L, C> {
        const { assert!(Self::BOUND + T::BOUND <= C && C <= LARGEST_SUM, "the difference's bound") };
        let offset = const { multiple_of_modulus(T::BOUND) };
        Sum(columns::offset_difference(self.columns(), &offset, term.columns()))
    }

    /// −self + BOUND·p.
    #[inline(always)]
    fn negated<const C: u64>(&self) -> Sum<L, C> {
        const { assert!(Self::BOUND <= C && C <= LARGEST_SUM, "the opposite's bound") };
        let offset = const { multiple_of_modulus(Self::BOUND) };
        let mut columns = *self.columns();
        for (column, offset) in columns.iter_mut().zip(offset) {
            *column = L::splat(offset).sub(*column);
        }
        Sum(columns)
    }

    /// FACTOR·self, for a small factor.
    #[inline(always)]
    fn times<const FACTOR: u64, const C: u64>(&self) -> Sum<L, C> {
        const { assert!(Self::BOUND * FACTOR <= C && C <= LARGEST_SUM, "the multiple's bound") };
        let mut columns = *self.columns();
        for column in &mut columns {
            *column = small_multiple::<L, FACTOR>(*column);
        }
        Sum(columns)
    }
}

/// FACTOR·value mod 2⁶⁴ by doubling and adding.
#[inline(always)]
fn small_multiple<L: Lanes, const FACTOR: u64>(value: L) -> L {
    let mut result = value;
    let mut bit = const { FACTOR.ilog2() };
    while bit > 0 {
        bit -= 1;
        result = result.add(result);
        if FACTOR >> bit & 1 == 1 {
            result = result.add(value);
        }
    }
    result
}

impl<L: Lanes, const BOUND: u64> Term<L> for Fp<L, BOUND> {
    const BOUND: u64 = BOUND;

    #[inline(always)]
    fn columns(&self) -> &Columns<L> {
        &self.0
    }
}

impl<L: Lanes, const BOUND: u64> Term<L> for Sum<L, BOUND> {
    const BOUND: u64 = BOUND;

    #[inline(always)]
    fn columns(&self) -> &Columns<L> {
        &self.0
    }
}

impl<L: Lanes, const BOUND: u64> Fp<L, BOUND> {
    /// 0 in each lane.
    #[inline(always)]
    pub fn zero() -> Self {
        Self([L::splat(0); LIMBS])
    }

    /// Converts to a type with a larger bound.
    #[inline(always)]
    pub fn widened<const C: u64>(self) -> Fp<L, C> {
        const { assert!(BOUND <= C, "the new bound must be at least the old one") };
        Fp(self.0)
    }

    /// Converts elements to a type with a larger bound, for procedures that are compiled once.
    #[inline(always)]
    pub fn all_widened<const C: u64, const N: usize>(elements: &[Self; N]) -> &[Fp<L, C>; N] {
        const { assert!(BOUND <= C, "the new bound must be at least the old one") };
        // SAFETY: both types are transparent wrappers of the same columns.
        unsafe { &*std::ptr::from_ref(elements).cast() }
    }

    /// Returns the element as a factor of a product.
    #[inline(always)]
    pub fn factor(&self) -> Factor<L, BOUND> {
        Factor(columns::factors_of_limbs(&self.0))
    }

    /// a·b/2⁴¹⁶.
    #[inline(always)]
    #[must_use]
    pub fn times_reduced<const B: u64>(&self, other: &Fp<L, B>) -> Fp<L, 3> {
        self.factor().product(&other.factor()).reduced()
    }

    /// a²/2⁴¹⁶.
    #[inline(always)]
    #[must_use]
    pub fn squared(&self) -> Fp<L, 3> {
        self.factor().square().reduced()
    }

    /// Selects `negative` in the lanes where the sign is negative, and self in the others.
    #[inline(always)]
    #[must_use]
    pub fn replaced_by_sign(&self, signs: L, negative: &Self) -> Self {
        let mut limbs = self.0;
        for (limb, other) in limbs.iter_mut().zip(negative.0) {
            *limb = signs.select_by_sign(other, *limb);
        }
        Self(limbs)
    }

    /// Returns the congruent number in [0, p).
    #[inline(always)]
    #[must_use]
    pub fn canonical(&self) -> Fp<L, 1> {
        const { assert!(BOUND < LARGEST_SUM, "the bound of a number brought into [0, p)") };
        Fp(columns::below_modulus(&columns::reduced(&self.0)))
    }

    /// Returns a negative number in each lane whose element is 0 modulo p.
    #[inline(always)]
    pub fn zero_signs(&self) -> L {
        let Fp(limbs) = self.canonical();
        // The limbs of a number in [0, p) are not negative: their sum is 0 only if all limbs are 0.
        let mut sum = limbs[0];
        for limb in &limbs[1..] {
            sum = sum.add(*limb);
        }
        sum.sub(L::splat(1))
    }

    /// Returns the lanes whose element is 0 modulo p.
    #[inline(always)]
    pub fn is_zero(&self) -> [bool; super::LANES] {
        let mut zero = [false; super::LANES];
        for (zero, sign) in zero.iter_mut().zip(self.zero_signs().store()) {
            *zero = sign >> 63 == 1;
        }
        zero
    }
}

impl<L: Lanes, const BOUND: u64> Sum<L, BOUND> {
    /// Carries the columns into limbs.
    #[inline(always)]
    pub fn carried(&self) -> Fp<L, BOUND> {
        Fp(columns::carried(&self.0))
    }

    /// Returns the sum as a factor of a product. The bits above the limbs stay in their columns,
    /// since a factor has only the bits of a limb.
    #[inline(always)]
    pub fn factor(&self) -> Factor<L, BOUND> {
        Factor(columns::carried_factors(&self.0))
    }

    /// Returns a congruent number in [0, 2p], in 16 products of limbs.
    #[inline(always)]
    pub fn reduced(&self) -> Fp<L, 2> {
        const { assert!(BOUND < LARGEST_SUM, "the bound of a number to reduce") };
        Fp(columns::reduced(&self.0))
    }
}
