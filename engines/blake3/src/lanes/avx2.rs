// SPDX-License-Identifier: Apache-2.0 OR MIT
//! [`Vector`] with AVX2: eight lanes.
//!
//! Registers exist only within [`digests`], so the operations run only where their instructions are
//! available.

use std::arch::x86_64::*;

use halimede_arith::arx::Avx2;

use super::vector::Vector;
use super::Batch;

/// [`Batch::digests`], compiled for AVX2.
///
/// # Safety
/// The processor has AVX2.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn digests<B: Batch>(batch: B) {
    batch.digests::<Avx2<u32>>();
}

impl Vector for Avx2<u32> {
    const LANES: usize = 8;

    #[inline(always)]
    fn splat(word: u32) -> Self {
        // SAFETY: values of this type exist only within `digests`.
        unsafe { Self::new(_mm256_set1_epi32(word as i32)) }
    }
    #[inline(always)]
    fn shift_right_8(self) -> Self {
        // SAFETY: as in `splat`.
        unsafe { Self::new(_mm256_srli_epi32::<8>(self.register())) }
    }
    #[inline(always)]
    fn equals(self, other: Self) -> Self {
        // SAFETY: as in `splat`.
        unsafe { Self::new(_mm256_cmpeq_epi32(self.register(), other.register())) }
    }
    #[inline(always)]
    fn top_bits(self) -> u32 {
        // SAFETY: as in `splat`.
        unsafe { _mm256_movemask_ps(_mm256_castsi256_ps(self.register())) as u32 }
    }
    #[inline(always)]
    unsafe fn load(words: *const u32) -> Self {
        // SAFETY: as in `splat`; the caller guarantees that the words can be read.
        unsafe { Self::new(_mm256_loadu_si256(words.cast())) }
    }
    #[inline(always)]
    unsafe fn store(self, words: *mut u32) {
        // SAFETY: as in `splat`; the caller guarantees that the words can be written.
        unsafe { _mm256_storeu_si256(words.cast(), self.register()) }
    }
    #[inline(always)]
    unsafe fn load_quarters(blocks: *const *const u8, byte: usize) -> Self {
        // SAFETY: as in `splat`; the caller guarantees 16 readable bytes at both places.
        unsafe {
            let first = _mm_loadu_si128((*blocks).wrapping_add(byte).cast());
            let second = _mm_loadu_si128((*blocks.add(4)).wrapping_add(byte).cast());
            Self::new(_mm256_inserti128_si256::<1>(_mm256_castsi128_si256(first), second))
        }
    }
    #[inline(always)]
    fn transpose([a, b, c, d]: [Self; 4]) -> [Self; 4] {
        let [a, b, c, d] = [a.register(), b.register(), c.register(), d.register()];
        // SAFETY: as in `splat`.
        unsafe {
            let ab_low = _mm256_unpacklo_epi32(a, b);
            let ab_high = _mm256_unpackhi_epi32(a, b);
            let cd_low = _mm256_unpacklo_epi32(c, d);
            let cd_high = _mm256_unpackhi_epi32(c, d);
            [
                Self::new(_mm256_unpacklo_epi64(ab_low, cd_low)),
                Self::new(_mm256_unpackhi_epi64(ab_low, cd_low)),
                Self::new(_mm256_unpacklo_epi64(ab_high, cd_high)),
                Self::new(_mm256_unpackhi_epi64(ab_high, cd_high)),
            ]
        }
    }
    #[inline(always)]
    fn prefetch(place: *const u8) {
        // SAFETY: as in `splat`; a prefetch never faults.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(place.cast()) }
    }
}
