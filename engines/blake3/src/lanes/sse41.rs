// SPDX-License-Identifier: Apache-2.0 OR MIT
//! [`Vector`] with SSE4.1: four lanes.
//!
//! The type leaves this module only as the type parameter within [`digests`], so its operations run
//! only where their instructions are available.

use std::arch::x86_64::*;

use halimede_arith::arx::Word;

use super::vector::Vector;
use super::Batch;

/// A register of four lanes.
#[derive(Clone, Copy)]
pub(super) struct Sse41(__m128i);

/// [`Batch::digests`], compiled for SSE4.1.
///
/// # Safety
/// The processor has SSE4.1.
#[target_feature(enable = "sse4.1,ssse3")]
pub(super) unsafe fn digests<B: Batch>(batch: B) {
    batch.digests::<Sse41>();
}

impl Word for Sse41 {
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: as in `splat`.
        unsafe { Self(_mm_add_epi32(self.0, other.0)) }
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: as in `splat`.
        unsafe { Self(_mm_xor_si128(self.0, other.0)) }
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: as in `splat`.
        unsafe { Self(_mm_and_si128(self.0, other.0)) }
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        // SAFETY: as in `splat`.
        unsafe { Self(_mm_or_si128(self.0, other.0)) }
    }
    #[inline(always)]
    fn rotate_right<const BITS: i32>(self) -> Self {
        // Rotations by whole bytes take one shuffle, the others two shifts.
        // SAFETY: as in `splat`.
        unsafe {
            Self(match BITS {
                16 => _mm_shuffle_epi8(
                    self.0,
                    _mm_set_epi8(13, 12, 15, 14, 9, 8, 11, 10, 5, 4, 7, 6, 1, 0, 3, 2),
                ),
                8 => _mm_shuffle_epi8(
                    self.0,
                    _mm_set_epi8(12, 15, 14, 13, 8, 11, 10, 9, 4, 7, 6, 5, 0, 3, 2, 1),
                ),
                12 => _mm_or_si128(_mm_srli_epi32::<12>(self.0), _mm_slli_epi32::<20>(self.0)),
                _ => _mm_or_si128(_mm_srli_epi32::<7>(self.0), _mm_slli_epi32::<25>(self.0)),
            })
        }
    }
}

impl Vector for Sse41 {
    const LANES: usize = 4;

    #[inline(always)]
    fn splat(word: u32) -> Self {
        // SAFETY: values of this type exist only within `digests`.
        unsafe { Self(_mm_set1_epi32(word as i32)) }
    }
    #[inline(always)]
    fn shift_right_8(self) -> Self {
        // SAFETY: as in `splat`.
        unsafe { Self(_mm_srli_epi32::<8>(self.0)) }
    }
    #[inline(always)]
    fn equals(self, other: Self) -> Self {
        // SAFETY: as in `splat`.
        unsafe { Self(_mm_cmpeq_epi32(self.0, other.0)) }
    }
    #[inline(always)]
    fn top_bits(self) -> u32 {
        // SAFETY: as in `splat`.
        unsafe { _mm_movemask_ps(_mm_castsi128_ps(self.0)) as u32 }
    }
    #[inline(always)]
    unsafe fn load(words: *const u32) -> Self {
        // SAFETY: as in `splat`; the caller guarantees that the words can be read.
        unsafe { Self(_mm_loadu_si128(words.cast())) }
    }
    #[inline(always)]
    unsafe fn store(self, words: *mut u32) {
        // SAFETY: as in `splat`; the caller guarantees that the words can be written.
        unsafe { _mm_storeu_si128(words.cast(), self.0) }
    }
    #[inline(always)]
    unsafe fn load_quarters(blocks: *const *const u8, byte: usize) -> Self {
        // SAFETY: as in `splat`; the caller guarantees 16 readable bytes there.
        unsafe { Self(_mm_loadu_si128((*blocks).wrapping_add(byte).cast())) }
    }
    #[inline(always)]
    fn transpose([a, b, c, d]: [Self; 4]) -> [Self; 4] {
        // SAFETY: as in `splat`.
        unsafe {
            let ab_low = _mm_unpacklo_epi32(a.0, b.0);
            let ab_high = _mm_unpackhi_epi32(a.0, b.0);
            let cd_low = _mm_unpacklo_epi32(c.0, d.0);
            let cd_high = _mm_unpackhi_epi32(c.0, d.0);
            [
                Self(_mm_unpacklo_epi64(ab_low, cd_low)),
                Self(_mm_unpackhi_epi64(ab_low, cd_low)),
                Self(_mm_unpacklo_epi64(ab_high, cd_high)),
                Self(_mm_unpackhi_epi64(ab_high, cd_high)),
            ]
        }
    }
    #[inline(always)]
    fn prefetch(place: *const u8) {
        // SAFETY: as in `splat`; a prefetch never faults.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(place.cast()) }
    }
}
