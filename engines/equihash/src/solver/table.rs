// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The rows of one level: the XOR of the leaves under each row, without the leading zero bits.

use rayon::prelude::*;

use super::shape::Shape;
use super::watch::Meter;
use super::SolveError;
use crate::Params;

/// The number of words of the longest row: 512 bits.
pub(super) const MOST_WORDS: usize = 16;
/// The number of hashes that a thread computes at a time.
const HASHES_AT_ONCE: usize = 64;

/// The rows of a level.
pub(super) struct Table {
    /// For each row, the bits that collide on the next level.
    pub(super) keys: Vec<u32>,
    /// For each row, the bits after the key, from the top of its first word.
    pub(super) rows: Vec<u32>,
    /// The number of words of a row.
    pub(super) words: usize,
}

impl Table {
    /// Allocates `rows` rows, all zero.
    pub(super) fn zeroed(rows: usize, words: usize) -> Result<Self, SolveError> {
        Ok(Self { keys: zeroed(rows, 0)?, rows: zeroed(rows * words, 0)?, words })
    }

    /// Computes the hashes of all leaves: BLAKE2b of the input and the number of the output, of
    /// which each leaf is a part (Zcash protocol specification, section 7.7.1).
    pub(super) fn leaves(params: Params, input: &[u8], meter: &Meter) -> Result<Self, SolveError> {
        let shape = Shape::new(params);
        let words = shape.words(0);
        let mut table = Self::zeroed(shape.leaves() as usize, words)?;
        let at_once = HASHES_AT_ONCE * params.leaves_per_hash() as usize;
        let parts =
            table.keys.par_chunks_mut(at_once).zip(table.rows.par_chunks_mut(at_once * words));
        meter.begin(parts.len());
        parts.enumerate().for_each(|(part, (keys, rows))| {
            if meter.goes_on() {
                let first = (part * HASHES_AT_ONCE) as u32;
                fill_leaves(params, input, first, keys, rows);
            }
        });
        meter.end().map(|()| table)
    }
}

/// Allocates a vector of this length; an error if the allocation fails.
pub(super) fn zeroed<T: Clone>(length: usize, zero: T) -> Result<Vec<T>, SolveError> {
    let mut vector = Vec::new();
    let bytes = length.saturating_mul(size_of::<T>()) as u64;
    vector.try_reserve_exact(length).map_err(|_| SolveError::OutOfMemory { bytes })?;
    vector.resize(length, zero);
    Ok(vector)
}

/// Computes the leaves of the outputs from `first` on.
fn fill_leaves(params: Params, input: &[u8], first: u32, keys: &mut [u32], rows: &mut [u32]) {
    let mut blake2b = blake2b_simd::Params::new();
    blake2b.hash_length(params.output_bytes()).personal(&params.personalisation());
    let per_hash = params.leaves_per_hash() as usize;
    let mut inputs = Vec::new();
    for hash in (first..).take(keys.len().div_ceil(per_hash)) {
        inputs.extend_from_slice(input);
        inputs.extend_from_slice(&hash.to_le_bytes());
    }
    let mut jobs: Vec<_> = inputs
        .chunks_exact(input.len() + size_of::<u32>())
        .map(|input| blake2b_simd::many::HashManyJob::new(&blake2b, input))
        .collect();
    blake2b_simd::many::hash_many(&mut jobs);
    let hashes: Vec<_> = jobs.iter().map(blake2b_simd::many::HashManyJob::to_hash).collect();
    let leaves = hashes.iter().flat_map(|hash| hash.as_bytes().chunks_exact(params.hash_bytes()));
    let words = Shape::new(params).words(0);
    for ((key, row), leaf) in keys.iter_mut().zip(rows.chunks_exact_mut(words)).zip(leaves) {
        let mut whole = [0; MOST_WORDS];
        for (word, bytes) in whole.iter_mut().zip(leaf.chunks(4)) {
            let mut padded = [0; 4];
            padded[..bytes.len()].copy_from_slice(bytes);
            *word = u32::from_be_bytes(padded);
        }
        *key = split(&whole, params.collision_bits(), row);
    }
}

/// Splits off the leading bits, between 1 and 31 of them, as the key; fills the words of the row
/// with the bits after them.
#[inline]
pub(super) fn split(whole: &[u32], bits: u32, row: &mut [u32]) -> u32 {
    let beyond = [0];
    let after = whole[1..].iter().chain(&beyond);
    for ((word, high), low) in row.iter_mut().zip(whole).zip(after) {
        *word = high << bits | low >> (32 - bits);
    }
    whole[0] >> (32 - bits)
}
