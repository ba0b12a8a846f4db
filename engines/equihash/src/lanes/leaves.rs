// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The hashes of indices: BLAKE2b of the input and a number, cut into leaves.

use crate::puzzle::Puzzle;
use crate::Params;

use super::vector::{reciprocal, Output, Vector};

pub(super) use few::Few;

mod few;

/// The words of a leaf; the last bytes are undefined if n is not a multiple of 64 bits.
pub(super) type Leaf<V, const WORDS: usize> = [V; WORDS];

/// A source of leaves.
pub(super) trait Leaves<V, const WORDS: usize> {
    /// Returns the leaves of two indices for each lane. At least the words of a leaf are filled.
    ///
    /// # Safety
    /// Two indices per lane can be read.
    unsafe fn two(&mut self, indices: *const u32) -> [Leaf<V, WORDS>; 2];
}

/// Leaves that are hashed individually.
pub(super) struct Hashed<'p> {
    pub puzzle: &'p Puzzle,
    pub params: Params,
}

impl<V: Vector, const WORDS: usize> Leaves<V, WORDS> for Hashed<'_> {
    #[inline(always)]
    unsafe fn two(&mut self, indices: *const u32) -> [Leaf<V, WORDS>; 2] {
        let params = self.params;
        // SAFETY: the caller guarantees that the indices can be read.
        let indices = unsafe { [V::load_halves(indices), V::load_halves(indices.add(V::LANES))] };
        let (one, one_part) = divide(params, indices[0]);
        let (other, other_part) = divide(params, indices[1]);
        let outputs = hashes(self.puzzle, [one, other]);
        [cut(params, &outputs[0], one_part), cut(params, &outputs[1], other_part)]
    }
}

/// Computes the hashes with these numbers.
#[inline(always)]
fn hashes<V: Vector>(puzzle: &Puzzle, numbers: [V; 2]) -> [Output<V>; 2] {
    let mut outputs = [[V::splat(0); 8]; 2];
    match puzzle.short() {
        Some(short) => {
            let word = |number: V| number.shift_left(short.shift).or(V::splat(short.second_word));
            V::hash_short(short, numbers.map(word), &mut outputs);
        }
        None => V::hash_any(puzzle.tail(), numbers, &mut outputs),
    }
    outputs
}

/// Returns the number of an index' hash, and the part of the hash that is its leaf.
#[inline(always)]
fn divide<V: Vector>(params: Params, index: V) -> (V, V) {
    let leaves = params.leaves_per_hash();
    match leaves {
        1 => (index, V::splat(0)),
        2 => (index.shift_right(1), index.and(V::splat(1))),
        _ => {
            let number = index.divide(leaves, reciprocal(leaves));
            // Lanes have no multiplication except in `divide`, so the product is a sum of shifted
            // multiples, one per bit of `leaves`, which is at most 64.
            let mut multiple = V::splat(0);
            for bit in 0..7 {
                if leaves >> bit & 1 == 1 {
                    multiple = multiple.add(number.shift_left(bit));
                }
            }
            (number, index.add(multiple.xor(V::splat(u64::MAX))).add(V::splat(1)))
        }
    }
}

/// Cuts a part from each lane's output.
#[inline(always)]
fn cut<V: Vector, const WORDS: usize>(
    params: Params,
    output: &Output<V>,
    part: V,
) -> Leaf<V, WORDS> {
    let bits = params.n() as usize;
    let words = bits.div_ceil(64);
    let mut leaf = [output[0]; WORDS];
    leaf[..words].copy_from_slice(&output[..words]);
    for number in 1..params.leaves_per_hash() as usize {
        let lanes = part.equals(V::splat(number as u64));
        for (place, word) in leaf.iter_mut().enumerate().take(words) {
            let bit = number * bits + 64 * place;
            let (first, shift) = (bit / 64, (bit % 64) as u32);
            if first < 8 {
                let mut cut = output[first].shift_right(shift);
                if shift > 0 && first + 1 < 8 {
                    cut = cut.or(output[first + 1].shift_left(64 - shift));
                }
                *word = word.replace(lanes, cut);
            }
        }
    }
    leaf
}
