// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The common part of both AVX-512 backends: eight 64-bit lanes of a register, without products.

use std::arch::x86_64::*;

/// Transposes eight registers: result `number` holds lane `number` of each register. Pairs of rows
/// become pairs of even and odd lanes, each a quarter of a register; two further steps collect the
/// quarters.
///
/// # Safety
/// The processor has AVX-512F.
#[inline(always)]
pub(super) unsafe fn transposed(rows: [__m512i; 8]) -> [__m512i; 8] {
    let [a, b, c, d, e, f, g, h] = rows;
    // SAFETY: the processor of the caller has the instructions.
    unsafe {
        let [c0, c2, c4, c6] = collected([
            _mm512_unpacklo_epi64(a, b),
            _mm512_unpacklo_epi64(c, d),
            _mm512_unpacklo_epi64(e, f),
            _mm512_unpacklo_epi64(g, h),
        ]);
        let [c1, c3, c5, c7] = collected([
            _mm512_unpackhi_epi64(a, b),
            _mm512_unpackhi_epi64(c, d),
            _mm512_unpackhi_epi64(e, f),
            _mm512_unpackhi_epi64(g, h),
        ]);
        [c0, c1, c2, c3, c4, c5, c6, c7]
    }
}

/// Returns registers of which result `number` holds quarter `number` of each argument.
///
/// # Safety
/// See [`transposed`].
#[inline(always)]
unsafe fn collected(pairs: [__m512i; 4]) -> [__m512i; 4] {
    const EVEN: i32 = 0b10_00_10_00;
    const ODD: i32 = 0b11_01_11_01;
    let [a, b, c, d] = pairs;
    // SAFETY: as in `transposed`.
    unsafe {
        let (even, even_too) =
            (_mm512_shuffle_i64x2::<EVEN>(a, b), _mm512_shuffle_i64x2::<EVEN>(c, d));
        let (odd, odd_too) = (_mm512_shuffle_i64x2::<ODD>(a, b), _mm512_shuffle_i64x2::<ODD>(c, d));
        [
            _mm512_shuffle_i64x2::<EVEN>(even, even_too),
            _mm512_shuffle_i64x2::<EVEN>(odd, odd_too),
            _mm512_shuffle_i64x2::<ODD>(even, even_too),
            _mm512_shuffle_i64x2::<ODD>(odd, odd_too),
        ]
    }
}

/// The functions of [`Vector`](super::Vector) that need only AVX-512F and AVX-512DQ, for a type
/// that wraps a `__m512i`.
macro_rules! vector_operations {
    () => {
        #[inline(always)]
        fn splat(value: u64) -> Self {
            // SAFETY: values of this type exist only under the `run` functions of its module.
            unsafe { Self(_mm512_set1_epi64(value as i64)) }
        }
        #[inline(always)]
        fn add(self, other: Self) -> Self {
            // SAFETY: as in `splat`.
            unsafe { Self(_mm512_add_epi64(self.0, other.0)) }
        }
        #[inline(always)]
        fn sub(self, other: Self) -> Self {
            // SAFETY: as in `splat`.
            unsafe { Self(_mm512_sub_epi64(self.0, other.0)) }
        }
        #[inline(always)]
        fn and(self, other: Self) -> Self {
            // SAFETY: as in `splat`.
            unsafe { Self(_mm512_and_si512(self.0, other.0)) }
        }
        #[inline(always)]
        fn shift_left<const BITS: u32>(self) -> Self {
            // SAFETY: as in `splat`.
            unsafe { Self(_mm512_slli_epi64::<BITS>(self.0)) }
        }
        #[inline(always)]
        fn shift_right<const BITS: u32>(self) -> Self {
            // SAFETY: as in `splat`.
            unsafe { Self(_mm512_srli_epi64::<BITS>(self.0)) }
        }
        #[inline(always)]
        fn shift_right_signed<const BITS: u32>(self) -> Self {
            // SAFETY: as in `splat`.
            unsafe { Self(_mm512_srai_epi64::<BITS>(self.0)) }
        }
        #[inline(always)]
        fn select_by_sign(self, negative: Self, other: Self) -> Self {
            // SAFETY: as in `splat`.
            unsafe {
                Self(_mm512_mask_blend_epi64(_mm512_movepi64_mask(self.0), other.0, negative.0))
            }
        }
    };
}

/// The functions of [`Lanes`](super::Lanes) except those that run procedures, for the same type.
macro_rules! lane_operations {
    () => {
        #[inline(always)]
        fn load(values: &[u64; LANES]) -> Self {
            // SAFETY: as in `splat`; the array has 64 bytes.
            unsafe { Self(_mm512_loadu_si512(values.as_ptr().cast())) }
        }
        #[inline(always)]
        fn load_rows(rows: [&[u64; LANES]; LANES]) -> [Self; LANES] {
            let mut registers = [Self::splat(0).0; LANES];
            for (register, row) in registers.iter_mut().zip(rows) {
                *register = Self::load(row).0;
            }
            // SAFETY: as in `splat`.
            let [a, b, c, d, e, f, g, h] = unsafe { super::register::transposed(registers) };
            [Self(a), Self(b), Self(c), Self(d), Self(e), Self(f), Self(g), Self(h)]
        }
        #[inline(always)]
        fn store(self) -> [u64; LANES] {
            let mut values = [0; LANES];
            // SAFETY: as in `splat`; the array has 64 bytes.
            unsafe { _mm512_storeu_si512(values.as_mut_ptr().cast(), self.0) };
            values
        }
        #[inline(always)]
        fn broadcast(self, number: usize) -> Self {
            // SAFETY: as in `splat`.
            unsafe { Self(_mm512_permutexvar_epi64(_mm512_set1_epi64(number as i64), self.0)) }
        }
        #[inline(always)]
        fn permuted<const SOURCES: u32>(self) -> Self {
            let sources = const { super::vector::sources(SOURCES) };
            // SAFETY: as in `splat`.
            unsafe { Self(_mm512_permutexvar_epi64(Self::load(&sources).0, self.0)) }
        }
        #[inline(always)]
        fn with_lanes<const MASK: u8>(self, other: Self) -> Self {
            // SAFETY: as in `splat`.
            unsafe { Self(_mm512_mask_blend_epi64(MASK, self.0, other.0)) }
        }

        super::vector::one_register!();
    };
}

pub(super) use {lane_operations, vector_operations};
