// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A state whose first row stays in memory.
//!
//! Sixteen words and the temporaries of a rotation do not fit into sixteen registers. A compiler
//! moves arbitrary words to memory and back, often words that the next operation needs. The words
//! of the first row are the best ones to keep in memory: a half of G touches each of them once, and
//! nothing waits for the store.

use super::{Four, Quartet, Word, Words, COLUMNS, DIAGONALS};

/// A state, with its first four words in memory.
pub struct Held<W> {
    first: [W; 4],
    /// The first four words are unused.
    others: Words<W>,
}

impl<W: Word> Held<W> {
    /// Splits a state.
    #[inline(always)]
    pub fn new(state: Words<W>) -> Self {
        let [a, b, c, d, ..] = state;
        Self { first: [a, b, c, d], others: state }
    }

    /// Returns the state.
    #[inline(always)]
    pub fn words(self) -> Words<W> {
        let mut words = self.others;
        words[..4].copy_from_slice(&self.first);
        words
    }

    /// [`super::columns`].
    #[inline(always)]
    pub fn columns<const FIRST: i32, const SECOND: i32>(&mut self, words: Four<W>) {
        self.half_mix::<FIRST, SECOND>(words, &COLUMNS);
    }

    /// [`super::diagonals`].
    #[inline(always)]
    pub fn diagonals<const FIRST: i32, const SECOND: i32>(&mut self, words: Four<W>) {
        self.half_mix::<FIRST, SECOND>(words, &DIAGONALS);
    }

    #[inline(always)]
    fn half_mix<const FIRST: i32, const SECOND: i32>(
        &mut self,
        words: Four<W>,
        Quartet { b, c, d }: &Quartet,
    ) {
        let state = &mut self.others;
        for i in 0..4 {
            let first: *mut W = &raw mut self.first[i];
            // SAFETY: the word can be read. The accesses are volatile because the compiler would
            // otherwise keep this word in a register, and spill a different one.
            let mut a = unsafe { first.read_volatile() };
            if let Some(word) = words[i] {
                a = a.add(word);
            }
            a = a.add(state[b[i]]);
            // SAFETY: the word can be written.
            unsafe { first.write_volatile(a) };
            state[d[i]] = state[d[i]].xor(a).rotate_right::<FIRST>();
        }
        for i in 0..4 {
            state[c[i]] = state[c[i]].add(state[d[i]]);
        }
        for i in 0..4 {
            state[b[i]] = state[b[i]].xor(state[c[i]]).rotate_right::<SECOND>();
        }
    }
}
