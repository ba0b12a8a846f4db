// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Hashing of one message, or of the last of many, block by block in general registers.
//!
//! A step of a whole register of lanes takes as long as two blocks here, so the last busy lanes end
//! here. On Zen 5 this is faster than the vectors of four words that implementations such as the
//! crate `blake3` use within one block: the result of an instruction is available after one clock
//! instead of two. On other processors the crate hashes single messages
//! ([`Choice`](crate::choice::Choice)).

use halimede_arith::arx::Words;

use super::rounds;
use crate::constants::{CHUNK_END, CHUNK_START, IV, ROOT};
use crate::mode::ModeWords;
use crate::{Digest, BLOCK_BYTES, CHUNK_BYTES};

/// Returns the digest of a message of at most one chunk.
///
/// # Panics
/// If the message is longer.
pub(crate) fn short_message(mode: &ModeWords, message: &[u8]) -> Digest {
    assert!(message.len() <= CHUNK_BYTES, "a message of {} bytes", message.len());
    node(mode, message, 0, [CHUNK_START, CHUNK_END | ROOT])
}

/// Returns the output of a chunk or a parent, from its bytes, its number and the flags of its first
/// and last blocks.
pub(super) fn node(mode: &ModeWords, bytes: &[u8], counter: u32, flags: [u32; 2]) -> Digest {
    let [first_flags, last_flags] = flags.map(|flags| flags | mode.flags);
    let mut chaining_value = mode.key;
    let mut flags = first_flags;
    let mut rest = bytes;
    while let Some((block, behind)) = rest.split_first_chunk().filter(|(_, b)| !b.is_empty()) {
        compress(&mut chaining_value, block, counter, BLOCK_BYTES as u32, flags);
        (rest, flags) = (behind, mode.flags);
    }
    flags |= last_flags;
    if let Ok(block) = rest.try_into() {
        compress(&mut chaining_value, block, counter, BLOCK_BYTES as u32, flags);
    } else {
        let mut block = [0; BLOCK_BYTES];
        block[..rest.len()].copy_from_slice(rest);
        compress(&mut chaining_value, &block, counter, rest.len() as u32, flags);
    }
    digest(&chaining_value[..4], &chaining_value[4..])
}

/// Returns eight words as bytes, little-endian.
#[inline(always)]
pub(super) fn digest(low: &[u32], high: &[u32]) -> Digest {
    let mut digest = Digest::default();
    for (bytes, word) in digest.chunks_exact_mut(4).zip(low.iter().chain(high)) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    digest
}

/// Updates the chaining value with a block.
#[inline(never)]
pub(super) fn compress(
    chaining_value: &mut [u32; 8],
    block: &[u8; BLOCK_BYTES],
    counter: u32,
    bytes: u32,
    flags: u32,
) {
    let block: Words<u32> = std::array::from_fn(|i| {
        let word = &block[4 * i..4 * i + 4];
        u32::from_le_bytes([word[0], word[1], word[2], word[3]])
    });
    let mut state: Words<u32> = [0; 16];
    state[..8].copy_from_slice(chaining_value);
    state[8..12].copy_from_slice(&IV[..4]);
    (state[12], state[14], state[15]) = (counter, bytes, flags);
    rounds::compress(&mut state, &block);
    chaining_value.copy_from_slice(&state[..8]);
}
