// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The clocks in which a unit is free, while a schedule is made.

/// Gaps that are kept; the oldest are given up.
const MAX_GAPS: usize = 256;
/// Gaps of fewer clocks are given up.
const LEAST_GAP: u64 = 16;

/// A unit's free clocks: gaps, and all from some clock on.
#[derive(Clone, Debug, Default)]
pub(super) struct FreeClocks {
    /// From and to.
    gaps: Vec<(u64, u64)>,
    end: u64,
}

impl FreeClocks {
    /// Takes the first clocks from `ready` on in which the unit is free that long: gives where they
    /// begin. What is left free before them is a multiple of `grain` clocks.
    pub fn take(&mut self, ready: u64, clocks: u64, grain: u64) -> u64 {
        let Some((index, start)) = self.gap(ready, clocks, grain) else {
            return self.take_last(aligned(self.end, ready, grain), clocks);
        };
        let (from, to) = self.gaps[index];
        let before = (from, start);
        let behind = (start + clocks, to);
        let is_kept = |gap: &(u64, u64)| gap.1 - gap.0 >= LEAST_GAP;
        let kept = [before, behind].into_iter().filter(is_kept);
        self.gaps.splice(index..=index, kept.collect::<Vec<_>>());
        start
    }

    /// Where clocks that are taken would begin.
    pub fn first(&self, ready: u64, clocks: u64, grain: u64) -> u64 {
        let last = || self.end.max(aligned(self.end, ready, grain));
        self.gap(ready, clocks, grain).map_or_else(last, |(_, start)| start)
    }

    /// The first gap with room, and where in it.
    fn gap(&self, ready: u64, clocks: u64, grain: u64) -> Option<(usize, u64)> {
        let first = self.gaps.partition_point(|(_, to)| *to < ready + clocks);
        (first..self.gaps.len()).find_map(|index| {
            let (from, to) = self.gaps[index];
            let start = aligned(from, ready, grain);
            (start + clocks <= to).then_some((index, start))
        })
    }

    /// The same behind all that the unit does.
    pub fn append(&mut self, ready: u64, clocks: u64) -> u64 {
        self.take_last(ready, clocks)
    }

    fn take_last(&mut self, ready: u64, clocks: u64) -> u64 {
        let start = self.end.max(ready);
        if start >= self.end + LEAST_GAP {
            self.gaps.push((self.end, start));
            if self.gaps.len() > MAX_GAPS {
                self.gaps.drain(..MAX_GAPS / 4);
            }
        }
        self.end = start + clocks;
        start
    }
}

/// The first clock from `ready` on that is a multiple of `grain` behind `from`.
fn aligned(from: u64, ready: u64, grain: u64) -> u64 {
    from + ready.saturating_sub(from).next_multiple_of(grain)
}
