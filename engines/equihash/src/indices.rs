// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a solution's indices say without a hash: their order, and whether one stands twice.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::OnceLock;

/// Whether at every node of the tree the left subtree's first index is the smaller one.
#[inline]
pub(crate) fn are_ordered(indices: &[u32]) -> bool {
    // A right subtree of 2^j leaves begins where the position's lowest set bit is 2^j, and its
    // left one begins 2^j before.
    let mut is_wrong = false;
    for (position, index) in indices.iter().enumerate().skip(1) {
        is_wrong |= indices[position & (position - 1)] >= *index;
    }
    !is_wrong
}

/// Slots of a table for each index.
const SLOTS_AN_INDEX: usize = 8;
/// Most indices that a table is used for: positions are 16-bit words.
const MOST_INDICES: usize = 1 << 12;
/// Turns after which the rest is sorted. With eight slots an index the first leaves one in sixteen
/// on average, whatever the indices are, since nobody knows the multipliers.
const TURNS: usize = 4;

/// Finds an index that stands twice.
#[derive(Default)]
pub(crate) struct Duplicates {
    /// A position for each slot: that of the last index that was put there.
    table: Vec<u16>,
    /// Positions that are left, and those that the next turn leaves.
    left: Vec<u16>,
    rest: Vec<u32>,
}

impl Duplicates {
    /// Whether an index stands twice.
    ///
    /// Every position is written to its index' slot, and then read back: where another position
    /// is found, it holds the same index, or another one that falls into the same slot. The latter
    /// goes into the next turn, with another multiplier. Nothing need be cleared.
    pub(crate) fn any(&mut self, indices: &[u32]) -> bool {
        if indices.len() > MOST_INDICES {
            return has_twins(&mut indices.to_vec());
        }
        let bits = (SLOTS_AN_INDEX * indices.len()).next_power_of_two().trailing_zeros();
        self.table.resize(1 << bits, 0);
        self.left.resize(indices.len(), 0);
        let (table, left) = (&mut self.table[..], &mut self.left[..]);
        let multipliers = multipliers();
        let slot = |index: u32, turn: usize| {
            (index.wrapping_mul(multipliers[turn]) >> (u32::BITS - bits)) as usize
        };
        for (position, index) in indices.iter().enumerate() {
            table[slot(*index, 0)] = position as u16;
        }
        let (mut count, mut has_twin) = (0, false);
        for (position, index) in indices.iter().enumerate() {
            let found = table[slot(*index, 0)];
            let is_other = usize::from(found) != position;
            left[count] = position as u16;
            count += usize::from(is_other);
            has_twin |= is_other && indices[usize::from(found)] == *index;
        }
        for turn in 1..TURNS {
            if has_twin || count == 0 {
                return has_twin;
            }
            for position in &left[..count] {
                table[slot(indices[usize::from(*position)], turn)] = *position;
            }
            let (before, mut place) = (count, 0);
            count = 0;
            while place < before {
                let position = left[place];
                let index = indices[usize::from(position)];
                let found = table[slot(index, turn)];
                has_twin |= found != position && indices[usize::from(found)] == index;
                left[count] = position;
                count += usize::from(found != position);
                place += 1;
            }
        }
        self.rest.clear();
        self.rest.extend(left[..count].iter().map(|position| indices[usize::from(*position)]));
        has_twin || has_twins(&mut self.rest)
    }
}

fn has_twins(indices: &mut [u32]) -> bool {
    indices.sort_unstable();
    indices.windows(2).any(|pair| pair[0] == pair[1])
}

/// Odd numbers that nobody who makes a solution knows: slots are even spread by their products
/// with any two different indices (Dietzfelbinger, Hagerup, Katajainen, Penttonen 1997: two
/// collide with a probability of at most 2 / slots).
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
        for count in [8, 32, 512, 4096, 8192] {
            for case in 0..300 {
                // Random ones, neighbours, and those that differ in their high bits alone.
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
            let same = vec![random.gen(); count];
            assert!(duplicates.any(&same));
        }
    }

    #[test]
    fn every_node_is_compared() {
        let mut random = ChaCha8Rng::seed_from_u64(2);
        for k in 3..11 {
            let count = 1usize << k;
            let ordered: Vec<u32> = (0..count as u32).map(|number| 3 * number + 1).collect();
            assert!(are_ordered(&ordered));
            for position in 1..count {
                // The first index of the left sibling, and what is just above it.
                let sibling = ordered[position & (position - 1)];
                let mut indices = ordered.clone();
                indices[position] = sibling + 1;
                assert!(are_ordered(&indices), "{count}: {position}");
                for wrong in [sibling, random.gen_range(0..=sibling)] {
                    indices[position] = wrong;
                    assert!(!are_ordered(&indices), "{count}: {position}");
                }
            }
        }
    }
}
