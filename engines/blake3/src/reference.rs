// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The specification written without optimizations: the reference that the tests compare everything
//! else with.
//!
//! Blocks are hashed sequentially, the tree by recursion (paper, section 2). Slow.

use crate::constants::{
    CHUNK_END, CHUNK_START, DERIVE_KEY_CONTEXT, DERIVE_KEY_MATERIAL, IV, KEYED_HASH, PARENT,
    PERMUTATION, ROOT, ROUNDS,
};
use crate::{BLOCK_BYTES, CHUNK_BYTES, KEY_BYTES};

/// The mode `hash`: fills the output with the extended output from byte `offset` on.
pub fn hash(message: &[u8], offset: u64, output: &mut [u8]) {
    root(&IV, 0, message).output(offset, output);
}

/// The mode `keyed_hash`, likewise.
pub fn keyed_hash(key: &[u8; KEY_BYTES], message: &[u8], offset: u64, output: &mut [u8]) {
    root(&words(key), KEYED_HASH, message).output(offset, output);
}

/// The mode `derive_key`, from a context string and key material, likewise.
pub fn derive_key(context: &str, material: &[u8], offset: u64, output: &mut [u8]) {
    let mut context_key = [0; KEY_BYTES];
    root(&IV, DERIVE_KEY_CONTEXT, context.as_bytes()).output(0, &mut context_key);
    root(&words(&context_key), DERIVE_KEY_MATERIAL, material).output(offset, output);
}

/// A pending compression: only its parent knows whether the node is the root.
struct Node {
    chaining_value: [u32; 8],
    block: [u32; 16],
    counter: u64,
    bytes: u32,
    flags: u32,
}

impl Node {
    fn chaining_value(&self) -> [u32; 8] {
        let state =
            compress(&self.chaining_value, &self.block, self.counter, self.bytes, self.flags);
        std::array::from_fn(|i| state[i])
    }

    /// Writes the root's output: the same compression for each 64 bytes, with their number as the
    /// counter.
    fn output(&self, offset: u64, output: &mut [u8]) {
        for (position, byte) in (offset..).zip(output) {
            let counter = position / BLOCK_BYTES as u64;
            let (cv, flags) = (&self.chaining_value, self.flags | ROOT);
            let state = compress(cv, &self.block, counter, self.bytes, flags);
            let place = (position % BLOCK_BYTES as u64) as usize;
            *byte = state[place / 4].to_le_bytes()[place % 4];
        }
    }
}

fn root(key: &[u32; 8], mode: u32, message: &[u8]) -> Node {
    tree(key, mode, message, 0)
}

/// Returns the root of the tree over a part of the message that begins at this chunk.
fn tree(key: &[u32; 8], mode: u32, part: &[u8], first_chunk: u64) -> Node {
    if part.len() <= CHUNK_BYTES {
        return chunk(key, mode, part, first_chunk);
    }
    // The left subtree is the largest complete one that leaves at least a byte for the right one.
    let chunks = (part.len() - 1) / CHUNK_BYTES;
    let left_chunks = 1 << chunks.ilog2();
    let (left, right) = part.split_at(left_chunks * CHUNK_BYTES);
    let left = tree(key, mode, left, first_chunk).chaining_value();
    let right = tree(key, mode, right, first_chunk + left_chunks as u64).chaining_value();
    let mut block = [0; 16];
    block[..8].copy_from_slice(&left);
    block[8..].copy_from_slice(&right);
    let flags = mode | PARENT;
    Node { chaining_value: *key, block, counter: 0, bytes: BLOCK_BYTES as u32, flags }
}

fn chunk(key: &[u32; 8], mode: u32, chunk: &[u8], number: u64) -> Node {
    let mut chaining_value = *key;
    let mut blocks = chunk.chunks(BLOCK_BYTES).peekable();
    let mut flags = mode | CHUNK_START;
    loop {
        let bytes = blocks.next().unwrap_or_default();
        let mut padded = [0; BLOCK_BYTES];
        padded[..bytes.len()].copy_from_slice(bytes);
        let is_last = blocks.peek().is_none();
        let node = Node {
            chaining_value,
            block: words(&padded),
            counter: number,
            bytes: bytes.len() as u32,
            flags: if is_last { flags | CHUNK_END } else { flags },
        };
        if is_last {
            return node;
        }
        chaining_value = node.chaining_value();
        flags = mode;
    }
}

/// Computes the compression function (section 2.2), all 16 words.
fn compress(cv: &[u32; 8], block: &[u32; 16], counter: u64, bytes: u32, flags: u32) -> [u32; 16] {
    let mut state = [0; 16];
    state[..8].copy_from_slice(cv);
    state[8..12].copy_from_slice(&IV[..4]);
    state[12..].copy_from_slice(&[counter as u32, (counter >> 32) as u32, bytes, flags]);
    let mut message = *block;
    for _ in 0..ROUNDS {
        for column in 0..4 {
            let places = [column, column + 4, column + 8, column + 12];
            mix(&mut state, places, message[2 * column], message[2 * column + 1]);
        }
        for diagonal in 0..4 {
            let place = |row: usize| 4 * row + (diagonal + row) % 4;
            let (x, y) = (message[8 + 2 * diagonal], message[9 + 2 * diagonal]);
            mix(&mut state, [place(0), place(1), place(2), place(3)], x, y);
        }
        message = PERMUTATION.map(|place| message[place]);
    }
    for i in 0..8 {
        state[i] ^= state[i + 8];
        state[i + 8] ^= cv[i];
    }
    state
}

/// The function G.
fn mix(state: &mut [u32; 16], [a, b, c, d]: [usize; 4], x: u32, y: u32) {
    state[a] = state[a].wrapping_add(state[b]).wrapping_add(x);
    state[d] = (state[d] ^ state[a]).rotate_right(16);
    state[c] = state[c].wrapping_add(state[d]);
    state[b] = (state[b] ^ state[c]).rotate_right(12);
    state[a] = state[a].wrapping_add(state[b]).wrapping_add(y);
    state[d] = (state[d] ^ state[a]).rotate_right(8);
    state[c] = state[c].wrapping_add(state[d]);
    state[b] = (state[b] ^ state[c]).rotate_right(7);
}

/// Returns bytes as little-endian words.
fn words<const WORDS: usize>(bytes: &[u8]) -> [u32; WORDS] {
    std::array::from_fn(|i| {
        let word = &bytes[4 * i..4 * i + 4];
        u32::from_le_bytes([word[0], word[1], word[2], word[3]])
    })
}
