// SPDX-License-Identifier: Apache-2.0 OR MIT
//! [`Vector`] with AVX-512: eight lanes per register, two registers at once.
//!
//! Registers exist only within [`run`], so the operations run only where their instructions are
//! available.

use std::arch::x86_64::*;

use halimede_arith::arx::Avx512;

use crate::midstate::{Short, Tail};

use super::job::{Findings, Job};
use super::vector::{Output, Vector, RECIPROCAL_BITS};
use super::{avx512_rounds, rounds, tree};

/// [`tree::run`], compiled for AVX-512.
///
/// # Safety
/// The processor has AVX-512F.
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn run(job: Job) -> Findings {
    tree::run::<Avx512<u64>>(job)
}

/// Not inlined.
///
/// # Safety
/// The processor has AVX-512F.
#[target_feature(enable = "avx512f")]
#[inline(never)]
unsafe fn hash_any(tail: &Tail, numbers: [Avx512<u64>; 2], outputs: &mut [Output<Avx512<u64>>; 2]) {
    rounds::any_one_by_one(tail, numbers, outputs);
}

impl Vector for Avx512<u64> {
    const LANES: usize = 8;
    type Lanes = __mmask8;

    #[inline(always)]
    fn splat(word: u64) -> Self {
        // SAFETY: values of this type exist only within `run`.
        unsafe { Self::new(_mm512_set1_epi64(word as i64)) }
    }
    #[inline(always)]
    fn shift_left(self, bits: u32) -> Self {
        // SAFETY: as in `splat`.
        unsafe { Self::new(_mm512_sll_epi64(self.register(), _mm_cvtsi32_si128(bits as i32))) }
    }
    #[inline(always)]
    fn shift_right(self, bits: u32) -> Self {
        // SAFETY: as in `splat`.
        unsafe { Self::new(_mm512_srl_epi64(self.register(), _mm_cvtsi32_si128(bits as i32))) }
    }
    #[inline(always)]
    fn divide(self, _: u32, reciprocal: u32) -> Self {
        let reciprocal = Self::splat(reciprocal.into()).register();
        // SAFETY: as in `splat`.
        let product = unsafe { Self::new(_mm512_mul_epu32(self.register(), reciprocal)) };
        product.shift_right(RECIPROCAL_BITS)
    }
    #[inline(always)]
    fn equals(self, other: Self) -> __mmask8 {
        // SAFETY: as in `splat`.
        unsafe { _mm512_cmpeq_epi64_mask(self.register(), other.register()) }
    }
    #[inline(always)]
    fn replace(self, lanes: __mmask8, other: Self) -> Self {
        // SAFETY: as in `splat`.
        unsafe { Self::new(_mm512_mask_mov_epi64(self.register(), lanes, other.register())) }
    }
    #[inline(always)]
    fn any(self) -> bool {
        // SAFETY: as in `splat`.
        unsafe { _mm512_test_epi64_mask(self.register(), self.register()) != 0 }
    }
    #[inline(always)]
    unsafe fn load_halves(words: *const u32) -> Self {
        // SAFETY: as in `splat`; the caller guarantees that the words can be read.
        unsafe { Self::new(_mm512_cvtepu32_epi64(_mm256_loadu_si256(words.cast()))) }
    }
    #[inline(always)]
    unsafe fn store(self, words: *mut u64) {
        // SAFETY: as in `splat`; the caller guarantees that the words can be written.
        unsafe { _mm512_storeu_si512(words.cast(), self.register()) }
    }
    #[inline(always)]
    fn hash_short(short: &Short, second_words: [Self; 2], outputs: &mut [Output<Self>; 2]) {
        let [one, other] = outputs;
        // SAFETY: as in `splat`; a `Self` is eight words, and arrays of them have no gaps.
        unsafe {
            avx512_rounds::hash_two(
                short,
                second_words.as_ptr().cast(),
                [one.as_mut_ptr().cast(), other.as_mut_ptr().cast()],
            );
        }
    }
    #[inline(always)]
    fn hash_any(tail: &Tail, numbers: [Self; 2], outputs: &mut [Output<Self>; 2]) {
        // SAFETY: as in `splat`.
        unsafe { hash_any(tail, numbers, outputs) }
    }
}
