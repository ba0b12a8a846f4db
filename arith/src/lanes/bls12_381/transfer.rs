// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Conversions of field elements to and from lanes.
//!
//! Libraries hold x·2³⁸⁴ in six words of 64 bits; lanes hold x·2⁴¹⁶. One product by 2⁴⁴⁸ mod p
//! converts to lanes, one by 2³⁸⁴ converts back. One product by 2⁸³² mod p converts from the plain
//! number x.

use super::super::vector::{Lanes, LANES, LIMB_BITS, LIMB_MASK};
use super::{columns, Columns, Fp, LIMBS, MODULUS};

/// The 64-bit words of an element, least significant first.
pub type Words = [u64; 6];

/// Converts a number below 2³⁸⁴ to limbs of 52 bits.
pub(super) const fn limbs_52(words: &Words) -> [u64; LIMBS] {
    let mut limbs = [0; LIMBS];
    let mut limb = 0;
    while limb < LIMBS {
        let (word, shift) = (limb * 52 / 64, limb * 52 % 64);
        let mut value = words[word] >> shift;
        if shift > 12 && word + 1 < words.len() {
            value |= words[word + 1] << (64 - shift);
        }
        limbs[limb] = value & LIMB_MASK;
        limb += 1;
    }
    limbs
}

/// 2^exponent mod p.
const fn power_of_two(exponent: u32) -> Words {
    let mut power: Words = [1, 0, 0, 0, 0, 0];
    let mut step = 0;
    while step < exponent {
        // Twice a number below p has 382 bits. It is at least p if the subtraction of p does not
        // borrow.
        let (mut less, mut twice) = ([0; 6], [0; 6]);
        let (mut carry, mut borrow) = (0, false);
        let mut word = 0;
        while word < 6 {
            twice[word] = power[word] << 1 | carry;
            carry = power[word] >> 63;
            let (once, first) = twice[word].overflowing_sub(MODULUS[word]);
            let (again, second) = once.overflowing_sub(borrow as u64);
            (less[word], borrow) = (again, first || second);
            word += 1;
        }
        power = if borrow { twice } else { less };
        step += 1;
    }
    power
}

/// The factor that converts x·2³⁸⁴ to x·2⁴¹⁶.
const INTO_LANES: [u64; LIMBS] = limbs_52(&power_of_two(448));
/// The factor that converts back.
const OUT_OF_LANES: [u64; LIMBS] = limbs_52(&power_of_two(384));
/// The factor that converts the number x to x·2⁴¹⁶.
const OF_NUMBERS: [u64; LIMBS] = limbs_52(&power_of_two(832));
/// The factor that converts the number x to x·2²⁵⁶·2⁴¹⁶.
const OF_UPPER_HALVES: [u64; LIMBS] = limbs_52(&power_of_two(832 + 256));
/// 1 in lanes.
const ONE: [u64; LIMBS] = limbs_52(&power_of_two(416));

impl<L: Lanes> Fp<L, 1> {
    /// Copies a number below p, given as limbs, to every lane.
    #[inline(always)]
    fn splat_limbs(limbs: &[u64; LIMBS]) -> Self {
        let mut columns = [L::splat(0); LIMBS];
        for (column, limb) in columns.iter_mut().zip(limbs) {
            *column = L::splat(*limb);
        }
        Self(columns)
    }

    /// Returns 1 in each lane.
    #[inline(always)]
    pub fn one() -> Self {
        Self::splat_limbs(&ONE)
    }
}

impl<L: Lanes, const BOUND: u64> Fp<L, BOUND> {
    /// Returns a negative number in each lane in which FACTOR times the element, reduced to [0, p),
    /// is odd. With a factor of 2 these are the elements above (p − 1)/2, whose double is at least
    /// p.
    #[inline(always)]
    pub fn odd_multiple_signs<const FACTOR: u64>(&self) -> L {
        let factor = const { limbs_52(&[FACTOR, 0, 0, 0, 0, 0]) };
        let number = self.times_reduced(&Fp::<L, 1>::splat_limbs(&factor));
        number.canonical().0[0].shift_left::<63>()
    }
}

/// The elements of the lanes in memory, each in [0, BOUND·p].
#[derive(Clone, Copy, Debug)]
pub struct Stored<const BOUND: u64>([[u64; LANES]; LIMBS]);

impl<L: Lanes, const BOUND: u64> Fp<L, BOUND> {
    /// Stores the elements in memory.
    #[inline(always)]
    pub fn stored(&self) -> Stored<BOUND> {
        let mut limbs = [[0; LANES]; LIMBS];
        for (limb, column) in limbs.iter_mut().zip(&self.0) {
            *limb = column.store();
        }
        Stored(limbs)
    }

    /// Loads lane `i` from lane `i` of `sources[i]`.
    #[inline(always)]
    pub fn gathered(sources: [&Stored<BOUND>; LANES]) -> Self {
        let [a, b, c, d, e, f, g, h] = sources;
        Self(columns::gathered([&a.0, &b.0, &c.0, &d.0, &e.0, &f.0, &g.0, &h.0]))
    }
}

