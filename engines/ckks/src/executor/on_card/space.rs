// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The free ranges of a card's memory.

use crate::card::isa::TRANSFER_BYTES;

/// Free ranges in ascending order of addresses. No two are adjacent.
#[derive(Clone, Debug)]
pub(super) struct Space {
    holes: Vec<Hole>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Hole {
    address: u64,
    bytes: u64,
}

impl Space {
    /// All whole transfers from `address` to `end`.
    pub fn new(address: u64, end: u64) -> Self {
        let bytes = end.saturating_sub(address) / TRANSFER_BYTES as u64 * TRANSFER_BYTES as u64;
        let hole = Hole { address, bytes };
        Self { holes: Some(hole).filter(|hole| hole.bytes > 0).into_iter().collect() }
    }

    /// The number of free bytes, possibly in several ranges.
    #[cfg(test)]
    pub fn free_bytes(&self) -> u64 {
        self.holes.iter().map(|hole| hole.bytes).sum()
    }

    /// Takes bytes, a multiple of a transfer, from the smallest range that has them.
    pub fn take(&mut self, bytes: u64) -> Option<u64> {
        let fits = self.holes.iter().enumerate().filter(|(_, hole)| hole.bytes >= bytes);
        let index = fits.min_by_key(|(_, hole)| hole.bytes)?.0;
        let hole = &mut self.holes[index];
        let address = hole.address;
        (hole.address, hole.bytes) = (address + bytes, hole.bytes - bytes);
        if hole.bytes == 0 {
            self.holes.remove(index);
        }
        Some(address)
    }

    /// Frees a range.
    pub fn give(&mut self, address: u64, bytes: u64) {
        if bytes == 0 {
            return;
        }
        let index = self.holes.partition_point(|hole| hole.address < address);
        self.holes.insert(index, Hole { address, bytes });
        // Merge with the next range first: the index of the previous one does not change.
        for first in [Some(index), index.checked_sub(1)].into_iter().flatten() {
            let [a, b] = [first, first + 1].map(|index| self.holes.get(index).copied());
            if let (Some(a), Some(b)) = (a, b) {
                if a.address + a.bytes == b.address {
                    self.holes[first].bytes += b.bytes;
                    self.holes.remove(first + 1);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_smallest_place_that_fits_is_taken_and_neighbors_grow_together() {
        let mut space = Space::new(64, 1024);
        let places = [64, 128, 64, 256].map(|bytes| space.take(bytes).unwrap());
        assert_eq!(places, [64, 128, 256, 320]);
        space.give(128, 128);
        space.give(64, 64);
        assert_eq!((space.free_bytes(), space.holes.len()), (640, 2));
        // 448 bytes are at the end, 192 at the beginning.
        assert_eq!(space.take(192), Some(64));
        assert_eq!(space.take(512), None);
        space.give(64, 192);
        space.give(256, 64);
        space.give(320, 256);
        assert_eq!(space.holes, [Hole { address: 64, bytes: 960 }]);
    }

    proptest! {
        #[test]
        fn nothing_is_given_out_twice_and_nothing_is_lost(
            requests in prop::collection::vec((1u64..20, any::<bool>(), any::<prop::sample::Index>()), 1..200)
        ) {
            let mut space = Space::new(64, 64 + 100 * 64);
            let mut taken: Vec<(u64, u64)> = Vec::new();
            for (units, is_given, which) in requests {
                if is_given && !taken.is_empty() {
                    let (address, bytes) = taken.swap_remove(which.index(taken.len()));
                    space.give(address, bytes);
                } else if let Some(address) = space.take(64 * units) {
                    for (other, bytes) in &taken {
                        prop_assert!(address + 64 * units <= *other || other + bytes <= address);
                    }
                    taken.push((address, 64 * units));
                }
                let sum: u64 = taken.iter().map(|(_, bytes)| bytes).sum();
                prop_assert_eq!(space.free_bytes() + sum, 6400);
                let ends = space.holes.windows(2).all(|pair| {
                    pair[0].address + pair[0].bytes < pair[1].address
                });
                prop_assert!(ends, "adjacent ranges are not merged: {:?}", space.holes);
            }
        }
    }
}
