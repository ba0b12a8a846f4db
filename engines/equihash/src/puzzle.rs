// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A puzzle: n, k and an input, with the common prefix of all leaves already hashed.

use halimede_arith::arx::WORDS;

use crate::constants::{BLOCK_BYTES, IV};
use crate::lanes::rounds;
use crate::midstate::{Short, Tail};
use crate::Params;

/// The length in bytes of the number of a hash, which follows the input.
const NUMBER_BYTES: usize = 4;

/// n, k and an input, with the common prefix hashed: solutions are verified against it.
#[derive(Clone, Debug)]
pub struct Puzzle {
    params: Params,
    tail: Tail,
    short: Option<Short>,
}

impl Puzzle {
    /// Creates a puzzle from n and k and the input: everything that is hashed before the number. In
    /// Zcash, it is a block header with its nonce (140 bytes); any length is valid.
    pub fn new(params: Params, input: &[u8]) -> Self {
        let tail = tail_of(params, input);
        let short = short_of(&tail);
        Self { params, tail, short }
    }

    /// The parameters n and k.
    pub fn params(&self) -> Params {
        self.params
    }

    /// The state and the words of the last blocks.
    pub(crate) fn tail(&self) -> &Tail {
        &self.tail
    }

    /// The last block, if it is a short one.
    pub(crate) fn short(&self) -> Option<&Short> {
        self.short.as_ref()
    }

    /// The hash with this number, alone.
    #[inline(never)]
    pub(crate) fn hash(&self, number: u64, output: &mut [u64; 8]) {
        match &self.short {
            Some(block) => {
                *output = rounds::short(block, number << block.shift | block.second_word)
            }
            None => rounds::any(&self.tail, number, output),
        }
    }
}

/// The state before the number's block, and that block.
fn tail_of(params: Params, input: &[u8]) -> Tail {
    let mut state = IV;
    // The parameter block (RFC 7693, section 2.5): no key, fanout and depth 1.
    state[0] ^= 0x0101_0000 ^ params.output_bytes() as u64;
    let personalisation = params.personalisation();
    state[6] ^= word_of(&personalisation[..8]);
    state[7] ^= word_of(&personalisation[8..]);
    let (whole, rest) = input.split_at(input.len() / BLOCK_BYTES * BLOCK_BYTES);
    let mut counter = 0;
    for block in whole.chunks_exact(BLOCK_BYTES) {
        let mut words = [0; WORDS];
        fill(&mut words, block);
        counter += BLOCK_BYTES as u64;
        compress(&mut state, &words, counter);
    }
    let mut words = [0; 2 * WORDS];
    fill(&mut words, rest);
    Tail {
        state,
        words,
        blocks: (rest.len() + NUMBER_BYTES).div_ceil(BLOCK_BYTES),
        number_byte: rest.len(),
        first_end: counter + BLOCK_BYTES as u64,
        message_bytes: (input.len() + NUMBER_BYTES) as u64,
    }
}

/// The last block, if it is a short one.
fn short_of(tail: &Tail) -> Option<Short> {
    if !(8..=16 - NUMBER_BYTES).contains(&tail.number_byte) {
        return None;
    }
    let (state, first_word) = (tail.state, tail.words[0]);
    Some(Short {
        state,
        begun: rounds::begin_short(&state, first_word, tail.message_bytes),
        first_word,
        second_word: tail.words[1],
        shift: 8 * (tail.number_byte - 8) as u32,
    })
}

/// Compresses a block that is not the last; not inlined.
#[inline(never)]
fn compress(state: &mut [u64; 8], words: &[u64; WORDS], counter: u64) {
    rounds::compress(state, words, counter, false);
}

/// Fills words from bytes, as far as they reach.
fn fill(words: &mut [u64], bytes: &[u8]) {
    for (word, bytes) in words.iter_mut().zip(bytes.chunks(8)) {
        *word = word_of(bytes);
    }
}

/// Returns the word of at most eight bytes, little-endian.
fn word_of(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(word)
}
