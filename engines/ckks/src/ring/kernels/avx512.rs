// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The vector of sixteen residues, with AVX-512F and AVX-512DQ.

use std::arch::x86_64::*;

use super::super::conversion::Conversion;
use super::super::modulus::{Modulus, Shoup};
use super::super::permutation::Permutation;
use super::super::twiddles::Twiddles;
use super::vector::{Vector, MAX_LANES};

/// AVX-512.
pub struct Avx512;

super::vector_kernels!(Avx512, Words, "avx512f,avx512dq");

/// Sixteen words.
#[derive(Clone, Copy)]
struct Words(__m512i);

/// The odd lanes.
const ODD: u16 = 0xaaaa;

// SAFETY: each function needs AVX-512F, as the trait requires.
impl Vector for Words {
    const LANES: usize = 16;
    const LOG_RADIX: u32 = 4;
    type Wide = (__m512i, __m512i);

    super::vector::intrinsics! {
        fn load(from: *const u32) -> Self = Self(_mm512_loadu_si512(from.cast()));
        fn store(self, to: *mut u32) = _mm512_storeu_si512(to.cast(), self.0);
        fn stream(self, to: *mut u32) = _mm512_stream_si512(to.cast(), self.0);
        fn fence() = _mm_sfence();
        fn permute(self, order: Self) -> Self = Self(_mm512_permutexvar_epi32(order.0, self.0));
        fn splat(word: u32) -> Self = Self(_mm512_set1_epi32(word as i32));
        fn add(self, other: Self) -> Self = Self(_mm512_add_epi32(self.0, other.0));
        fn sub(self, other: Self) -> Self = Self(_mm512_sub_epi32(self.0, other.0));
        fn min(self, other: Self) -> Self = Self(_mm512_min_epu32(self.0, other.0));
        fn mul_low(self, other: Self) -> Self = Self(_mm512_mullo_epi32(self.0, other.0));
        fn odd(self) -> Self = Self(_mm512_srli_epi64::<32>(self.0));
        fn mul_wide(self, odd: Self, other: Self, other_odd: Self) -> Self::Wide =
            (_mm512_mul_epu32(self.0, other.0), _mm512_mul_epu32(odd.0, other_odd.0));
        fn zero_wide() -> Self::Wide = (_mm512_setzero_si512(), _mm512_setzero_si512());
        fn add_wide(a: Self::Wide, b: Self::Wide) -> Self::Wide =
            (_mm512_add_epi64(a.0, b.0), _mm512_add_epi64(a.1, b.1));
        fn high((even, odd): Self::Wide) -> Self =
            Self(_mm512_mask_shuffle_epi32::<0b11_11_01_01>(odd, !ODD, even));
        fn shift_right((even, odd): Self::Wide, count: u32) -> Self = {
            let even = _mm512_srl_epi64(even, _mm_cvtsi32_si128(count as i32));
            let odd = _mm512_sll_epi64(odd, _mm_cvtsi32_si128(32 - count as i32));
            Self(_mm512_mask_blend_epi32(ODD, even, odd))
        };
        fn shift_left(self, count: u32) -> Self =
            Self(_mm512_sll_epi32(self.0, _mm_cvtsi32_si128(count as i32)));
        fn shift_right_words(self, count: u32) -> Self =
            Self(_mm512_srl_epi32(self.0, _mm_cvtsi32_si128(count as i32)));
        fn wide_from_high(high: Self) -> Self::Wide = {
            let wide = _mm512_slli_epi64::<32>(high.0);
            (wide, wide)
        };
    }

    #[inline(always)]
    unsafe fn halves(wide: Self::Wide) -> (Self, Self) {
        (Self(wide.0), Self(wide.1))
    }
    #[inline(always)]
    unsafe fn load_runs<const RUN: usize>(from: *const u32) -> Self {
        // SAFETY: guaranteed by the contract of the trait; one word is read for each run.
        unsafe {
            match RUN {
                2 => Self(_mm512_cvtepu32_epi64(_mm256_loadu_si256(from.cast()))),
                4 => {
                    let four = _mm_loadu_si128(from.cast());
                    let order = _mm256_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3);
                    let twice = _mm256_permutevar8x32_epi32(_mm256_castsi128_si256(four), order);
                    Self(_mm512_cvtepu32_epi64(twice))
                }
                8 => {
                    let two = _mm_loadl_epi64(from.cast());
                    let order = _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1);
                    let often = _mm256_permutevar8x32_epi32(_mm256_castsi128_si256(two), order);
                    Self(_mm512_cvtepu32_epi64(often))
                }
                _ => Self(_mm512_set1_epi32(*from as i32)),
            }
        }
    }
    #[inline(always)]
    unsafe fn transpose(x: &mut [Self; MAX_LANES]) {
        // SAFETY: guaranteed by the contract of the trait.
        unsafe {
            // Within 128 bits: pairs of rows, then pairs of pairs.
            let mut y = *x;
            for i in (0..16).step_by(2) {
                y[i] = Self(_mm512_unpacklo_epi32(x[i].0, x[i + 1].0));
                y[i + 1] = Self(_mm512_unpackhi_epi32(x[i].0, x[i + 1].0));
            }
            for i in (0..16).step_by(4) {
                x[i] = Self(_mm512_unpacklo_epi64(y[i].0, y[i + 2].0));
                x[i + 1] = Self(_mm512_unpackhi_epi64(y[i].0, y[i + 2].0));
                x[i + 2] = Self(_mm512_unpacklo_epi64(y[i + 1].0, y[i + 3].0));
                x[i + 3] = Self(_mm512_unpackhi_epi64(y[i + 1].0, y[i + 3].0));
            }
            // Quarters of 128 bits: column 4·k + i is in quarter k of rows i, i + 4, i + 8, i + 12.
            for i in 0..4 {
                let (a, b) = (x[i].0, x[i + 4].0);
                let (c, d) = (x[i + 8].0, x[i + 12].0);
                y[i] = Self(_mm512_shuffle_i32x4::<0b10_00_10_00>(a, b));
                y[i + 4] = Self(_mm512_shuffle_i32x4::<0b11_01_11_01>(a, b));
                y[i + 8] = Self(_mm512_shuffle_i32x4::<0b10_00_10_00>(c, d));
                y[i + 12] = Self(_mm512_shuffle_i32x4::<0b11_01_11_01>(c, d));
            }
            for i in 0..4 {
                x[i] = Self(_mm512_shuffle_i32x4::<0b10_00_10_00>(y[i].0, y[i + 8].0));
                x[i + 8] = Self(_mm512_shuffle_i32x4::<0b11_01_11_01>(y[i].0, y[i + 8].0));
                x[i + 4] = Self(_mm512_shuffle_i32x4::<0b10_00_10_00>(y[i + 4].0, y[i + 12].0));
                x[i + 12] = Self(_mm512_shuffle_i32x4::<0b11_01_11_01>(y[i + 4].0, y[i + 12].0));
            }
        }
    }
}
