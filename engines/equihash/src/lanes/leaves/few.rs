// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Leaves of parameters with few hashes, of which each is made once.
//!
//! The 32 indices of a (48, 5) solution lie in 52 hashes: 24 different ones on average. Lanes would
//! gain nothing, since those of a register are hashed together anyway.

use crate::puzzle::Puzzle;
use crate::Params;

use super::{Leaf, Leaves, Output};
use crate::lanes::rounds;

/// Most hashes that are kept.
const MOST_HASHES: usize = 64;

/// Leaves whose hashes are kept.
pub(in crate::lanes) struct Few<'p> {
    puzzle: &'p Puzzle,
    params: Params,
    outputs: [Output<u64>; MOST_HASHES],
    /// A bit for each hash that has been made.
    made: u64,
}

impl<'p> Few<'p> {
    /// Whether these parameters have as few hashes.
    pub(in crate::lanes) fn are_enough(params: Params) -> bool {
        let indices = 1u64 << params.index_bits();
        indices.div_ceil(u64::from(params.leaves_per_hash())) <= MOST_HASHES as u64
    }

    /// Of parameters with few hashes.
    pub(in crate::lanes) fn new(puzzle: &'p Puzzle, params: Params) -> Self {
        assert!(Self::are_enough(params), "too many hashes");
        Self { puzzle, params, outputs: [[0; 8]; MOST_HASHES], made: 0 }
    }

    #[inline(always)]
    fn leaf<const WORDS: usize>(&mut self, index: u32) -> Leaf<u64, WORDS> {
        let leaves = self.params.leaves_per_hash();
        let number = (index / leaves) as usize % MOST_HASHES;
        if self.made >> number & 1 == 0 {
            self.made |= 1 << number;
            rounds::one(self.puzzle, number as u64, &mut self.outputs[number]);
        }
        cut(self.params, &self.outputs[number], index % leaves)
    }
}

impl<const WORDS: usize> Leaves<u64, WORDS> for Few<'_> {
    #[inline(always)]
    unsafe fn two(&mut self, indices: *const u32) -> [Leaf<u64, WORDS>; 2] {
        // SAFETY: the caller has them readable.
        let [one, other] = unsafe { [*indices, *indices.add(1)] };
        [self.leaf(one), self.leaf(other)]
    }
}

/// A part of an output.
#[inline(always)]
fn cut<const WORDS: usize>(params: Params, output: &Output<u64>, part: u32) -> Leaf<u64, WORDS> {
    let mut leaf = [0; WORDS];
    for (place, word) in leaf.iter_mut().enumerate() {
        let bit = (part * params.n()) as usize + 64 * place;
        let (first, shift) = (bit / 64, bit % 64);
        let behind = output.get(first + 1).copied().unwrap_or(0);
        let both = u128::from(behind) << 64 | u128::from(output.get(first).copied().unwrap_or(0));
        *word = (both >> shift) as u64;
    }
    leaf
}
