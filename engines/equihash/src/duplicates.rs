// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A test for duplicate indices in a solution.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::OnceLock;

/// The number of slots of a table for each index.
const SLOTS_AN_INDEX: usize = 8;
/// The most indices that a table is used for: slots and positions are 16-bit words.
const MOST_INDICES: usize = (1 << 16) / SLOTS_AN_INDEX;
/// The number of passes after which the rest is sorted. The first pass leaves at most one in eight
/// indices on average, whatever the indices are, since nobody knows the multipliers; of random
/// indices it leaves one in sixteen.
const TURNS: usize = 4;

/// The reusable buffers of the test.
#[derive(Default)]
pub(crate) struct Duplicates {
    /// For each slot, the last position written to it.
    table: Option<Box<[u16; 1 << 16]>>,
    /// The slot of each index.
    slots: Vec<u16>,
    /// The positions that this pass leaves to the next one.
    left: Vec<u16>,
    rest: Vec<u32>,
}

impl Duplicates {
    /// Returns `true` if an index occurs twice.
    ///
    /// Every position is written to the slot of its index, and then read back. A different position
    /// in the slot holds either the same index or an index that shares the slot. In the latter case
    /// the position is left to the next pass, with another multiplier. The buffers need no
    /// clearing.
    pub(crate) fn any(&mut self, indices: &[u32]) -> bool {
        if indices.len() > MOST_INDICES {
            return has_twins(&mut indices.to_vec());
        }
        let table = self.table.get_or_insert_with(|| Box::new([0; 1 << 16]));
        let bits = (SLOTS_AN_INDEX * indices.len()).next_power_of_two().trailing_zeros();
        let multipliers = multipliers();
        self.slots.resize(indices.len(), 0);
        for (slot, index) in self.slots.iter_mut().zip(indices) {
            *slot = slot_of(*index, multipliers[0], bits);
        }
        for (position, slot) in self.slots.iter().enumerate() {
            table[usize::from(*slot)] = position as u16;
        }
        self.left.resize(indices.len(), 0);
        let mut count = 0;
        for (position, slot) in self.slots.iter().enumerate() {
            self.left[count] = position as u16;
            count += usize::from(usize::from(table[usize::from(*slot)]) != position);
        }
        self.left.truncate(count);
        for multiplier in &multipliers[1..] {
            for position in &self.left {
                let position = usize::from(*position);
                let found = usize::from(table[usize::from(self.slots[position])]);
                if indices[found] == indices[position] {
                    return true;
                }
            }
            if self.left.is_empty() {
                return false;
            }
            for position in &self.left {
                let slot = slot_of(indices[usize::from(*position)], *multiplier, bits);
                self.slots[usize::from(*position)] = slot;
                table[usize::from(slot)] = *position;
            }
            let slots = &self.slots;
            let is_left =
                |position: &u16| table[usize::from(slots[usize::from(*position)])] != *position;
            self.left.retain(is_left);
        }
        // The position found in the slot of a remaining one remains as well, or its index has no
        // duplicate among the remaining ones.
        self.rest.clear();
        for position in &self.left {
            let position = usize::from(*position);
            let found = usize::from(table[usize::from(self.slots[position])]);
            if indices[found] == indices[position] {
                return true;
            }
            self.rest.push(indices[position]);
        }
        has_twins(&mut self.rest)
    }
}

/// The upper bits of a product.
#[inline(always)]
fn slot_of(index: u32, multiplier: u32, bits: u32) -> u16 {
    (index.wrapping_mul(multiplier) >> (u32::BITS - bits)) as u16
}

fn has_twins(indices: &mut [u32]) -> bool {
    indices.sort_unstable();
    indices.windows(2).any(|pair| pair[0] == pair[1])
}

/// Returns odd multipliers that the author of a solution cannot know. Two different indices then
/// share a slot with a probability of at most 2 / slots (Dietzfelbinger, Hagerup, Katajainen,
/// Penttonen 1997, "A reliable randomized algorithm for the closest-pair problem").
fn multipliers() -> &'static [u32; TURNS] {
    static MULTIPLIERS: OnceLock<[u32; TURNS]> = OnceLock::new();
    MULTIPLIERS.get_or_init(|| {
        let state = RandomState::new();
        [0, 1, 2, 3].map(|turn: u32| state.hash_one(turn) as u32 | 1)
    })
}

#[cfg(test)]
mod tests {
    use rand::seq::SliceRandom;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    #[test]
    fn twins_are_found_wherever_they_stand() {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let mut duplicates = Duplicates::default();
        // An interpreter takes minutes for a thousand indices.
        let counts = if cfg!(miri) { 2 } else { 6 };
        for count in [8, 32, 512, 4096, 8192, 16_384].into_iter().take(counts) {
            for case in 0..if count > 512 { 20 } else { 300 } {
                // Random indices, consecutive ones, and ones that differ only in their high bits.
                let mut indices: Vec<u32> = match case % 3 {
                    0 => rand::seq::index::sample(&mut random, 1 << 21, count).into_vec(),
                    1 => (7..7 + count).collect(),
                    _ => (0..count).map(|number| number << 8 | 5).collect(),
                }
                .into_iter()
                .map(|index| index as u32)
                .collect();
                indices.shuffle(&mut random);
                assert!(!duplicates.any(&indices), "{count}, {case}");
                let [one, other] = [random.gen_range(0..count), random.gen_range(1..count)];
                let other = (one + other) % count;
                indices[one] = indices[other];
                assert!(duplicates.any(&indices), "{count}, {case}: {one} and {other}");
            }
            assert!(duplicates.any(&vec![random.gen(); count]));
        }
    }

    /// Indices that share a slot in every pass: the rest is sorted.
    #[test]
    #[cfg_attr(miri, ignore = "an interpreter takes hours for the search")]
    fn indices_that_know_the_multipliers_are_told_apart() {
        let mut random = ChaCha8Rng::seed_from_u64(2);
        let bits = 9;
        let is_zero = |index: &u32| {
            multipliers().iter().all(|multiplier| slot_of(*index, *multiplier, bits) >> 4 == 0)
        };
        let of_few_slots: Vec<u32> = (0..u32::MAX).filter(is_zero).take(64).collect();
        assert_eq!(of_few_slots.len(), 64);
        let mut duplicates = Duplicates::default();
        assert!(!duplicates.any(&of_few_slots));
        for _ in 0..200 {
            let mut indices = of_few_slots.clone();
            indices.shuffle(&mut random);
            let [one, other] = [random.gen_range(0..64), random.gen_range(1..64)];
            indices[one] = indices[(one + other) % 64];
            assert!(duplicates.any(&indices));
        }
    }
}
