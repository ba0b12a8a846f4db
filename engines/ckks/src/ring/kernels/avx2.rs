// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The vector of eight residues, with AVX2.

use std::arch::x86_64::*;

use super::super::conversion::Conversion;
use super::super::modulus::{Modulus, Shoup};
use super::super::permutation::Permutation;
use super::super::twiddles::Twiddles;
use super::vector::{Vector, MAX_LANES};

/// AVX2.
pub struct Avx2;

super::vector_kernels!(Avx2, Words, "avx2");

/// Eight words.
#[derive(Clone, Copy)]
struct Words(__m256i);

/// The odd lanes.
const ODD: i32 = 0xaa;

// SAFETY: each function needs AVX2, as the trait requires.
impl Vector for Words {
    const LANES: usize = 8;
    const LOG_RADIX: u32 = 3;
    type Wide = (__m256i, __m256i);

    super::vector::intrinsics! {
        fn load(from: *const u32) -> Self = Self(_mm256_loadu_si256(from.cast()));
        fn store(self, to: *mut u32) = _mm256_storeu_si256(to.cast(), self.0);
        fn stream(self, to: *mut u32) = _mm256_stream_si256(to.cast(), self.0);
        fn fence() = _mm_sfence();
        fn permute(self, order: Self) -> Self = Self(_mm256_permutevar8x32_epi32(self.0, order.0));
        fn splat(word: u32) -> Self = Self(_mm256_set1_epi32(word as i32));
        fn add(self, other: Self) -> Self = Self(_mm256_add_epi32(self.0, other.0));
        fn sub(self, other: Self) -> Self = Self(_mm256_sub_epi32(self.0, other.0));
        fn min(self, other: Self) -> Self = Self(_mm256_min_epu32(self.0, other.0));
        fn mul_low(self, other: Self) -> Self = Self(_mm256_mullo_epi32(self.0, other.0));
        fn odd(self) -> Self = Self(_mm256_srli_epi64::<32>(self.0));
        fn mul_wide(self, odd: Self, other: Self, other_odd: Self) -> Self::Wide =
            (_mm256_mul_epu32(self.0, other.0), _mm256_mul_epu32(odd.0, other_odd.0));
        fn zero_wide() -> Self::Wide = (_mm256_setzero_si256(), _mm256_setzero_si256());
        fn add_wide(a: Self::Wide, b: Self::Wide) -> Self::Wide =
            (_mm256_add_epi64(a.0, b.0), _mm256_add_epi64(a.1, b.1));
        fn high((even, odd): Self::Wide) -> Self =
            Self(_mm256_blend_epi32::<ODD>(_mm256_srli_epi64::<32>(even), odd));
        fn shift_right((even, odd): Self::Wide, count: u32) -> Self = {
            let even = _mm256_srl_epi64(even, _mm_cvtsi32_si128(count as i32));
            let odd = _mm256_sll_epi64(odd, _mm_cvtsi32_si128(32 - count as i32));
            Self(_mm256_blend_epi32::<ODD>(even, odd))
        };
        fn shift_left(self, count: u32) -> Self =
            Self(_mm256_sll_epi32(self.0, _mm_cvtsi32_si128(count as i32)));
        fn shift_right_words(self, count: u32) -> Self =
            Self(_mm256_srl_epi32(self.0, _mm_cvtsi32_si128(count as i32)));
        fn wide_from_high(high: Self) -> Self::Wide = {
            let wide = _mm256_slli_epi64::<32>(high.0);
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
                2 => Self(_mm256_cvtepu32_epi64(_mm_loadu_si128(from.cast()))),
                4 => {
                    let two = _mm_loadl_epi64(from.cast());
                    Self(_mm256_cvtepu32_epi64(_mm_shuffle_epi32::<0b01_01_00_00>(two)))
                }
                _ => Self(_mm256_set1_epi32(*from as i32)),
            }
        }
    }
    #[inline(always)]
    unsafe fn transpose(x: &mut [Self; MAX_LANES]) {
        // SAFETY: guaranteed by the contract of the trait.
        unsafe {
            // Within 128 bits: pairs of rows, then pairs of pairs.
            let mut y = *x;
            for i in (0..8).step_by(2) {
                y[i] = Self(_mm256_unpacklo_epi32(x[i].0, x[i + 1].0));
                y[i + 1] = Self(_mm256_unpackhi_epi32(x[i].0, x[i + 1].0));
            }
            for i in (0..8).step_by(4) {
                x[i] = Self(_mm256_unpacklo_epi64(y[i].0, y[i + 2].0));
                x[i + 1] = Self(_mm256_unpackhi_epi64(y[i].0, y[i + 2].0));
                x[i + 2] = Self(_mm256_unpacklo_epi64(y[i + 1].0, y[i + 3].0));
                x[i + 3] = Self(_mm256_unpackhi_epi64(y[i + 1].0, y[i + 3].0));
            }
            // Halves of 128 bits.
            for i in 0..4 {
                let (low, high) = (x[i].0, x[i + 4].0);
                x[i] = Self(_mm256_permute2x128_si256::<0x20>(low, high));
                x[i + 4] = Self(_mm256_permute2x128_si256::<0x31>(low, high));
            }
        }
    }
}
