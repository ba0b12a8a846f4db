// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Lists of points that are summed up, two and two, all lists side by side.

use super::additions::{Pair, Place};

/// Lists, one behind the other.
#[derive(Clone, Debug, Default)]
pub struct Lists {
    /// Where each list ends.
    pub ends: Vec<u32>,
    pub entries: Vec<Place>,
}

/// Where sums go: in the place of a sum that is not needed any more, or after all others.
pub struct Slots {
    /// Sums of these lists begin here; each is in one list.
    first: u32,
    next: u32,
}

impl Slots {
    /// From a unit on.
    pub const fn after(unit: u32) -> Self {
        Self { first: unit, next: unit }
    }

    /// The unit after the last one.
    pub const fn next(&self) -> u32 {
        self.next
    }

    fn of(&mut self, points: [Place; 2]) -> Place {
        for point in points {
            if point.x() >= self.first {
                return point;
            }
        }
        let place = Place::new(self.next, false);
        self.next += 2;
        place
    }
}

impl Lists {
    /// Ends the list that entries were added to.
    pub fn end(&mut self) {
        self.ends.push(self.entries.len() as u32);
    }

    /// Pairs each list's entries up, and puts the sums in their stead; of an odd number the last one
    /// remains.
    pub fn pair_up(&mut self, slots: &mut Slots, pairs: &mut Vec<Pair>) {
        let (mut read, mut written) = (0, 0);
        for end in &mut self.ends {
            let last = *end as usize;
            while read + 1 < last {
                let points = [self.entries[read], self.entries[read + 1]];
                let sum = slots.of(points);
                pairs.push(Pair { points, sum });
                self.entries[written] = sum;
                written += 1;
                read += 2;
            }
            if read < last {
                self.entries[written] = self.entries[read];
                written += 1;
                read += 1;
            }
            *end = written as u32;
        }
        self.entries.truncate(written);
    }

    /// Removes sums that are infinity.
    pub fn remove(&mut self, mut infinite: Vec<Place>) {
        if infinite.is_empty() {
            return;
        }
        infinite.sort_unstable();
        let (mut read, mut written) = (0, 0);
        for end in &mut self.ends {
            while read < *end as usize {
                let entry = self.entries[read];
                if infinite.binary_search(&entry).is_err() {
                    self.entries[written] = entry;
                    written += 1;
                }
                read += 1;
            }
            *end = written as u32;
        }
        self.entries.truncate(written);
    }

    /// What is left of each list.
    pub fn sums(&self) -> Vec<Option<Place>> {
        let mut sums = Vec::with_capacity(self.ends.len());
        let mut first = 0;
        for end in &self.ends {
            sums.push((first < *end).then(|| self.entries[first as usize]));
            first = *end;
        }
        sums
    }
}

/// Points with factors: Σ v·2^shift·sums\[v\].
#[derive(Clone, Debug)]
pub struct Weighted {
    pub shift: u32,
    /// That of 0 does not count.
    pub sums: Vec<Option<Place>>,
}

impl Weighted {
    /// The largest factor.
    fn most(&self) -> usize {
        self.sums.len() - 1
    }

    /// Whether there is no factor but 1.
    pub fn is_one_bit(&self) -> bool {
        self.most() == 1
    }
}

/// Each sum as two of factors with half the bits, v = h·2ᵏ + l: Σ h·2ᵏ·(the points of h) and Σ l·(the
/// points of l). What to sum up for that, and the function's own inverse.
pub fn halves(all: &[Weighted]) -> (Lists, Vec<Shape>) {
    let (mut lists, mut shapes) = (Lists::default(), Vec::new());
    for weighted in all.iter().filter(|weighted| !weighted.is_one_bit()) {
        let most = weighted.most();
        let low_bits = (most.ilog2() + 1) / 2;
        let (low_count, high_most) = (1 << low_bits, most >> low_bits);
        for low in 1..low_count {
            let sums = weighted.sums[low..].iter().step_by(low_count);
            lists.entries.extend(sums.flatten());
            lists.end();
        }
        shapes.push(Shape { shift: weighted.shift, lists: low_count - 1 });
        for high in 1..=high_most {
            let values = high << low_bits..((high + 1) << low_bits).min(most + 1);
            lists.entries.extend(weighted.sums[values].iter().flatten());
            lists.end();
        }
        shapes.push(Shape { shift: weighted.shift + low_bits, lists: high_most });
    }
    (lists, shapes)
}

/// Which lists are one sum with factors 1, 2, 3, ….
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub shift: u32,
    pub lists: usize,
}

/// The sums of lists, by shapes.
pub fn of_shapes(shapes: &[Shape], sums: &[Option<Place>]) -> Vec<Weighted> {
    let mut rest = sums;
    let weighted = |shape: &Shape| {
        let (sums, after) = rest.split_at(shape.lists);
        rest = after;
        Weighted { shift: shape.shift, sums: [&[None], sums].concat() }
    };
    shapes.iter().map(weighted).collect()
}
