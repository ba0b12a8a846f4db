// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A message for each lane, all with equally many blocks. They begin and end together, so that
//! lanes need no separate states, and their digests are stored together.

use halimede_arith::arx::{Words, WORDS};

use super::vector::Vector;
use super::{rounds, MOST_GROUPS, MOST_LANES};
use crate::constants::{CHUNK_END, CHUNK_START, IV, ROOT};
use crate::mode::ModeWords;
use crate::{Digest, BLOCK_BYTES};

/// Messages of at most one chunk with equally many blocks, one for each lane.
pub(super) struct Equal {
    /// The first byte of each message; not read if the message is empty.
    pub data: [*const u8; MOST_LANES],
    /// The number of bytes of each last block: 1 to 64, or 0 for an empty message.
    pub last_bytes: [u32; MOST_LANES],
    /// The number of blocks of each message, at least one.
    pub blocks: usize,
    /// The outputs, contiguous.
    pub digests: *mut Digest,
}

impl Equal {
    /// Creates the memory for messages, which are to be filled in.
    pub(super) fn new() -> Self {
        Self {
            data: [std::ptr::null(); MOST_LANES],
            last_bytes: [0; MOST_LANES],
            blocks: 1,
            digests: std::ptr::null_mut(),
        }
    }

    /// Hashes the first `V::LANES` · `V::GROUPS` messages. Their places are overwritten.
    ///
    /// # Safety
    /// The messages can be read, and a digest of each written.
    #[inline(always)]
    pub(super) unsafe fn digest<V: Vector>(&mut self, mode: &ModeWords) {
        let mut tails = [[0; BLOCK_BYTES]; MOST_LANES];
        let mut states = [[V::splat(0); WORDS]; MOST_GROUPS];
        for state in states.iter_mut().take(V::GROUPS) {
            for (word, key) in state.iter_mut().zip(mode.key) {
                *word = V::splat(key);
            }
        }
        let mut flags = mode.flags | CHUNK_START;
        for _ in 1..self.blocks {
            for state in states.iter_mut().take(V::GROUPS) {
                prepare(state, V::splat(BLOCK_BYTES as u32), flags);
            }
            // SAFETY: a message with another block has 64 readable bytes.
            unsafe { self.compress(&mut states) };
            for place in self.data.iter_mut().take(V::LANES * V::GROUPS) {
                *place = place.wrapping_add(BLOCK_BYTES);
                V::prefetch(*place);
            }
            flags = mode.flags;
        }
        flags |= CHUNK_END | ROOT;
        let lasts = self.data.iter_mut().zip(self.last_bytes).zip(&mut tails);
        for ((place, count), tail) in lasts.take(V::LANES * V::GROUPS) {
            let count = count as usize;
            if count < BLOCK_BYTES {
                // SAFETY: the caller guarantees that the bytes can be read; the tail is writable.
                unsafe { V::pad_block(*place, count, tail) };
                *place = tail.as_ptr();
            }
        }
        for (group, state) in states.iter_mut().take(V::GROUPS).enumerate() {
            // SAFETY: there is a number for each lane.
            let bytes = unsafe { V::load(self.last_bytes[group * V::LANES..].as_ptr()) };
            prepare(state, bytes, flags);
        }
        // SAFETY: each last block has 64 readable bytes, as it is or padded.
        unsafe { self.compress(&mut states) };
        for (group, state) in states.iter().take(V::GROUPS).enumerate() {
            // SAFETY: the caller guarantees that the digests can be written.
            unsafe { V::store_digests(state, self.digests.wrapping_add(group * V::LANES)) };
        }
    }

    /// Compresses a block of each message into the prepared states.
    ///
    /// # Safety
    /// 64 bytes can be read at each of the places.
    #[inline(always)]
    unsafe fn compress<V: Vector>(&self, states: &mut [Words<V>; MOST_GROUPS]) {
        // SAFETY: the caller guarantees that the blocks can be read.
        let blocks = unsafe { V::load_blocks(self.data.as_ptr()) };
        if V::GROUPS == 2 {
            // SAFETY: as above.
            let others = unsafe { V::load_blocks(self.data[V::LANES..].as_ptr()) };
            V::compress_two(states, &blocks, &others);
        } else {
            rounds::compress(&mut states[0], &blocks);
        }
    }
}

/// Sets the words of a state that are not the chaining value. Each message has one chunk, number 0.
#[inline(always)]
fn prepare<V: Vector>(state: &mut Words<V>, bytes: V, flags: u32) {
    for (word, iv) in state[8..].iter_mut().zip(IV).take(4) {
        *word = V::splat(iv);
    }
    state[12] = V::splat(0);
    state[13] = V::splat(0);
    state[14] = bytes;
    state[15] = V::splat(flags);
}
