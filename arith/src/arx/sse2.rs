// SPDX-License-Identifier: Apache-2.0 OR MIT
//! [`Word`] with SSE2, which every x86-64 processor has: two lanes of 64 bits.

use std::arch::x86_64::*;

use super::word::Word;

/// A register of two words of 64 bits.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Sse2(__m128i);

impl Sse2 {
    /// Makes a register from the words of both lanes.
    #[inline(always)]
    pub fn new([low, high]: [u64; 2]) -> Self {
        // SAFETY: every x86-64 processor has SSE2, here and below.
        Self(unsafe { _mm_set_epi64x(high as i64, low as i64) })
    }

    /// Copies one word to both lanes.
    #[inline(always)]
    pub fn splat(word: u64) -> Self {
        Self::new([word, word])
    }

    /// Returns the words of both lanes.
    #[inline(always)]
    pub fn words(self) -> [u64; 2] {
        // SAFETY: as in `new`.
        unsafe {
            let high = _mm_unpackhi_epi64(self.0, self.0);
            [_mm_cvtsi128_si64(self.0) as u64, _mm_cvtsi128_si64(high) as u64]
        }
    }
}

impl Word for Sse2 {
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: as in `new`.
        Self(unsafe { _mm_add_epi64(self.0, other.0) })
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: as in `new`.
        Self(unsafe { _mm_xor_si128(self.0, other.0) })
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: as in `new`.
        Self(unsafe { _mm_and_si128(self.0, other.0) })
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        // SAFETY: as in `new`.
        Self(unsafe { _mm_or_si128(self.0, other.0) })
    }
    #[inline(always)]
    fn rotate_right<const BITS: i32>(self) -> Self {
        const { assert!(0 < BITS && BITS < 64) };
        // A rotation by 32 bits is one shuffle, one by 16 bits two shuffles. A left shift by one
        // bit is an addition, which more ports of a processor execute than shifts.
        // SAFETY: as in `new`.
        unsafe {
            match BITS {
                32 => Self(_mm_shuffle_epi32::<0b10_11_00_01>(self.0)),
                16 => {
                    let low = _mm_shufflelo_epi16::<0b00_11_10_01>(self.0);
                    Self(_mm_shufflehi_epi16::<0b00_11_10_01>(low))
                }
                _ => {
                    let left = if BITS == 63 {
                        _mm_add_epi64(self.0, self.0)
                    } else {
                        _mm_sll_epi64(self.0, _mm_cvtsi32_si128(64 - BITS))
                    };
                    Self(_mm_or_si128(_mm_srli_epi64::<BITS>(self.0), left))
                }
            }
        }
    }
}
