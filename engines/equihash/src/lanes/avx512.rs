// SPDX-License-Identifier: Apache-2.0 OR MIT
//! [`Vector`] with AVX-512: eight lanes a register, two registers at once.
//!
//! The type does not leave this module but as the parameter of what [`run`] runs, so that its
//! operations meet the instructions they need.

use std::arch::x86_64::*;

use crate::puzzle::{Short, Tail};

use super::vector::{Output, Vector, Word, RECIPROCAL_BITS};
use super::{avx512_rounds, rounds, Findings, Job};

/// Eight lanes.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(super) struct Avx512(__m512i);

/// [`Job::run`], compiled with these instructions.
///
/// # Safety
/// The processor has AVX-512F.
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn run(job: Job) -> Findings {
    job.run::<Avx512>()
}

/// Compiled once.
///
/// # Safety
/// The processor has AVX-512F.
#[target_feature(enable = "avx512f")]
#[inline(never)]
unsafe fn hash_any(tail: &Tail, numbers: [Avx512; 2], outputs: &mut [Output<Avx512>; 2]) {
    rounds::any_one_by_one(tail, numbers, outputs);
}

impl Word for Avx512 {
    #[inline(always)]
    fn splat(word: u64) -> Self {
        // SAFETY: values of this type are made and used under `run` alone.
        unsafe { Self(_mm512_set1_epi64(word as i64)) }
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: as in `splat`.
        unsafe { Self(_mm512_add_epi64(self.0, other.0)) }
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
                32 => _mm512_ror_epi64::<32>(self.0),
                24 => _mm512_ror_epi64::<24>(self.0),
                16 => _mm512_ror_epi64::<16>(self.0),
                _ => _mm512_ror_epi64::<63>(self.0),
            })
        }
    }
}

impl Vector for Avx512 {
    const LANES: usize = 8;
    type Lanes = __mmask8;

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
    fn shift_left(self, bits: u32) -> Self {
        // SAFETY: as in `splat`.
        unsafe { Self(_mm512_sll_epi64(self.0, _mm_cvtsi32_si128(bits as i32))) }
    }
    #[inline(always)]
    fn shift_right(self, bits: u32) -> Self {
        // SAFETY: as in `splat`.
        unsafe { Self(_mm512_srl_epi64(self.0, _mm_cvtsi32_si128(bits as i32))) }
    }
    #[inline(always)]
    fn divide(self, _: u32, reciprocal: u32) -> Self {
        // SAFETY: as in `splat`.
        let product = unsafe { _mm512_mul_epu32(self.0, Self::splat(reciprocal.into()).0) };
        Self(product).shift_right(RECIPROCAL_BITS)
    }
    #[inline(always)]
    fn equals(self, other: Self) -> __mmask8 {
        // SAFETY: as in `splat`.
        unsafe { _mm512_cmpeq_epi64_mask(self.0, other.0) }
    }
    #[inline(always)]
    fn replace(self, lanes: __mmask8, other: Self) -> Self {
        // SAFETY: as in `splat`.
        unsafe { Self(_mm512_mask_mov_epi64(self.0, lanes, other.0)) }
    }
    #[inline(always)]
    fn any(self) -> bool {
        // SAFETY: as in `splat`.
        unsafe { _mm512_test_epi64_mask(self.0, self.0) != 0 }
    }
    #[inline(always)]
    unsafe fn load_halves(words: *const u32) -> Self {
        // SAFETY: as in `splat`; the caller has the words readable.
        unsafe { Self(_mm512_cvtepu32_epi64(_mm256_loadu_si256(words.cast()))) }
    }
    #[inline(always)]
    unsafe fn store(self, words: *mut u64) {
        // SAFETY: as in `splat`; the caller has the words writable.
        unsafe { _mm512_storeu_si512(words.cast(), self.0) }
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
