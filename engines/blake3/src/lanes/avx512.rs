// SPDX-License-Identifier: Apache-2.0 OR MIT
//! [`Vector`] with AVX-512: sixteen lanes per register, two registers at once.
//!
//! Registers exist only within [`digests`], so the operations run only where their instructions are
//! available.

use std::arch::asm;
use std::arch::x86_64::*;

use halimede_arith::arx::{Avx512, Words};

use super::vector::Vector;
use super::{avx512_rounds, Batch};
use crate::Digest;

/// [`Batch::digests`], compiled for AVX-512.
///
/// # Safety
/// The processor has AVX-512F and AVX-512BW.
#[target_feature(enable = "avx512f,avx512bw,bmi1,bmi2,lzcnt,popcnt")]
pub(super) unsafe fn digests<B: Batch>(batch: B) {
    batch.digests::<Avx512<u32>>();
}

impl Vector for Avx512<u32> {
    const LANES: usize = 16;
    const GROUPS: usize = 2;

    #[inline(always)]
    fn splat(word: u32) -> Self {
        // SAFETY: values of this type exist only within `digests`.
        unsafe { Self::new(_mm512_set1_epi32(word as i32)) }
    }
    #[inline(always)]
    fn shift_right_8(self) -> Self {
        // SAFETY: as in `splat`.
        unsafe { Self::new(_mm512_srli_epi32::<8>(self.register())) }
    }
    #[inline(always)]
    fn equals(self, other: Self) -> Self {
        // SAFETY: as in `splat`.
        unsafe {
            Self::new(_mm512_maskz_set1_epi32(
                _mm512_cmpeq_epi32_mask(self.register(), other.register()),
                -1,
            ))
        }
    }
    #[inline(always)]
    fn top_bits(self) -> u32 {
        // SAFETY: as in `splat`.
        unsafe { u32::from(_mm512_cmplt_epi32_mask(self.register(), _mm512_setzero_si512())) }
    }
    #[inline(always)]
    unsafe fn load(words: *const u32) -> Self {
        // SAFETY: as in `splat`; the caller guarantees that the words can be read.
        unsafe { Self::new(_mm512_loadu_si512(words.cast())) }
    }
    #[inline(always)]
    unsafe fn store(self, words: *mut u32) {
        // SAFETY: as in `splat`; the caller guarantees that the words can be written.
        unsafe { _mm512_storeu_si512(words.cast(), self.register()) }
    }
    #[inline(always)]
    unsafe fn load_quarters(blocks: *const *const u8, byte: usize) -> Self {
        // SAFETY: as in `splat`; the caller guarantees 16 readable bytes at all four places.
        unsafe {
            let first = (*blocks).wrapping_add(byte).cast();
            let second = (*blocks.add(4)).wrapping_add(byte).cast();
            let third = (*blocks.add(8)).wrapping_add(byte).cast();
            let fourth = (*blocks.add(12)).wrapping_add(byte).cast();
            let register = _mm512_castsi128_si512(_mm_loadu_si128(first));
            let register = merge_quarter(register, 0x00f0, second);
            let register = merge_quarter(register, 0x0f00, third);
            Self::new(merge_quarter(register, 0xf000, fourth))
        }
    }
    #[inline(always)]
    unsafe fn pad_block(bytes: *const u8, count: usize, to: *mut [u8; 64]) {
        debug_assert!(count < 64, "{count} bytes");
        // The pointer of zero bytes may be invalid: a masked load from unmapped memory causes a
        // microcode assist, some 100 ns, although it reads nothing.
        let bytes = if count == 0 { to.cast_const().cast() } else { bytes };
        // SAFETY: as in `splat`; bytes beyond `count` are not accessed, and the caller guarantees
        // that the block is writable.
        unsafe {
            let block = _mm512_maskz_loadu_epi8((1 << count) - 1, bytes.cast());
            _mm512_storeu_si512(to.cast(), block);
        }
    }
    #[inline(always)]
    fn transpose([a, b, c, d]: [Self; 4]) -> [Self; 4] {
        let [a, b, c, d] = [a.register(), b.register(), c.register(), d.register()];
        // SAFETY: as in `splat`.
        unsafe {
            let ab_low = _mm512_unpacklo_epi32(a, b);
            let ab_high = _mm512_unpackhi_epi32(a, b);
            let cd_low = _mm512_unpacklo_epi32(c, d);
            let cd_high = _mm512_unpackhi_epi32(c, d);
            [
                Self::new(_mm512_unpacklo_epi64(ab_low, cd_low)),
                Self::new(_mm512_unpackhi_epi64(ab_low, cd_low)),
                Self::new(_mm512_unpacklo_epi64(ab_high, cd_high)),
                Self::new(_mm512_unpackhi_epi64(ab_high, cd_high)),
            ]
        }
    }
    #[inline(always)]
    unsafe fn store_digests(state: &Words<Self>, digests: *mut Digest) {
        let low = Self::transpose([state[0], state[1], state[2], state[3]]);
        let high = Self::transpose([state[4], state[5], state[6], state[7]]);
        // Quarter q of low[i] has words 0 to 3 of lane 4q + i, the same of high[i] words 4 to 7.
        // SAFETY: as in `splat`; the caller guarantees that 16 digests can be written.
        unsafe {
            for first in [0, 2] {
                let pairs = transpose_quarters([
                    low[first].register(),
                    high[first].register(),
                    low[first + 1].register(),
                    high[first + 1].register(),
                ]);
                for (quarter, pair) in pairs.into_iter().enumerate() {
                    _mm512_storeu_si512(digests.add(4 * quarter + first).cast(), pair);
                }
            }
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

/// Transposes quarters: register q of the result has quarter q of each register.
///
/// # Safety
/// The processor has AVX-512F.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn transpose_quarters([a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
    // Quarters 0 and 2, then 1 and 3, of two registers.
    let ab_even = _mm512_shuffle_i32x4::<0b10_00_10_00>(a, b);
    let ab_odd = _mm512_shuffle_i32x4::<0b11_01_11_01>(a, b);
    let cd_even = _mm512_shuffle_i32x4::<0b10_00_10_00>(c, d);
    let cd_odd = _mm512_shuffle_i32x4::<0b11_01_11_01>(c, d);
    [
        _mm512_shuffle_i32x4::<0b10_00_10_00>(ab_even, cd_even),
        _mm512_shuffle_i32x4::<0b10_00_10_00>(ab_odd, cd_odd),
        _mm512_shuffle_i32x4::<0b11_01_11_01>(ab_even, cd_even),
        _mm512_shuffle_i32x4::<0b11_01_11_01>(ab_odd, cd_odd),
    ]
}

/// Writes the four words at `words` to the masked positions. A broadcast under a mask is a load and
/// a blend; the compiler would convert it to an insertion, which occupies the shuffle ports.
///
/// # Safety
/// The processor has AVX-512F, and 16 bytes can be read at `words`.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn merge_quarter(register: __m512i, mask: __mmask16, words: *const __m128i) -> __m512i {
    let mut merged = register;
    // SAFETY: the caller guarantees that the words can be read; nothing else is accessed.
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
