// SPDX-License-Identifier: Apache-2.0 OR MIT
//! BLAKE2b's compression function (RFC 7693, section 3), for one message or one message per lane.

use halimede_arith::arx::{columns, diagonals, Four, Word, Words, WORDS};

use crate::constants::{IV, SIGMA};
use crate::midstate::{Short, Tail};

use super::vector::{Output, Vector};

/// The words of a block; words that are always zero are `None`.
pub(super) trait Block<W> {
    /// Word `number`.
    fn word(&self, number: usize) -> Option<W>;
}

/// A block of sixteen words.
impl<W: Word> Block<W> for Words<W> {
    #[inline(always)]
    fn word(&self, number: usize) -> Option<W> {
        Some(self[number])
    }
}

/// A block whose words are zero except the first two.
impl<W: Word> Block<W> for [W; 2] {
    #[inline(always)]
    fn word(&self, number: usize) -> Option<W> {
        if number < 2 {
            Some(self[number])
        } else {
            None
        }
    }
}

/// The compression function F: `state` becomes the next chaining value. `counter` is the number of
/// bytes of the message up to the end of this block.
#[inline(always)]
pub(crate) fn compress<V: Vector>(
    state: &mut [V; 8],
    block: &Words<V>,
    counter: u64,
    is_last: bool,
) {
    let mut v = working(state, counter, is_last);
    round::<V, 0>(&mut v, block);
    round::<V, 1>(&mut v, block);
    rounds_from_2(&mut v, block);
    for i in 0..8 {
        state[i] = state[i].xor(v[i]).xor(v[i + 8]);
    }
}

/// Returns the working state at the start of a compression.
#[inline(always)]
fn working<V: Vector>(state: &[V; 8], counter: u64, is_last: bool) -> Words<V> {
    let mut v = [V::splat(0); 16];
    v[..8].copy_from_slice(state);
    for (word, constant) in v[8..].iter_mut().zip(IV) {
        *word = V::splat(constant);
    }
    // Messages are below 2^64 bytes: the counter's upper word, which is added to v[13], is 0.
    v[12] = v[12].xor(V::splat(counter));
    if is_last {
        v[14] = v[14].xor(V::splat(u64::MAX));
    }
    v
}

#[inline(always)]
fn rounds_from_2<W: Word, B: Block<W>>(v: &mut Words<W>, block: &B) {
    round::<W, 2>(v, block);
    round::<W, 3>(v, block);
    round::<W, 4>(v, block);
    round::<W, 5>(v, block);
    round::<W, 6>(v, block);
    round::<W, 7>(v, block);
    round::<W, 8>(v, block);
    round::<W, 9>(v, block);
    round::<W, 10>(v, block);
    round::<W, 11>(v, block);
}

#[inline(always)]
fn round<W: Word, const ROUND: usize>(v: &mut Words<W>, block: &impl Block<W>) {
    columns::<W, 32, 24>(v, four::<W, ROUND>(block, [0, 2, 4, 6]));
    columns::<W, 16, 63>(v, four::<W, ROUND>(block, [1, 3, 5, 7]));
    diagonals::<W, 32, 24>(v, four::<W, ROUND>(block, [8, 10, 12, 14]));
    diagonals::<W, 16, 63>(v, four::<W, ROUND>(block, [9, 11, 13, 15]));
}

/// Returns the words at these positions of the round's schedule.
#[inline(always)]
pub(super) fn four<W: Word, const ROUND: usize>(
    block: &impl Block<W>,
    [a, b, c, d]: [usize; 4],
) -> Four<W> {
    let order = &SIGMA[ROUND];
    [block.word(order[a]), block.word(order[b]), block.word(order[c]), block.word(order[d])]
}

/// Computes the part of the first round that does not depend on the second word, for a block whose
/// words 2 to 15 are zero: the first half of the first column, the other columns, and the first
/// sums of the diagonals that do not depend on the first column.
pub(crate) fn begin_short(state: &[u64; 8], first_word: u64, counter: u64) -> Words<u64> {
    let mut v = working(state, counter, true);
    v[0] = v[0].wrapping_add(first_word).wrapping_add(v[4]);
    v[12] = (v[12] ^ v[0]).rotate_right(32);
    v[8] = v[8].wrapping_add(v[12]);
    v[4] = (v[4] ^ v[8]).rotate_right(24);
    v[0] = v[0].wrapping_add(v[4]);
    for column in 1..4 {
        let [a, b, c, d] = [column, column + 4, column + 8, column + 12];
        for [first, second] in [[32, 24], [16, 63]] {
            v[a] = v[a].wrapping_add(v[b]);
            v[d] = (v[d] ^ v[a]).rotate_right(first);
            v[c] = v[c].wrapping_add(v[d]);
            v[b] = (v[b] ^ v[c]).rotate_right(second);
        }
    }
    v[1] = v[1].wrapping_add(v[6]);
    v[2] = v[2].wrapping_add(v[7]);
    v[13] = (v[13] ^ v[2]).rotate_right(32);
    v
}

