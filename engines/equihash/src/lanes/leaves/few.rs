// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Leaves of parameters with few hashes, each of which is computed once.
//!
//! The 32 indices of a (48, 5) solution lie in 52 hashes: 24 distinct ones on average. Lanes would
//! gain nothing, because those of a register are hashed together anyway. Instead a few hashes are
//! computed side by side, those that are needed next.

use crate::lanes::job::Job;
#[cfg(not(all(target_arch = "x86_64", not(feature = "pure"))))]
use crate::lanes::rounds;
use crate::Params;

use super::{Leaf, Leaves, Output};

#[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
use crate::lanes::three::{hashes, TOGETHER};

/// The most hashes that are kept.
const MOST_HASHES: usize = 64;

/// The number of hashes of a short block that are computed together.
#[cfg(not(all(target_arch = "x86_64", not(feature = "pure"))))]
const TOGETHER: usize = 1;

/// Computes the hashes with these second words.
#[cfg(not(all(target_arch = "x86_64", not(feature = "pure"))))]
fn hashes(
    short: &crate::midstate::Short,
    second_words: [u64; TOGETHER],
) -> [Output<u64>; TOGETHER] {
    second_words.map(|word| rounds::short(short, word))
}

/// Leaves whose hashes are kept.
pub(in crate::lanes) struct Few<'j> {
    job: Job<'j>,
    params: Params,
    outputs: [Output<u64>; MOST_HASHES],
    /// A bit for each hash that has been computed.
    made: u64,
    /// The first position in the indices whose hash may not have been computed yet.
    ahead: usize,
}

impl<'j> Few<'j> {
    /// Returns `true` if these parameters have few enough hashes.
    pub(in crate::lanes) fn are_enough(params: Params) -> bool {
        let indices = 1u64 << params.index_bits();
        indices.div_ceil(u64::from(params.leaves_per_hash())) <= MOST_HASHES as u64
    }

    /// Creates an empty set of hashes, for parameters with few hashes.
    pub(in crate::lanes) fn new(job: Job<'j>, params: Params) -> Self {
        assert!(Self::are_enough(params), "too many hashes");
        Self { job, params, outputs: [[0; 8]; MOST_HASHES], made: 0, ahead: 0 }
    }

    #[inline(always)]
    fn leaf<const WORDS: usize>(&mut self, index: u32) -> Leaf<u64, WORDS> {
        let number = self.number(index);
        if self.is_new(number) {
            self.make(number);
        }
        cut(self.params, &self.outputs[number], index % self.params.leaves_per_hash())
    }

    /// Returns the number of an index' hash.
    #[inline(always)]
    fn number(&self, index: u32) -> usize {
        (index / self.params.leaves_per_hash()) as usize % MOST_HASHES
    }

    #[inline(always)]
    fn is_new(&self, number: usize) -> bool {
        self.made >> number & 1 == 0
    }

    /// Computes a hash together with those that are needed next.
    #[inline(always)]
    fn make(&mut self, number: usize) {
        let Some(short) = self.job.puzzle.short() else {
            return self.make_alone(number);
        };
        self.made |= 1 << number;
        let (mut numbers, mut count) = ([number; TOGETHER], 1);
        while let (true, Some(index)) = (count < TOGETHER, self.job.indices.get(self.ahead)) {
            let next = self.number(*index);
            if self.is_new(next) {
                self.made |= 1 << next;
                numbers[count] = next;
                count += 1;
            }
            self.ahead += 1;
        }
        if count == 1 {
            return self.make_alone(number);
        }
        let second_word = |number: usize| (number as u64) << short.shift | short.second_word;
        let outputs = hashes(short, numbers.map(second_word));
        for (number, output) in numbers.into_iter().zip(outputs) {
            self.outputs[number] = output;
        }
    }

    #[inline(always)]
    fn make_alone(&mut self, number: usize) {
        self.made |= 1 << number;
        self.job.puzzle.hash(number as u64, &mut self.outputs[number]);
    }
}

impl<const WORDS: usize> Leaves<u64, WORDS> for Few<'_> {
    #[inline(always)]
    unsafe fn two(&mut self, indices: *const u32) -> [Leaf<u64, WORDS>; 2] {
        // SAFETY: the caller guarantees that the indices can be read.
        let [one, other] = unsafe { [*indices, *indices.add(1)] };
        [self.leaf(one), self.leaf(other)]
    }
}

/// Cuts a part from an output.
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
