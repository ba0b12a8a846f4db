// SPDX-License-Identifier: Apache-2.0 OR MIT
//! [`Vector`] with AVX2: four lanes.
//!
//! Registers exist only within [`run`], so the operations run only where their instructions are
//! available.

use std::arch::x86_64::*;

use halimede_arith::arx::Avx2;

use crate::encoding::index_at;
use crate::midstate::{Short, Tail};
use crate::Params;

use super::job::{Findings, Job};
use super::shares::Shares;
use super::vector::{Output, Vector, RECIPROCAL_BITS};
use super::{rounds, tree};

/// [`tree::run`], compiled for AVX2.
///
/// # Safety
/// The processor has AVX2.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn run(job: Job) -> Findings {
    tree::run::<Avx2<u64>>(job)
}

/// Not inlined.
///
/// # Safety
/// The processor has AVX2.
#[target_feature(enable = "avx2")]
#[inline(never)]
unsafe fn hash_short(short: &Short, words: [Avx2<u64>; 2], outputs: &mut [Output<Avx2<u64>>; 2]) {
    rounds::short_one_by_one(short, words, outputs);
}

/// Not inlined.
///
/// # Safety
/// The processor has AVX2.
#[target_feature(enable = "avx2")]
#[inline(never)]
unsafe fn hash_any(tail: &Tail, numbers: [Avx2<u64>; 2], outputs: &mut [Output<Avx2<u64>>; 2]) {
    rounds::any_one_by_one(tail, numbers, outputs);
}

/// Unpacks a minimal form in the order of the lanes, eight indices at a time; four bytes hold each
/// index. The indices must have at most 25 bits, and a block of the lanes at least eight indices.
///
/// # Safety
/// The processor has AVX2.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn unpack(params: Params, shares: Shares, minimal: &[u8], to: &mut [u32]) {
    const EIGHT: usize = 8;
    let bits = params.index_bits() as usize;
    // The first bits of the first eight indices; later ones have the same offsets from the first of
    // them.
    let mut first_bits = [0; EIGHT];
    for (place, first_bit) in first_bits.iter_mut().enumerate() {
        *first_bit = (shares.position(place) * bits) as i32;
    }
    // SAFETY: the array has 32 bytes.
    let first_bits = unsafe { _mm256_loadu_si256(first_bits.as_ptr().cast()) };
    let big_endian = _mm256_set_epi8(
        12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11, 4, 5,
        6, 7, 0, 1, 2, 3,
    );
    let to_right = _mm_cvtsi32_si128(32 - bits as i32);
    for (number, eight) in to.chunks_exact_mut(EIGHT).enumerate() {
        let last = shares.position(EIGHT * number + EIGHT - 1) * bits / 8;
        if last + 4 > minimal.len() {
            for (place, index) in eight.iter_mut().enumerate() {
                *index = index_at(params, minimal, shares.position(EIGHT * number + place));
            }
            continue;
        }
        let begin = (shares.position(EIGHT * number) * bits) as i32;
        let bit = _mm256_add_epi32(first_bits, _mm256_set1_epi32(begin));
        // SAFETY: the last of the eight follows the others, and its four bytes are in bounds.
        let bytes = unsafe {
            _mm256_i32gather_epi32::<1>(minimal.as_ptr().cast(), _mm256_srli_epi32::<3>(bit))
        };
        let words = _mm256_shuffle_epi8(bytes, big_endian);
        let words = _mm256_sllv_epi32(words, _mm256_and_si256(bit, _mm256_set1_epi32(7)));
        let indices = _mm256_srl_epi32(words, to_right);
        // SAFETY: there is room for eight.
        unsafe { _mm256_storeu_si256(eight.as_mut_ptr().cast(), indices) };
    }
}

impl Vector for Avx2<u64> {
    const LANES: usize = 4;
    type Lanes = __m256i;

    #[inline(always)]
    fn splat(word: u64) -> Self {
        // SAFETY: values of this type exist only within `run`.
        unsafe { Self::new(_mm256_set1_epi64x(word as i64)) }
    }
    #[inline(always)]
    fn shift_left(self, bits: u32) -> Self {
        // SAFETY: as in `splat`.
        unsafe { Self::new(_mm256_sll_epi64(self.register(), _mm_cvtsi32_si128(bits as i32))) }
    }
    #[inline(always)]
    fn shift_right(self, bits: u32) -> Self {
        // SAFETY: as in `splat`.
        unsafe { Self::new(_mm256_srl_epi64(self.register(), _mm_cvtsi32_si128(bits as i32))) }
    }
    #[inline(always)]
    fn divide(self, _: u32, reciprocal: u32) -> Self {
        let reciprocal = Self::splat(reciprocal.into()).register();
        // SAFETY: as in `splat`.
        let product = unsafe { Self::new(_mm256_mul_epu32(self.register(), reciprocal)) };
        product.shift_right(RECIPROCAL_BITS)
    }
    #[inline(always)]
    fn equals(self, other: Self) -> __m256i {
        // SAFETY: as in `splat`.
        unsafe { _mm256_cmpeq_epi64(self.register(), other.register()) }
    }
    #[inline(always)]
    fn replace(self, lanes: __m256i, other: Self) -> Self {
        // SAFETY: as in `splat`.
        unsafe { Self::new(_mm256_blendv_epi8(self.register(), other.register(), lanes)) }
    }
    #[inline(always)]
    fn any(self) -> bool {
        // SAFETY: as in `splat`.
        unsafe { _mm256_testz_si256(self.register(), self.register()) == 0 }
    }
    #[inline(always)]
    unsafe fn load_halves(words: *const u32) -> Self {
        // SAFETY: as in `splat`; the caller guarantees that the words can be read.
        unsafe { Self::new(_mm256_cvtepu32_epi64(_mm_loadu_si128(words.cast()))) }
    }
    #[inline(always)]
    unsafe fn store(self, words: *mut u64) {
        // SAFETY: as in `splat`; the caller guarantees that the words can be written.
        unsafe { _mm256_storeu_si256(words.cast(), self.register()) }
    }
    #[inline(always)]
    fn hash_short(short: &Short, second_words: [Self; 2], outputs: &mut [Output<Self>; 2]) {
        // SAFETY: as in `splat`.
        unsafe { hash_short(short, second_words, outputs) }
    }
    #[inline(always)]
    fn hash_any(tail: &Tail, numbers: [Self; 2], outputs: &mut [Output<Self>; 2]) {
        // SAFETY: as in `splat`.
        unsafe { hash_any(tail, numbers, outputs) }
    }
}
