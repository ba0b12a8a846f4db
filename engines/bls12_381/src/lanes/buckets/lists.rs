// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Lists of points that are summed pairwise, all lists in parallel.

use super::additions::{Pair, PointUnit};

/// The entries of all lists, consecutively.
#[derive(Clone, Debug, Default)]
pub struct Lists {
    /// The end of each list.
    pub ends: Vec<u32>,
    pub entries: Vec<PointUnit>,
}

/// Allocates places for sums: the place of a sum that is no longer needed, or one after all others.
pub struct Slots {
    /// The first unit of the sums of these lists. Each sum is in one list.
    first: u32,
    next: u32,
}

impl Slots {
    /// Creates an allocator that starts at a unit.
    pub const fn after(unit: u32) -> Self {
        Self { first: unit, next: unit }
    }

    /// Returns the unit after the last one.
    pub const fn next(&self) -> u32 {
        self.next
    }

    fn of(&mut self, points: [PointUnit; 2]) -> PointUnit {
        for point in points {
            if point.x() >= self.first {
                return point;
            }
        }
        let place = PointUnit::new(self.next, false);
        self.next += 2;
        place
    }
}

impl Lists {
    /// Ends the list to which entries were added.
    pub fn end(&mut self) {
        self.ends.push(self.entries.len() as u32);
    }
}

/// A list within the entries of all lists.
#[derive(Clone, Copy, Debug)]
struct Span {
    first: u32,
    count: u32,
    list: u32,
}

/// Lists that are being summed, the longest first: the processor predicts loops over lists of equal
/// length.
pub struct Sums {
    entries: Vec<PointUnit>,
    spans: Vec<Span>,
    /// The number of leading lists that may have two entries or more; the others have fewer.
    active: usize,
}

impl Sums {
    pub fn new(lists: Lists) -> Self {
        let Lists { ends, entries } = lists;
        // Longer lists count as this long when they are sorted.
        const MOST: usize = 255;
        let mut places = [0u32; MOST + 1];
        let mut first = 0;
        for end in &ends {
            places[MOST - ((end - first) as usize).min(MOST)] += 1;
            first = *end;
        }
        let mut sum = 0;
        for place in &mut places {
            (*place, sum) = (sum, sum + *place);
        }
        let mut spans = vec![Span { first: 0, count: 0, list: 0 }; ends.len()];
        first = 0;
        for (list, end) in ends.iter().enumerate() {
            let count = end - first;
            let place = &mut places[MOST - (count as usize).min(MOST)];
            spans[*place as usize] = Span { first, count, list: list as u32 };
            *place += 1;
            first = *end;
        }
        Self { entries, active: spans.len(), spans }
    }

    /// Pairs the entries of each list, and replaces them by their sums. If the number of entries is
    /// odd, the last one remains.
    pub fn pair_up(&mut self, slots: &mut Slots, pairs: &mut Vec<Pair>) {
        while self.active > 0 && self.spans[self.active - 1].count < 2 {
            self.active -= 1;
        }
        for span in &mut self.spans[..self.active] {
            let entries = &mut self.entries[span.first as usize..][..span.count as usize];
            let half = entries.len() / 2;
            for number in 0..half {
                let points = [entries[2 * number], entries[2 * number + 1]];
                let sum = slots.of(points);
                pairs.push(Pair { points, sum });
                entries[number] = sum;
            }
            if entries.len() % 2 == 1 {
                entries[half] = entries[2 * half];
            }
            span.count = span.count.div_ceil(2);
        }
    }

    /// Removes sums that are infinity.
    pub fn remove(&mut self, mut infinite: Vec<PointUnit>) {
        if infinite.is_empty() {
            return;
        }
        infinite.sort_unstable();
        for span in &mut self.spans {
            let entries = &mut self.entries[span.first as usize..][..span.count as usize];
            let mut written = 0;
            for read in 0..entries.len() {
                let entry = entries[read];
                if infinite.binary_search(&entry).is_err() {
                    entries[written] = entry;
                    written += 1;
                }
            }
            span.count = written as u32;
        }
    }

    /// Returns the remaining entry of each list.
    pub fn finish(&self) -> Vec<Option<PointUnit>> {
        let mut sums = vec![None; self.spans.len()];
        for Span { first, count, list } in &self.spans {
            if *count > 0 {
                sums[*list as usize] = Some(self.entries[*first as usize]);
            }
        }
        sums
    }
}

/// Points with factors: Σ v·2^shift·sums\[v\].
#[derive(Clone, Debug)]
pub struct Weighted {
    pub shift: u32,
    /// The entry at index 0 does not count.
    pub sums: Vec<Option<PointUnit>>,
}

impl Weighted {
    /// Returns the largest factor.
    fn most(&self) -> usize {
        self.sums.len() - 1
    }

    /// Returns `true` if the only factor is 1.
    pub fn is_one_bit(&self) -> bool {
        self.most() == 1
    }
}

/// Splits each sum into two with factors of half the bits: with v = h·2ᵏ + l, these are Σ h·2ᵏ·(the
/// points of h) and Σ l·(the points of l). Returns the lists to sum, and the shapes with which
/// [`of_shapes`] turns their sums into weighted sums.
pub fn halves(all: &[Weighted]) -> (Lists, Vec<Shape>) {
    let (mut lists, mut shapes) = (Lists::default(), Vec::new());
    for weighted in all.iter().filter(|weighted| !weighted.is_one_bit()) {
        let most = weighted.most();
        let low_bits = most.ilog2().div_ceil(2);
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

/// The number of consecutive lists that form one sum with the factors 1, 2, 3, …
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub shift: u32,
    pub lists: usize,
}

/// Combines the sums of lists by their shapes.
pub fn of_shapes(shapes: &[Shape], sums: &[Option<PointUnit>]) -> Vec<Weighted> {
    let mut rest = sums;
    let weighted = |shape: &Shape| {
        let (sums, after) = rest.split_at(shape.lists);
        rest = after;
        Weighted { shift: shape.shift, sums: [&[None], sums].concat() }
    };
    shapes.iter().map(weighted).collect()
}
