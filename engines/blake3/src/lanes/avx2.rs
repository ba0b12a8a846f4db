// SPDX-License-Identifier: Apache-2.0 OR MIT
//! [`Vector`] with AVX2: eight lanes.
//!
//! The type does not leave this module but as the parameter of what [`digests`] runs, so that its
//! operations meet the instructions they need.

use std::arch::x86_64::*;

use super::vector::{Vector, Word};
use super::Batch;

/// Eight lanes.
#[derive(Clone, Copy)]
pub(super) struct Avx2(__m256i);

/// [`Batch::digests`], compiled with these instructions.
///
/// # Safety
/// The processor has AVX2.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn digests<B: Batch>(batch: B) {
    batch.digests::<Avx2>();
}

impl Word for Avx2 {
    #[inline(always)]
    fn splat(word: u32) -> Self {
        // SAFETY: values of this type are made and used under `digests` alone.
        unsafe { Self(_mm256_set1_epi32(word as i32)) }
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: as in `splat`.
        unsafe { Self(_mm256_add_epi32(self.0, other.0)) }
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: as in `splat`.
        unsafe { Self(_mm256_xor_si256(self.0, other.0)) }
    }
    #[inline(always)]
    fn rotate_right<const BITS: u32>(self) -> Self {
        // Rotations by whole bytes are one shuffle, the others two shifts.
        // SAFETY: as in `splat`.
        unsafe {
            Self(match BITS {
                16 => _mm256_shuffle_epi8(
                    self.0,
                    _mm256_set_epi8(
                        13, 12, 15, 14, 9, 8, 11, 10, 5, 4, 7, 6, 1, 0, 3, 2, 13, 12, 15, 14, 9, 8,
                        11, 10, 5, 4, 7, 6, 1, 0, 3, 2,
                    ),
                ),
                8 => _mm256_shuffle_epi8(
                    self.0,
                    _mm256_set_epi8(
                        12, 15, 14, 13, 8, 11, 10, 9, 4, 7, 6, 5, 0, 3, 2, 1, 12, 15, 14, 13, 8,
                        11, 10, 9, 4, 7, 6, 5, 0, 3, 2, 1,
                    ),
                ),
                12 => _mm256_or_si256(
                    _mm256_srli_epi32::<12>(self.0),
                    _mm256_slli_epi32::<20>(self.0),
                ),
                _ => {
                    _mm256_or_si256(_mm256_srli_epi32::<7>(self.0), _mm256_slli_epi32::<25>(self.0))
                }
            })
        }
    }
}

impl Vector for Avx2 {
    const LANES: usize = 8;

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: as in `splat`.
        unsafe { Self(_mm256_and_si256(self.0, other.0)) }
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        // SAFETY: as in `splat`.
        unsafe { Self(_mm256_or_si256(self.0, other.0)) }
    }
    #[inline(always)]
    fn shift_right_8(self) -> Self {
        // SAFETY: as in `splat`.
        unsafe { Self(_mm256_srli_epi32::<8>(self.0)) }
    }
    #[inline(always)]
    fn equals(self, other: Self) -> Self {
        // SAFETY: as in `splat`.
        unsafe { Self(_mm256_cmpeq_epi32(self.0, other.0)) }
    }
    #[inline(always)]
    fn top_bits(self) -> u32 {
        // SAFETY: as in `splat`.
        unsafe { _mm256_movemask_ps(_mm256_castsi256_ps(self.0)) as u32 }
    }
    #[inline(always)]
    unsafe fn load(words: *const u32) -> Self {
        // SAFETY: as in `splat`; the caller has the words readable.
        unsafe { Self(_mm256_loadu_si256(words.cast())) }
    }
    #[inline(always)]
    unsafe fn store(self, words: *mut u32) {
        // SAFETY: as in `splat`; the caller has the words writable.
        unsafe { _mm256_storeu_si256(words.cast(), self.0) }
    }
    #[inline(always)]
    unsafe fn load_quarters(blocks: *const *const u8, byte: usize) -> Self {
        // SAFETY: as in `splat`; the caller has 16 bytes readable at both places.
        unsafe {
            let first = _mm_loadu_si128((*blocks).wrapping_add(byte).cast());
            let second = _mm_loadu_si128((*blocks.add(4)).wrapping_add(byte).cast());
            Self(_mm256_inserti128_si256::<1>(_mm256_castsi128_si256(first), second))
        }
    }
    #[inline(always)]
    fn transpose([a, b, c, d]: [Self; 4]) -> [Self; 4] {
        // SAFETY: as in `splat`.
        unsafe {
            let ab_low = _mm256_unpacklo_epi32(a.0, b.0);
            let ab_high = _mm256_unpackhi_epi32(a.0, b.0);
            let cd_low = _mm256_unpacklo_epi32(c.0, d.0);
            let cd_high = _mm256_unpackhi_epi32(c.0, d.0);
            [
                Self(_mm256_unpacklo_epi64(ab_low, cd_low)),
                Self(_mm256_unpackhi_epi64(ab_low, cd_low)),
                Self(_mm256_unpacklo_epi64(ab_high, cd_high)),
                Self(_mm256_unpackhi_epi64(ab_high, cd_high)),
            ]
        }
    }
    #[inline(always)]
    fn prefetch(place: *const u8) {
        // SAFETY: as in `splat`; a prefetch never faults.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(place.cast()) }
    }
}