/// Computes the rest of the first round, in lanes.
#[inline(always)]
pub(super) fn continue_short<W: Word>(begun: Words<W>, second_word: W) -> Words<W> {
    let mut v = begun;
    v[0] = v[0].add(second_word);
    v[12] = v[12].xor(v[0]).rotate_right::<16>();
    v[8] = v[8].add(v[12]);
    v[4] = v[4].xor(v[8]).rotate_right::<63>();
    v[0] = v[0].add(v[5]);
    v[3] = v[3].add(v[4]);
    v[15] = v[15].xor(v[0]).rotate_right::<32>();
    v[12] = v[12].xor(v[1]).rotate_right::<32>();
    v[14] = v[14].xor(v[3]).rotate_right::<32>();
    v[10] = v[10].add(v[15]);
    v[11] = v[11].add(v[12]);
    v[8] = v[8].add(v[13]);
    v[9] = v[9].add(v[14]);
    v[5] = v[5].xor(v[10]).rotate_right::<24>();
    v[6] = v[6].xor(v[11]).rotate_right::<24>();
    v[7] = v[7].xor(v[8]).rotate_right::<24>();
    v[4] = v[4].xor(v[9]).rotate_right::<24>();
    diagonals::<W, 16, 63>(&mut v, [None; 4]);
    v
}

/// Computes the hash of a [`Short`] block with this second word.
#[inline(always)]
pub(crate) fn short<V: Vector>(short: &Short, second_word: V) -> Output<V> {
    let block = [V::splat(short.first_word), second_word];
    let mut begun = [second_word; WORDS];
    for (word, begun) in begun.iter_mut().zip(short.begun) {
        *word = V::splat(begun);
    }
    let mut v = continue_short(begun, second_word);
    round::<V, 1>(&mut v, &block);
    rounds_from_2(&mut v, &block);
    let mut output = [second_word; 8];
    for i in 0..8 {
        output[i] = V::splat(short.state[i]).xor(v[i]).xor(v[i + 8]);
    }
    output
}

/// [`Vector::hash_short`], one register at a time.
#[inline(always)]
pub(crate) fn short_one_by_one<V: Vector>(
    block: &Short,
    second_words: [V; 2],
    outputs: &mut [Output<V>; 2],
) {
    let [one, other] = second_words;
    outputs[0] = short(block, one);
    outputs[1] = short(block, other);
}

/// [`Vector::hash_any`], one register at a time.
#[inline(always)]
pub(crate) fn any_one_by_one<V: Vector>(
    tail: &Tail,
    numbers: [V; 2],
    outputs: &mut [Output<V>; 2],
) {
    let [one, other] = numbers;
    any(tail, one, &mut outputs[0]);
    any(tail, other, &mut outputs[1]);
}

/// Computes the hash of the input followed by this number, at any position of the number.
#[inline(always)]
pub(crate) fn any<V: Vector>(tail: &Tail, number: V, output: &mut Output<V>) {
    for (word, chained) in output.iter_mut().zip(tail.state) {
        *word = V::splat(chained);
    }
    let (word, shift) = (tail.number_byte / 8, 8 * (tail.number_byte % 8) as u32);
    let block_of = |block: usize| {
        let mut words = [V::splat(0); 16];
        for (place, to) in words.iter_mut().enumerate() {
            *to = V::splat(tail.words[16 * block + place]);
            if 16 * block + place == word {
                *to = to.or(number.shift_left(shift));
            } else if 16 * block + place == word + 1 && shift > 32 {
                *to = to.or(number.shift_right(64 - shift));
            }
        }
        words
    };
    if tail.blocks == 2 {
        compress(output, &block_of(0), tail.first_end, false);
        compress(output, &block_of(1), tail.message_bytes, true);
    } else {
        compress(output, &block_of(0), tail.message_bytes, true);
    }
}
