// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The hash of a puzzle's input, up to the block that holds a number.

use halimede_arith::arx::WORDS;

#[cfg(doc)]
use crate::constants::BLOCK_BYTES;

/// The state before the first block that holds a part of the number, and that block with the
/// number as zero. Where the number's bytes lie in two blocks, the one behind it as well.
#[derive(Clone, Debug)]
pub(crate) struct Tail {
    /// The chaining value.
    pub(crate) state: [u64; 8],
    /// The words of the one or two blocks.
    pub(crate) words: [u64; 2 * WORDS],
    /// One or two.
    pub(crate) blocks: usize,
    /// Where in them the number begins, below [`BLOCK_BYTES`].
    pub(crate) number_byte: usize,
    /// Bytes of the message up to the end of the first block; of use if there are two.
    pub(crate) first_end: u64,
    /// Bytes of the message.
    pub(crate) message_bytes: u64,
}

/// A last block whose words but the first two are zero, and whose first holds no part of the
/// number: that of a block header, whose last 12 bytes of 140 are the last ones of its nonce.
#[derive(Clone, Debug)]
pub(crate) struct Short {
    /// The chaining value before it.
    pub(crate) state: [u64; 8],
    /// The working state as far as the first round does not depend on the second word.
    pub(crate) begun: [u64; WORDS],
    /// The first word.
    pub(crate) first_word: u64,
    /// The second word with the number as zero.
    pub(crate) second_word: u64,
    /// Where in the second word the number's lowest bit lies.
    pub(crate) shift: u32,
}
