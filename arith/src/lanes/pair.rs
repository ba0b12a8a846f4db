// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The common part of the backends with registers of 256 bits: eight lanes in two registers,
//! without products.

use std::arch::x86_64::*;

use super::vector::LANES;

/// Transposes four registers: result `number` holds lane `number` of each register.
///
/// # Safety
/// The processor has AVX2.
#[inline(always)]
unsafe fn transposed(rows: [__m256i; 4]) -> [__m256i; 4] {
    const LOWER: i32 = 0x20;
    const UPPER: i32 = 0x31;
    let [a, b, c, d] = rows;
    // SAFETY: the processor of the caller has the instructions.
    unsafe {
        let (even, even_too) = (_mm256_unpacklo_epi64(a, b), _mm256_unpacklo_epi64(c, d));
        let (odd, odd_too) = (_mm256_unpackhi_epi64(a, b), _mm256_unpackhi_epi64(c, d));
        [
            _mm256_permute2x128_si256::<LOWER>(even, even_too),
            _mm256_permute2x128_si256::<LOWER>(odd, odd_too),
            _mm256_permute2x128_si256::<UPPER>(even, even_too),
            _mm256_permute2x128_si256::<UPPER>(odd, odd_too),
        ]
    }
}

/// Loads eight rows of eight values. Register pair `number` receives value `number` of each row.
///
/// # Safety
/// See [`transposed`].
#[inline(always)]
pub(super) unsafe fn load_rows(rows: [&[u64; LANES]; LANES]) -> [[__m256i; 2]; LANES] {
    // SAFETY: the processor of the caller has the instructions; a row has 64 bytes.
    unsafe {
        let mut halves = [[_mm256_setzero_si256(); 2]; LANES];
        for half in 0..2 {
            for part in 0..2 {
                let mut quarter = [_mm256_setzero_si256(); 4];
                for (register, row) in quarter.iter_mut().zip(&rows[4 * half..]) {
                    *register = _mm256_loadu_si256(row.as_ptr().cast::<__m256i>().add(part));
                }
                for (number, register) in transposed(quarter).into_iter().enumerate() {
                    halves[4 * part + number][half] = register;
                }
            }
        }
        halves
    }
}

/// The functions of [`Lanes`](super::Lanes) that need only AVX2, for a type that wraps two
/// `__m256i`.
macro_rules! pair_operations {
    () => {
        #[inline(always)]
        fn splat(value: u64) -> Self {
            // SAFETY: values of this type exist only under the `run` functions of its module.
            let register = unsafe { _mm256_set1_epi64x(value as i64) };
            Self([register; 2])
        }
        #[inline(always)]
        fn load(values: &[u64; LANES]) -> Self {
            let start = values.as_ptr().cast::<__m256i>();
            // SAFETY: as in `splat`; the array has 64 bytes.
            unsafe { Self([_mm256_loadu_si256(start), _mm256_loadu_si256(start.add(1))]) }
        }
        #[inline(always)]
        fn load_rows(rows: [&[u64; LANES]; LANES]) -> [Self; LANES] {
            // SAFETY: as in `splat`.
            let [a, b, c, d, e, f, g, h] = unsafe { super::pair::load_rows(rows) };
            [Self(a), Self(b), Self(c), Self(d), Self(e), Self(f), Self(g), Self(h)]
        }
        #[inline(always)]
        fn store(self) -> [u64; LANES] {
            let mut values = [0; LANES];
            let start = values.as_mut_ptr().cast::<__m256i>();
            // SAFETY: as in `splat`; the array has 64 bytes.
            unsafe {
                _mm256_storeu_si256(start, self.0[0]);
                _mm256_storeu_si256(start.add(1), self.0[1]);
            }
            values
        }
        #[inline(always)]
        fn add(self, other: Self) -> Self {
            let ([a, b], [c, d]) = (self.0, other.0);
            // SAFETY: as in `splat`.
            unsafe { Self([_mm256_add_epi64(a, c), _mm256_add_epi64(b, d)]) }
        }
        #[inline(always)]
        fn sub(self, other: Self) -> Self {
            let ([a, b], [c, d]) = (self.0, other.0);
            // SAFETY: as in `splat`.
            unsafe { Self([_mm256_sub_epi64(a, c), _mm256_sub_epi64(b, d)]) }
        }
        #[inline(always)]
        fn and(self, other: Self) -> Self {
            let ([a, b], [c, d]) = (self.0, other.0);
            // SAFETY: as in `splat`.
            unsafe { Self([_mm256_and_si256(a, c), _mm256_and_si256(b, d)]) }
        }
        #[inline(always)]
        fn shift_left<const BITS: u32>(self) -> Self {
            let ([a, b], count) = (self.0, BITS as i32);
            // SAFETY: as in `splat`.
            unsafe {
                let count = _mm_cvtsi32_si128(count);
                Self([_mm256_sll_epi64(a, count), _mm256_sll_epi64(b, count)])
            }
        }
        #[inline(always)]
        fn shift_right<const BITS: u32>(self) -> Self {
            let ([a, b], count) = (self.0, BITS as i32);
            // SAFETY: as in `splat`.
            unsafe {
                let count = _mm_cvtsi32_si128(count);
                Self([_mm256_srl_epi64(a, count), _mm256_srl_epi64(b, count)])
            }
        }
        // The instructions have no signed shift: the lanes are shifted as x + 2⁶³ instead.
        #[inline(always)]
        fn shift_right_signed<const BITS: u32>(self) -> Self {
            let shifted = self.add(Self::splat(1 << 63)).shift_right::<BITS>();
            shifted.sub(Self::splat(1 << (63 - BITS)))
        }
        #[inline(always)]
        fn select_by_sign(self, negative: Self, other: Self) -> Self {
            let mut result = self;
            for half in 0..2 {
                // SAFETY: as in `splat`.
                result.0[half] = unsafe {
                    _mm256_castpd_si256(_mm256_blendv_pd(
                        _mm256_castsi256_pd(other.0[half]),
                        _mm256_castsi256_pd(negative.0[half]),
                        _mm256_castsi256_pd(self.0[half]),
                    ))
                };
            }
            result
        }
    };
}

pub(super) use pair_operations;
