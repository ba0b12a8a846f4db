// SPDX-License-Identifier: Apache-2.0 OR MIT
//! [`Vector`] with one lane, a word.

use crate::midstate::{Short, Tail};

use super::rounds;
use super::vector::{Output, Vector};

impl Vector for u64 {
    const LANES: usize = 1;
    type Lanes = bool;

    #[inline(always)]
    fn splat(word: u64) -> Self {
        word
    }
    #[inline(always)]
    fn shift_left(self, bits: u32) -> Self {
        self << bits
    }
    #[inline(always)]
    fn shift_right(self, bits: u32) -> Self {
        self >> bits
    }
    #[inline(always)]
    fn divide(self, divisor: u32, _: u32) -> Self {
        self / u64::from(divisor)
    }
    #[inline(always)]
    fn equals(self, other: Self) -> bool {
        self == other
    }
    #[inline(always)]
    fn replace(self, lanes: bool, other: Self) -> Self {
        if lanes {
            other
        } else {
            self
        }
    }
    #[inline(always)]
    fn any(self) -> bool {
        self != 0
    }
    #[inline(always)]
    unsafe fn load_halves(words: *const u32) -> Self {
        // SAFETY: the caller guarantees that the word can be read.
        u64::from(unsafe { *words })
    }
    #[inline(always)]
    unsafe fn store(self, words: *mut u64) {
        // SAFETY: the caller guarantees that the word can be written.
        unsafe { *words = self };
    }
    #[inline(never)]
    fn hash_short(short: &Short, second_words: [Self; 2], outputs: &mut [Output<Self>; 2]) {
        rounds::short_one_by_one(short, second_words, outputs);
    }
    #[inline(never)]
    fn hash_any(tail: &Tail, numbers: [Self; 2], outputs: &mut [Output<Self>; 2]) {
        rounds::any_one_by_one(tail, numbers, outputs);
    }
}
