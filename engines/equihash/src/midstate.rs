// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The hash of a puzzle's input, up to the block that holds a number.

use halimede_arith::arx::WORDS;

#[cfg(doc)]
use crate::constants::BLOCK_BYTES;

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
