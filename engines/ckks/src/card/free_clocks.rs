// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The clocks in which a unit is free, while a schedule is made.

/// The maximal number of kept gaps; the oldest are discarded.
const MAX_GAPS: usize = 256;
/// Shorter gaps are discarded.
const LEAST_GAP: u64 = 16;

/// The free clocks of a unit: gaps, and all clocks from `end` on.
#[derive(Clone, Debug, Default)]
pub(super) struct FreeClocks {
    /// The first clock and the end of each gap.
    gaps: Vec<(u64, u64)>,
    end: u64,
}

impl FreeClocks {
    /// Reserves the first `clocks` free clocks from `ready` on, and returns their start. The free
    /// clocks left before them are a multiple of `grain`.
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

    /// Returns the start that a reservation would have.
    pub fn first(&self, ready: u64, clocks: u64, grain: u64) -> u64 {
        let last = || self.end.max(aligned(self.end, ready, grain));
        self.gap(ready, clocks, grain).map_or_else(last, |(_, start)| start)
    }

    /// Returns the first gap with room, and the start in it.
    fn gap(&self, ready: u64, clocks: u64, grain: u64) -> Option<(usize, u64)> {
        let first = self.gaps.partition_point(|(_, to)| *to < ready + clocks);
        (first..self.gaps.len()).find_map(|index| {
            let (from, to) = self.gaps[index];
            let start = aligned(from, ready, grain);
            (start + clocks <= to).then_some((index, start))
        })
    }

    /// Reserves clocks after everything else that the unit does.
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

/// The first clock from `ready` on whose distance from `from` is a multiple of `grain`.
fn aligned(from: u64, ready: u64, grain: u64) -> u64 {
    from + ready.saturating_sub(from).next_multiple_of(grain)
}
