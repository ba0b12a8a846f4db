// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Eight lanes in two registers of four.
//!
//! Every operation is done for both registers in turn, so that one chain of additions and products
//! fills the latencies of the other.

use super::vector::{Constants, Lanes, LANES};
use super::Procedure;
use crate::serial::Portable;

/// Four 64-bit lanes of a 256-bit register. The operations are those of [`Lanes`].
pub(super) trait FourLanes: Copy {
    type Factor: Copy;

    const SPLIT_SUMS: bool;
    const NEAREST: bool;

    fn outlined<P: Procedure>(procedure: P) -> P::Output;
    fn splat(value: u64) -> Self;
    fn load(values: &[u64; 4]) -> Self;
    fn store(self) -> [u64; 4];
    /// Transposes four registers: result `number` holds lane `number` of each register.
    fn transposed(rows: [Self; 4]) -> [Self; 4];
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn and(self, other: Self) -> Self;
    fn shift_left<const BITS: u32>(self) -> Self;
    fn shift_right<const BITS: u32>(self) -> Self;
    fn shift_right_signed<const BITS: u32>(self) -> Self;
    fn select_by_sign(self, negative: Self, other: Self) -> Self;
    fn factor(self) -> Self::Factor;
    fn splat_factor(limb: u64) -> Self::Factor;
    fn without_bias(low: u64, high: u64) -> Self;
    fn multiply_add(low: &mut Self, high: &mut Self, a: Self::Factor, b: Self::Factor);
    fn multiply_add_high(high: &mut Self, a: Self::Factor, b: Self::Factor);

    /// [`Lanes::add_row`] for pairs.
    #[inline(always)]
    fn add_row<const N: usize>(
        columns: &mut [Pair<Self>],
        factor: [Self::Factor; 2],
        row: &[[Self::Factor; 2]; N],
    ) {
        for (place, other) in row.iter().enumerate() {
            let (mut low, mut high) = (columns[place], columns[place + 1]);
            Pair::multiply_add(&mut low, &mut high, factor, *other);
            (columns[place], columns[place + 1]) = (low, high);
        }
    }

    /// [`Lanes::add_product`] for pairs.
    #[inline(always)]
    fn add_product<const N: usize>(
        columns: &mut [Pair<Self>],
        a: &[[Self::Factor; 2]; N],
        b: &[[Self::Factor; 2]; N],
    ) {
        for (place, factor) in a.iter().enumerate() {
            Self::add_row(&mut columns[place..], *factor, b);
        }
    }

    /// [`Lanes::add_constants`] for pairs.
    #[inline(always)]
    fn add_constants<C: Constants<N>, const N: usize>(
        columns: &mut [Pair<Self>],
        factor: [Self::Factor; 2],
    ) {
        let mut row = [[Self::splat_factor(0); 2]; N];
        for (pair, limb) in row.iter_mut().zip(C::LIMBS) {
            *pair = [Self::splat_factor(limb); 2];
        }
        Self::add_row(columns, factor, &row);
    }
}

/// Two registers.
#[derive(Clone, Copy)]
pub(super) struct Pair<R>(pub(super) [R; 2]);

impl<R: FourLanes> Lanes for Pair<R> {
    type Factor = [R::Factor; 2];
    type Serial = Portable;

    const SPLIT_SUMS: bool = R::SPLIT_SUMS;
    const NEAREST: bool = R::NEAREST;

    #[inline(always)]
    fn outlined<P: Procedure>(procedure: P) -> P::Output {
        R::outlined(procedure)
    }
    #[inline(always)]
    fn splat(value: u64) -> Self {
        Self([R::splat(value); 2])
    }
    #[inline(always)]
    fn load(values: &[u64; LANES]) -> Self {
        let [a, b, c, d, e, f, g, h] = *values;
        Self([R::load(&[a, b, c, d]), R::load(&[e, f, g, h])])
    }
    #[inline(always)]
    fn load_rows(rows: [&[u64; LANES]; LANES]) -> [Self; LANES] {
        let mut pairs = [Self::splat(0); LANES];
        for number in 0..2 {
            let (mut left, mut right) = ([R::splat(0); 4], [R::splat(0); 4]);
            for row in 0..4 {
                let [a, b, c, d, e, f, g, h] = *rows[4 * number + row];
                (left[row], right[row]) = (R::load(&[a, b, c, d]), R::load(&[e, f, g, h]));
            }
            let (left, right) = (R::transposed(left), R::transposed(right));
            for place in 0..4 {
                pairs[place].0[number] = left[place];
                pairs[4 + place].0[number] = right[place];
            }
        }
        pairs
    }
    #[inline(always)]
    fn store(self) -> [u64; LANES] {
        let ([a, b, c, d], [e, f, g, h]) = (self.0[0].store(), self.0[1].store());
        [a, b, c, d, e, f, g, h]
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self([self.0[0].add(other.0[0]), self.0[1].add(other.0[1])])
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self([self.0[0].sub(other.0[0]), self.0[1].sub(other.0[1])])
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Self([self.0[0].and(other.0[0]), self.0[1].and(other.0[1])])
    }
    #[inline(always)]
    fn shift_left<const BITS: u32>(self) -> Self {
        Self([self.0[0].shift_left::<BITS>(), self.0[1].shift_left::<BITS>()])
    }
    #[inline(always)]
    fn shift_right<const BITS: u32>(self) -> Self {
        Self([self.0[0].shift_right::<BITS>(), self.0[1].shift_right::<BITS>()])
    }
    #[inline(always)]
    fn shift_right_signed<const BITS: u32>(self) -> Self {
        Self([self.0[0].shift_right_signed::<BITS>(), self.0[1].shift_right_signed::<BITS>()])
    }
    #[inline(always)]
    fn select_by_sign(self, negative: Self, other: Self) -> Self {
        Self([
            self.0[0].select_by_sign(negative.0[0], other.0[0]),
            self.0[1].select_by_sign(negative.0[1], other.0[1]),
        ])
    }
    #[inline(always)]
    fn factor(self) -> Self::Factor {
        [self.0[0].factor(), self.0[1].factor()]
    }
    #[inline(always)]
    fn splat_factor(limb: u64) -> Self::Factor {
        [R::splat_factor(limb); 2]
    }
    #[inline(always)]
    fn without_bias(low: u64, high: u64) -> Self {
        Self([R::without_bias(low, high); 2])
    }
    #[inline(always)]
    fn multiply_add(low: &mut Self, high: &mut Self, a: Self::Factor, b: Self::Factor) {
        R::multiply_add(&mut low.0[0], &mut high.0[0], a[0], b[0]);
        R::multiply_add(&mut low.0[1], &mut high.0[1], a[1], b[1]);
    }
    #[inline(always)]
    fn multiply_add_high(high: &mut Self, a: Self::Factor, b: Self::Factor) {
        R::multiply_add_high(&mut high.0[0], a[0], b[0]);
        R::multiply_add_high(&mut high.0[1], a[1], b[1]);
    }
    #[inline(always)]
    fn add_row<const N: usize>(
        columns: &mut [Self],
        factor: Self::Factor,
        row: &[Self::Factor; N],
    ) {
        R::add_row(columns, factor, row);
    }
    #[inline(always)]
    fn add_product<const N: usize>(
        columns: &mut [Self],
        a: &[Self::Factor; N],
        b: &[Self::Factor; N],
    ) {
        R::add_product(columns, a, b);
    }
    #[inline(always)]
    fn add_constants<C: Constants<N>, const N: usize>(columns: &mut [Self], factor: Self::Factor) {
        R::add_constants::<C, N>(columns, factor);
    }
}

