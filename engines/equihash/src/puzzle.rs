// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A puzzle: n, k and an input, with the common prefix of all leaves already hashed.

use halimede_arith::arx::WORDS;

use crate::constants::{BLOCK_BYTES, IV};
use crate::lanes::rounds;
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

/// The state before the first block that contains part of the number, and that block with the
/// number as zero. If the number's bytes span two blocks, also the second one.
#[derive(Clone, Debug)]
pub(crate) struct Tail {
    /// The chaining value.
    pub(crate) state: [u64; 8],
    /// The words of the one or two blocks.
    pub(crate) words: [u64; 2 * WORDS],
    /// The number of blocks, one or two.
    pub(crate) blocks: usize,
    /// The byte position of the number in these blocks, below [`BLOCK_BYTES`].
    pub(crate) number_byte: usize,
    /// The bytes of the message up to the end of the first block; used only if there are two.
    pub(crate) first_end: u64,
    /// The length of the message in bytes.
    pub(crate) message_bytes: u64,
}

/// A last block whose words are zero except the first two, and whose first word has no part of the
/// number: for example, the last 12 of the 140 bytes of a block header are the last bytes of its
/// nonce.
#[derive(Clone, Debug)]
pub(crate) struct Short {
    /// The chaining value before the block.
    pub(crate) state: [u64; 8],
    /// The working state after the part of the first round that does not depend on the second word.
    pub(crate) begun: [u64; WORDS],
    /// The first word.
    pub(crate) first_word: u64,
    /// The second word with the number as zero.
    pub(crate) second_word: u64,
    /// The position of the number's lowest bit in the second word.
    pub(crate) shift: u32,
}

impl Puzzle {
    /// Creates a puzzle from n and k and the input: everything that is hashed before the number. In
    /// Zcash, it is a block header with its nonce (140 bytes); any length is valid.
    pub fn new(params: Params, input: &[u8]) -> Self {
        let tail = Tail::new(params, input);
        let short = Short::of(&tail);
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
}

impl Tail {
    fn new(params: Params, input: &[u8]) -> Self {
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
        Self {
            state,
            words,
            blocks: (rest.len() + NUMBER_BYTES).div_ceil(BLOCK_BYTES),
            number_byte: rest.len(),
            first_end: counter + BLOCK_BYTES as u64,
            message_bytes: (input.len() + NUMBER_BYTES) as u64,
        }
    }
}

impl Short {
    fn of(tail: &Tail) -> Option<Self> {
        if !(8..=16 - NUMBER_BYTES).contains(&tail.number_byte) {
            return None;
        }
        let (state, first_word) = (tail.state, tail.words[0]);
        Some(Self {
            state,
            begun: rounds::begin_short(&state, first_word, tail.message_bytes),
            first_word,
            second_word: tail.words[1],
            shift: 8 * (tail.number_byte - 8) as u32,
        })
    }
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