impl<const BOUND: u64> Stored<BOUND> {
    /// 0 in each lane, as the initial value of a place in memory.
    pub const ZERO: Self = Self([[0; LANES]; LIMBS]);
}

/// One element in memory, in [0, BOUND·p]. Any eight rows can be loaded into lanes.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Row<const BOUND: u64>([u64; LIMBS]);

impl<const BOUND: u64> Row<BOUND> {
    /// 0.
    pub const ZERO: Self = Self([0; LIMBS]);

    /// Prefetches the row, which is read soon.
    #[inline(always)]
    pub fn prefetch(&self) {
        #[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
        // SAFETY: every processor of this architecture has the instruction; it is only a hint.
        unsafe {
            use std::arch::x86_64::{_mm_prefetch, _MM_HINT_T0};
            _mm_prefetch::<_MM_HINT_T0>(self.0.as_ptr().cast());
        }
    }
}

impl<L: Lanes, const BOUND: u64> Fp<L, BOUND> {
    /// Loads elements that [`Self::stored`] returned.
    #[inline(always)]
    pub fn loaded(stored: &Stored<BOUND>) -> Self {
        let mut columns = [L::splat(0); LIMBS];
        for (column, limb) in columns.iter_mut().zip(&stored.0) {
            *column = L::load(limb);
        }
        Self(columns)
    }

    /// Loads one row per lane.
    #[inline(always)]
    pub fn of_rows(rows: [&Row<BOUND>; LANES]) -> Self {
        let [a, b, c, d, e, f, g, h] = rows;
        Self(L::load_rows([&a.0, &b.0, &c.0, &d.0, &e.0, &f.0, &g.0, &h.0]))
    }

    /// Stores the element of each lane as a row.
    #[inline(always)]
    pub fn rows(&self) -> [Row<BOUND>; LANES] {
        let [a, b, c, d, e, f, g, h] = &self.stored().0;
        let mut rows = [Row([0; LIMBS]); LANES];
        for (row, limbs) in rows.iter_mut().zip(L::load_rows([a, b, c, d, e, f, g, h])) {
            row.0 = limbs.store();
        }
        rows
    }
}

/// Converts six words per lane to limbs: a number below 2³⁸⁴, which is below 10p.
#[inline(always)]
fn load_words<L: Lanes>(numbers: [&Words; LANES]) -> Fp<L, 10> {
    Fp(columns::of_words(numbers))
}

crate::steps! {
    /// Converts x·2³⁸⁴ mod p, each in [0, 2³⁸⁴), to one element per lane.
    pub fn of_montgomery_384<L: Lanes>(elements: [&Words; LANES]) -> Fp<L, 3> {
        load_words(elements).times_reduced(&Fp::<L, 1>::splat_limbs(&INTO_LANES))
    }

    /// Converts numbers in [0, 2³⁸⁴) to one element per lane.
    pub fn of_numbers<L: Lanes>(numbers: [&Words; LANES]) -> Fp<L, 3> {
        load_words(numbers).times_reduced(&Fp::<L, 1>::splat_limbs(&OF_NUMBERS))
    }

    /// Converts numbers in [0, 2⁵¹²), given as the lower and the upper 256 bits, to one element per
    /// lane.
    pub fn of_halves<L: Lanes>(halves: [[&Words; LANES]; 2]) -> Fp<L, 3> {
        let [lower, upper] = halves;
        let factor = Fp::<L, 1>::splat_limbs(&OF_NUMBERS).factor();
        let lower = load_words(lower).factor().product(&factor);
        let factor = Fp::<L, 1>::splat_limbs(&OF_UPPER_HALVES).factor();
        load_words(upper).factor().product(&factor).plus::<1, 2>(&lower).reduced()
    }
}

/// Copies one element, given as x·2³⁸⁴ mod p, to every lane.
#[inline(always)]
pub fn splat_montgomery_384<L: Lanes>(element: &Words) -> Fp<L, 3> {
    of_montgomery_384([element; LANES])
}

crate::steps! {
    /// Returns x·2³⁸⁴ mod p of each lane, in [0, p).
    pub fn to_montgomery_384<L: Lanes, const B: u64>(element: &Fp<L, B>) -> [Words; LANES] {
        let out = element.times_reduced(&Fp::<L, 1>::splat_limbs(&OUT_OF_LANES));
        let columns: Columns<L> = out.canonical().0;
        let mut limbs = [[0; LANES]; LIMBS];
        for (limb, column) in limbs.iter_mut().zip(columns) {
            *limb = column.store();
        }
        words_of_limbs(&limbs)
    }
}

/// Converts the limbs of numbers below 2³⁸⁴ to words.
#[inline]
fn words_of_limbs(limbs: &[[u64; LANES]; LIMBS]) -> [Words; LANES] {
    let mut elements = [[0; 6]; LANES];
    for (lane, element) in elements.iter_mut().enumerate() {
        let mut bits = 0u128;
        let (mut word, mut held) = (0, 0);
        for limb in limbs {
            bits |= u128::from(limb[lane]) << held;
            held += LIMB_BITS;
            if held >= 64 && word < 6 {
                element[word] = bits as u64;
                bits >>= 64;
                held -= 64;
                word += 1;
            }
        }
    }
    elements
}
