// SPDX-License-Identifier: Apache-2.0 OR MIT
//! [`Vector`] with ARM's Advanced SIMD: four lanes.
//!
//! The type leaves this module only as the type parameter within [`digests`], so its operations run
//! only where their instructions are available.

use std::arch::aarch64::*;

use halimede_arith::arx::Word;

use super::vector::Vector;
use super::Batch;

/// A register of four lanes.
#[derive(Clone, Copy)]
pub(super) struct Neon(uint32x4_t);

/// [`Batch::digests`], compiled for Advanced SIMD.
///
/// # Safety
/// The processor has Advanced SIMD.
#[target_feature(enable = "neon")]
pub(super) unsafe fn digests<B: Batch>(batch: B) {
    batch.digests::<Neon>();
}

impl Word for Neon {
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: as in `splat`.
        unsafe { Self(vaddq_u32(self.0, other.0)) }
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: as in `splat`.
        unsafe { Self(veorq_u32(self.0, other.0)) }
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: as in `splat`.
        unsafe { Self(vandq_u32(self.0, other.0)) }
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        // SAFETY: as in `splat`.
        unsafe { Self(vorrq_u32(self.0, other.0)) }
    }
    #[inline(always)]
    fn rotate_right<const BITS: i32>(self) -> Self {
        // A swap of halves is one instruction; a shift with insertion makes it two.
        // SAFETY: as in `splat`.
        unsafe {
            Self(match BITS {
                16 => vreinterpretq_u32_u16(vrev32q_u16(vreinterpretq_u16_u32(self.0))),
                12 => vsriq_n_u32::<12>(vshlq_n_u32::<20>(self.0), self.0),
                8 => vsriq_n_u32::<8>(vshlq_n_u32::<24>(self.0), self.0),
                _ => vsriq_n_u32::<7>(vshlq_n_u32::<25>(self.0), self.0),
            })
        }
    }
}

impl Vector for Neon {
    const LANES: usize = 4;

    #[inline(always)]
    fn splat(word: u32) -> Self {
        // SAFETY: values of this type exist only within `digests`.
        unsafe { Self(vdupq_n_u32(word)) }
    }
    #[inline(always)]
    fn shift_right_8(self) -> Self {
        // SAFETY: as in `splat`.
        unsafe { Self(vshrq_n_u32::<8>(self.0)) }
    }
    #[inline(always)]
    fn equals(self, other: Self) -> Self {
        // SAFETY: as in `splat`.
        unsafe { Self(vceqq_u32(self.0, other.0)) }
    }
    #[inline(always)]
    fn top_bits(self) -> u32 {
        const WEIGHTS: [u32; 4] = [1, 2, 4, 8];
        // SAFETY: as in `splat`; the weights are four words.
        unsafe { vaddvq_u32(vmulq_u32(vshrq_n_u32::<31>(self.0), vld1q_u32(WEIGHTS.as_ptr()))) }
    }
    #[inline(always)]
    unsafe fn load(words: *const u32) -> Self {
        // SAFETY: as in `splat`; the caller guarantees that the words can be read.
        unsafe { Self(vld1q_u32(words)) }
    }
    #[inline(always)]
    unsafe fn store(self, words: *mut u32) {
        // SAFETY: as in `splat`; the caller guarantees that the words can be written.
        unsafe { vst1q_u32(words, self.0) }
    }
    #[inline(always)]
    unsafe fn load_quarters(blocks: *const *const u8, byte: usize) -> Self {
        // A load of bytes, because blocks are unaligned.
        // SAFETY: as in `splat`; the caller guarantees 16 readable bytes there.
        unsafe { Self(vreinterpretq_u32_u8(vld1q_u8((*blocks).wrapping_add(byte)))) }
    }
    #[inline(always)]
    fn transpose([a, b, c, d]: [Self; 4]) -> [Self; 4] {
        // SAFETY: as in `splat`.
        unsafe {
            let ab = [vtrn1q_u32(a.0, b.0), vtrn2q_u32(a.0, b.0)].map(|x| vreinterpretq_u64_u32(x));
            let cd = [vtrn1q_u32(c.0, d.0), vtrn2q_u32(c.0, d.0)].map(|x| vreinterpretq_u64_u32(x));
            [
                Self(vreinterpretq_u32_u64(vtrn1q_u64(ab[0], cd[0]))),
                Self(vreinterpretq_u32_u64(vtrn1q_u64(ab[1], cd[1]))),
                Self(vreinterpretq_u32_u64(vtrn2q_u64(ab[0], cd[0]))),
                Self(vreinterpretq_u32_u64(vtrn2q_u64(ab[1], cd[1]))),
            ]
        }
    }
}
