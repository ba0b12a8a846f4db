// SPDX-License-Identifier: Apache-2.0 OR MIT
//! [`Vector`] with AVX-512: sixteen lanes a register, two registers at once.
//!
//! The type does not leave this module but as the parameter of what [`digests`] runs, so that its
//! operations meet the instructions they need.

use std::arch::asm;
use std::arch::x86_64::*;

use super::vector::{Vector, Word, Words};
use super::{avx512_rounds, Batch};

/// Sixteen lanes.
#[derive(Clone, Copy)]
pub(super) struct Avx512(__m512i);

/// [`Batch::digests`], compiled with these instructions.
///
/// # Safety
/// The processor has AVX-512F and AVX-512BW.
#[target_feature(enable = "avx512f,avx512bw,bmi1,bmi2,lzcnt,popcnt")]
pub(super) unsafe fn digests<B: Batch>(batch: B) {
    batch.digests::<Avx512>();
}

impl Word for Avx512 {
    #[inline(always)]
    fn splat(word: u32) -> Self {
        // SAFETY: values of this type are made and used under `digests` alone.
        unsafe { Self(_mm512_set1_epi32(word as i32)) }
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: as in `splat`.
        unsafe { Self(_mm512_add_epi32(self.0, other.0)) }
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: as in `splat`.
        unsafe { Self(_mm512_xor_si512(self.0, other.0)) }
    }
    #[inline(always)]
    fn rotate_right<const BITS: u32>(self) -> Self {
        // SAFETY: as in `splat`.
        unsafe {
            Self(match BITS {
                16 => _mm512_ror_epi32::<16>(self.0),
                12 => _mm512_ror_epi32::<12>(self.0),
                8 => _mm512_ror_epi32::<8>(self.0),
                _ => _mm512_ror_epi32::<7>(self.0),
            })
        }
    }
}

impl Vector for Avx512 {
    const LANES: usize = 16;
    const GROUPS: usize = 2;

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: as in `splat`.
        unsafe { Self(_mm512_and_si512(self.0, other.0)) }
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        // SAFETY: as in `splat`.
        unsafe { Self(_mm512_or_si512(self.0, other.0)) }
    }
    #[inline(always)]
    fn shift_right_8(self) -> Self {
        // SAFETY: as in `splat`.
        unsafe { Self(_mm512_srli_epi32::<8>(self.0)) }
    }
    #[inline(always)]
    fn equals(self, other: Self) -> Self {
        // SAFETY: as in `splat`.
        unsafe { Self(_mm512_maskz_set1_epi32(_mm512_cmpeq_epi32_mask(self.0, other.0), -1)) }
    }
    #[inline(always)]
    fn top_bits(self) -> u32 {
        // SAFETY: as in `splat`.
        unsafe { u32::from(_mm512_cmplt_epi32_mask(self.0, _mm512_setzero_si512())) }
    }
    #[inline(always)]
    unsafe fn load(words: *const u32) -> Self {
        // SAFETY: as in `splat`; the caller has the words readable.
        unsafe { Self(_mm512_loadu_si512(words.cast())) }
    }
    #[inline(always)]
    unsafe fn store(self, words: *mut u32) {
        // SAFETY: as in `splat`; the caller has the words writable.
        unsafe { _mm512_storeu_si512(words.cast(), self.0) }
    }
    #[inline(always)]
    unsafe fn load_quarters(blocks: *const *const u8, byte: usize) -> Self {
        // SAFETY: as in `splat`; the caller has 16 bytes readable at each of the four places.
        unsafe {
            let first = (*blocks).wrapping_add(byte).cast();
            let second = (*blocks.add(4)).wrapping_add(byte).cast();
            let third = (*blocks.add(8)).wrapping_add(byte).cast();
            let fourth = (*blocks.add(12)).wrapping_add(byte).cast();
            let register = _mm512_castsi128_si512(_mm_loadu_si128(first));
            let register = merge_quarter(register, 0x00f0, second);
            let register = merge_quarter(register, 0x0f00, third);
            Self(merge_quarter(register, 0xf000, fourth))
        }
    }
    #[inline(always)]
    unsafe fn pad_block(bytes: *const u8, count: usize, to: *mut [u8; 64]) {
        debug_assert!(count < 64, "{count} bytes");
        // No bytes are often nowhere: a masked load from no memory is an exception inside the
        // processor, some 100 ns, though it reads nothing.
        let bytes = if count == 0 { to.cast_const().cast() } else { bytes };
        // SAFETY: as in `splat`; bytes beyond `count` are not touched, and the caller has the block
        // writable.
        unsafe {
            let block = _mm512_maskz_loadu_epi8((1 << count) - 1, bytes.cast());
            _mm512_storeu_si512(to.cast(), block);
        }
    }
    #[inline(always)]
    fn transpose([a, b, c, d]: [Self; 4]) -> [Self; 4] {
        // SAFETY: as in `splat`.
        unsafe {
            let ab_low = _mm512_unpacklo_epi32(a.0, b.0);
            let ab_high = _mm512_unpackhi_epi32(a.0, b.0);
            let cd_low = _mm512_unpacklo_epi32(c.0, d.0);
            let cd_high = _mm512_unpackhi_epi32(c.0, d.0);
            [
                Self(_mm512_unpacklo_epi64(ab_low, cd_low)),
                Self(_mm512_unpackhi_epi64(ab_low, cd_low)),
                Self(_mm512_unpacklo_epi64(ab_high, cd_high)),
                Self(_mm512_unpackhi_epi64(ab_high, cd_high)),
            ]
        }
    }
    #[inline(always)]
    fn compress_two(states: &mut [Words<Self>; 2], blocks: &Words<Self>, others: &Words<Self>) {
        let [first, second] = states;
        // SAFETY: as in `splat`; a `Self` is 64 bytes, and arrays of them have no gaps.
        unsafe {
            avx512_rounds::compress_two(
                [first.as_mut_ptr().cast(), second.as_mut_ptr().cast()],
                [blocks.as_ptr().cast(), others.as_ptr().cast()],
            );
        }
    }
    #[inline(always)]
    fn prefetch(place: *const u8) {
        // SAFETY: as in `splat`; a prefetch never faults.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(place.cast()) }
    }
}

/// Puts the four words that lie at `words` where the mask says. A broadcast under a mask is a load
/// and a blend; the compiler would make an insertion of it, which takes a turn of the ports that
/// shuffle.
///
/// # Safety
/// The processor has AVX-512F, and 16 bytes can be read at `words`.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn merge_quarter(register: __m512i, mask: __mmask16, words: *const __m128i) -> __m512i {
    let mut merged = register;
    // SAFETY: the caller has the words readable; nothing else is touched.
    unsafe {
        asm!(
            "vbroadcasti32x4 {merged}{{{mask}}}, [{words}]",
            merged = inout(zmm_reg) merged,
            mask = in(kreg) mask,
            words = in(reg) words,
            options(pure, readonly, nostack, preserves_flags),
        );
    }
    merged
}
