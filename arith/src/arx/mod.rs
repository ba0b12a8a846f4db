// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Additions, rotations and exclusive ors (ARX): the common part of BLAKE2b (RFC 7693, section 3.1)
//! and BLAKE3 (paper, section 2.2). Both mix a state of sixteen words by the same function G on its
//! columns and diagonals. They differ in the word size (64 and 32 bits), the rotations and the
//! block.
//!
//! - [`Word`]: the operations that G needs on a word, or on a register with one word per lane.
//!   `avx2` and `avx512` implement it for both widths, `sse2` for 64 bits.
//! - [`columns`], [`diagonals`]: half of G on these words; `held` is for states that do not fit
//!   into the registers.
//! - `assembly`: the same for two AVX-512 states at once, except that the caller adds the block's
//!   words.

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

/// The number of words of a state and of a block.
pub const WORDS: usize = 16;

/// A state or a block, word by word. With registers as words, it holds one state or block per lane.
pub type Words<W> = [W; WORDS];

/// Four applications of G at once: `state[a[i]]`, `state[b[i]]` and so on, `a[i] = i`.
struct Quartet {
    b: [usize; 4],
    c: [usize; 4],
    d: [usize; 4],
}

const COLUMNS: Quartet = Quartet { b: [4, 5, 6, 7], c: [8, 9, 10, 11], d: [12, 13, 14, 15] };
const DIAGONALS: Quartet = Quartet { b: [5, 6, 7, 4], c: [10, 11, 8, 9], d: [15, 12, 13, 14] };

/// Four words of a block, as a half of G adds them. `None` means zero.
pub type Four<W> = [Option<W>; 4];

/// Half of G on the columns of a state. `FIRST` and `SECOND` are the right rotations in bits.
#[inline(always)]
pub fn columns<W: Word, const FIRST: i32, const SECOND: i32>(state: &mut Words<W>, words: Four<W>) {
    half_mix::<W, FIRST, SECOND>(state, words, &COLUMNS);
}

/// Like [`columns`], on the diagonals.
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
