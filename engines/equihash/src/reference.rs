// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The specification written without optimizations, for any n and k: the oracle of the tests.
//!
//! BLAKE2b is that of RFC 7693 with the parameter block of its section 2.8 (and the personalization
//! of the BLAKE2 paper, section 2.8); the checks are those of Biryukov and Khovratovich (2016),
//! section 4, and of the Zcash protocol specification, section 7.7.1.

use crate::constants::{BLOCK_BYTES, IV, ROUNDS, SIGMA};
use crate::{indices_from_minimal, minimal_from_indices, Check, EncodingError, Mask, Params};

/// Computes a BLAKE2b hash of `output_bytes` (1 to 64) bytes, without a key.
///
/// # Panics
/// If `output_bytes` is out of range.
pub fn blake2b(personalisation: &[u8; 16], output_bytes: usize, message: &[u8]) -> Vec<u8> {
    assert!((1..=64).contains(&output_bytes), "{output_bytes} bytes of output");
    let mut parameters = [0; 64];
    parameters[0] = output_bytes as u8;
    parameters[2] = 1; // fanout
    parameters[3] = 1; // depth
    parameters[48..].copy_from_slice(personalisation);
    let mut state = IV;
    for (word, bytes) in state.iter_mut().zip(parameters.chunks_exact(8)) {
        *word ^= word_of(bytes);
    }
    let blocks = message.len().div_ceil(BLOCK_BYTES).max(1);
    for number in 0..blocks {
        let begin = number * BLOCK_BYTES;
        let end = message.len().min(begin + BLOCK_BYTES);
        let mut block = [0; BLOCK_BYTES];
        block[..end - begin].copy_from_slice(&message[begin..end]);
        compress(&mut state, &block, end as u128, number + 1 == blocks);
    }
    let mut output: Vec<u8> = state.iter().flat_map(|word| word.to_le_bytes()).collect();
    output.truncate(output_bytes);
    output
}

/// The function F of RFC 7693, section 3.2.
fn compress(state: &mut [u64; 8], block: &[u8; BLOCK_BYTES], counter: u128, is_last: bool) {
    let words: Vec<u64> = block.chunks_exact(8).map(word_of).collect();
    let mut v = [0; 16];
    v[..8].copy_from_slice(state);
    v[8..].copy_from_slice(&IV);
    v[12] ^= counter as u64;
    v[13] ^= (counter >> 64) as u64;
    if is_last {
        v[14] = !v[14];
    }
    for order in SIGMA.iter().take(ROUNDS) {
        let word = |place: usize| words[order[place]];
        mix(&mut v, [0, 4, 8, 12], [word(0), word(1)]);
        mix(&mut v, [1, 5, 9, 13], [word(2), word(3)]);
        mix(&mut v, [2, 6, 10, 14], [word(4), word(5)]);
        mix(&mut v, [3, 7, 11, 15], [word(6), word(7)]);
        mix(&mut v, [0, 5, 10, 15], [word(8), word(9)]);
        mix(&mut v, [1, 6, 11, 12], [word(10), word(11)]);
        mix(&mut v, [2, 7, 8, 13], [word(12), word(13)]);
        mix(&mut v, [3, 4, 9, 14], [word(14), word(15)]);
    }
    for i in 0..8 {
        state[i] ^= v[i] ^ v[i + 8];
    }
}

/// The function G of RFC 7693, section 3.1.
fn mix(v: &mut [u64; 16], [a, b, c, d]: [usize; 4], [x, y]: [u64; 2]) {
    v[a] = v[a].wrapping_add(v[b]).wrapping_add(x);
    v[d] = (v[d] ^ v[a]).rotate_right(32);
    v[c] = v[c].wrapping_add(v[d]);
    v[b] = (v[b] ^ v[c]).rotate_right(24);
    v[a] = v[a].wrapping_add(v[b]).wrapping_add(y);
    v[d] = (v[d] ^ v[a]).rotate_right(16);
    v[c] = v[c].wrapping_add(v[d]);
    v[b] = (v[b] ^ v[c]).rotate_right(63);
}

fn word_of(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte))
}

/// Returns the n-bit hash of an index. `input` is the header with its nonce.
pub fn leaf(params: Params, input: &[u8], index: u32) -> Vec<u8> {
    let (hash, part) = (index / params.leaves_per_hash(), index % params.leaves_per_hash());
    let mut message = input.to_vec();
    message.extend_from_slice(&hash.to_le_bytes());
    let output = blake2b(&params.personalisation(), params.output_bytes(), &message);
    let begin = part as usize * params.hash_bytes();
    output[begin..begin + params.hash_bytes()].to_vec()
}

/// Performs every check of a solution in its minimal form, except [`Check::Difficulty`],
/// independently of each other.
///
/// # Errors
/// [`EncodingError::Bytes`].
pub fn mask(params: Params, input: &[u8], minimal: &[u8]) -> Result<Mask, EncodingError> {
    Ok(check_all(params, input, &indices_from_minimal(params, minimal)?))
}

/// As [`mask`], for the indices.
///
/// # Errors
/// As for [`minimal_from_indices`].
pub fn mask_of_indices(
    params: Params,
    input: &[u8],
    indices: &[u32],
) -> Result<Mask, EncodingError> {
    minimal_from_indices(params, indices)?;
    Ok(check_all(params, input, indices))
}

/// A node of the tree: the first index below it, and the XOR of the hashes below it.
struct Node {
    first_index: u32,
    hash: Vec<u8>,
}

fn check_all(params: Params, input: &[u8], indices: &[u32]) -> Mask {
    let mut mask = Mask::VALID;
    let mut sorted = indices.to_vec();
    sorted.sort_unstable();
    if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
        mask.set(Check::Duplicate);
    }
    let leaf_node = |&index: &u32| Node { first_index: index, hash: leaf(params, input, index) };
    let mut nodes: Vec<Node> = indices.iter().map(leaf_node).collect();
    for level in 1..=params.k() {
        let bits = (level - 1) * params.collision_bits()..level * params.collision_bits();
        let mut parents = Vec::new();
        for pair in nodes.chunks_exact(2) {
            let (left, right) = (&pair[0], &pair[1]);
            if left.first_index >= right.first_index {
                mask.set(Check::IndexOrder);
            }
            let hash: Vec<u8> =
                left.hash.iter().zip(&right.hash).map(|(one, other)| one ^ other).collect();
            if bits.clone().any(|bit| bit_of(&hash, bit)) {
                mask.set(Check::Collision);
            }
            parents.push(Node { first_index: left.first_index, hash });
        }
        nodes = parents;
    }
    if nodes.iter().any(|root| root.hash.iter().any(|byte| *byte != 0)) {
        mask.set(Check::Xor);
    }
    mask
}

/// Returns a bit of a byte string; bit 0 is the highest bit of the first byte.
fn bit_of(bytes: &[u8], bit: u32) -> bool {
    bytes[bit as usize / 8] >> (7 - bit % 8) & 1 == 1
}