/// The functions of [`FourLanes`] that need only AVX2, for a type that wraps a `__m256i`.
macro_rules! register_operations {
    () => {
        #[inline(always)]
        fn splat(value: u64) -> Self {
            // SAFETY: values of this type exist only under the `run` functions of its module.
            unsafe { Self(_mm256_set1_epi64x(value as i64)) }
        }
        #[inline(always)]
        fn load(values: &[u64; 4]) -> Self {
            // SAFETY: as in `splat`; the array has 32 bytes.
            unsafe { Self(_mm256_loadu_si256(values.as_ptr().cast())) }
        }
        #[inline(always)]
        fn store(self) -> [u64; 4] {
            let mut values = [0; 4];
            // SAFETY: as in `splat`; the array has 32 bytes.
            unsafe { _mm256_storeu_si256(values.as_mut_ptr().cast(), self.0) };
            values
        }
        #[inline(always)]
        fn transposed([a, b, c, d]: [Self; 4]) -> [Self; 4] {
            const LOWER: i32 = 0x20;
            const UPPER: i32 = 0x31;
            // SAFETY: as in `splat`.
            unsafe {
                let (even, odd) =
                    (_mm256_unpacklo_epi64(a.0, b.0), _mm256_unpackhi_epi64(a.0, b.0));
                let (even_too, odd_too) =
                    (_mm256_unpacklo_epi64(c.0, d.0), _mm256_unpackhi_epi64(c.0, d.0));
                [
                    Self(_mm256_permute2x128_si256::<LOWER>(even, even_too)),
                    Self(_mm256_permute2x128_si256::<LOWER>(odd, odd_too)),
                    Self(_mm256_permute2x128_si256::<UPPER>(even, even_too)),
                    Self(_mm256_permute2x128_si256::<UPPER>(odd, odd_too)),
                ]
            }
        }
        #[inline(always)]
        fn add(self, other: Self) -> Self {
            // SAFETY: as in `splat`.
            unsafe { Self(_mm256_add_epi64(self.0, other.0)) }
        }
        #[inline(always)]
        fn sub(self, other: Self) -> Self {
            // SAFETY: as in `splat`.
            unsafe { Self(_mm256_sub_epi64(self.0, other.0)) }
        }
        #[inline(always)]
        fn and(self, other: Self) -> Self {
            // SAFETY: as in `splat`.
            unsafe { Self(_mm256_and_si256(self.0, other.0)) }
        }
        #[inline(always)]
        fn shift_left<const BITS: u32>(self) -> Self {
            // SAFETY: as in `splat`.
            unsafe { Self(_mm256_sll_epi64(self.0, _mm_cvtsi32_si128(BITS as i32))) }
        }
        #[inline(always)]
        fn shift_right<const BITS: u32>(self) -> Self {
            // SAFETY: as in `splat`.
            unsafe { Self(_mm256_srl_epi64(self.0, _mm_cvtsi32_si128(BITS as i32))) }
        }
        // The instructions have no signed shift: x + 2⁶³ is shifted instead.
        #[inline(always)]
        fn shift_right_signed<const BITS: u32>(self) -> Self {
            let shifted = self.add(Self::splat(1 << 63)).shift_right::<BITS>();
            shifted.sub(Self::splat(1 << (63 - BITS)))
        }
        #[inline(always)]
        fn select_by_sign(self, negative: Self, other: Self) -> Self {
            // SAFETY: as in `splat`.
            unsafe {
                let [sign, negative, other] = [
                    _mm256_castsi256_pd(self.0),
                    _mm256_castsi256_pd(negative.0),
                    _mm256_castsi256_pd(other.0),
                ];
                Self(_mm256_castpd_si256(_mm256_blendv_pd(other, negative, sign)))
            }
        }
    };
}

pub(super) use register_operations;
