// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Additions, rotations and exclusive ors: what BLAKE2b (RFC 7693, section 3.1) and BLAKE3 (paper,
//! section 2.2) have in common. Both mix a state of sixteen words, of 64 and of 32 bits, by the
//! same function G on its columns and diagonals, with other rotations and another block.
//!
//! - [`Word`]: what G needs of a word, or of a register with a word of each lane: `avx2` and
//!   `avx512` have those for either width, `sse2` for 64 bits.
//! - [`columns`], [`diagonals`]: half of G over it; `held` for states that do not fit the registers.
//! - `assembly`: the same for two states of AVX-512 at once, but for the block's words.

#[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
pub mod assembly;
#[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
mod avx2;
#[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
mod avx512;
#[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
mod held;
#[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
mod sse2;
mod word;

#[cfg(test)]
mod tests;

#[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
pub use avx2::Avx2;
#[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
pub use avx512::Avx512;
#[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
pub use held::Held;
#[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
pub use sse2::Sse2;
pub use word::Word;

/// Words of a state and of a block.
pub const WORDS: usize = 16;

/// A state or a block, of each lane where a word is a register: word by word.
pub type Words<W> = [W; WORDS];

/// Four applications of G at once: `state[a[i]]`, `state[b[i]]` and so on, `a[i] = i`.
struct Quartet {
    b: [usize; 4],
    c: [usize; 4],
    d: [usize; 4],
}

const COLUMNS: Quartet = Quartet { b: [4, 5, 6, 7], c: [8, 9, 10, 11], d: [12, 13, 14, 15] };
const DIAGONALS: Quartet = Quartet { b: [5, 6, 7, 4], c: [10, 11, 8, 9], d: [15, 12, 13, 14] };

/// Four words of a block, as a half of G takes them in; nothing stands for zero.
pub type Four<W> = [Option<W>; 4];

/// Half of G on the columns of a state: `FIRST` and `SECOND` are the rotations to the right, in
/// bits.
#[inline(always)]
pub fn columns<W: Word, const FIRST: i32, const SECOND: i32>(state: &mut Words<W>, words: Four<W>) {
    half_mix::<W, FIRST, SECOND>(state, words, &COLUMNS);
}

/// As [`columns`], on the diagonals.
#[inline(always)]
pub fn diagonals<W: Word, const FIRST: i32, const SECOND: i32>(
    state: &mut Words<W>,
    words: Four<W>,
) {
    half_mix::<W, FIRST, SECOND>(state, words, &DIAGONALS);
}

#[inline(always)]
fn half_mix<W: Word, const FIRST: i32, const SECOND: i32>(
    state: &mut Words<W>,
    words: Four<W>,
    Quartet { b, c, d }: &Quartet,
) {
    for i in 0..4 {
        if let Some(word) = words[i] {
            state[i] = state[i].add(word);
        }
        state[i] = state[i].add(state[b[i]]);
    }
    for i in 0..4 {
        state[d[i]] = state[d[i]].xor(state[i]).rotate_right::<FIRST>();
    }
    for i in 0..4 {
        state[c[i]] = state[c[i]].add(state[d[i]]);
    }
    for i in 0..4 {
        state[b[i]] = state[b[i]].xor(state[c[i]]).rotate_right::<SECOND>();
    }
}
