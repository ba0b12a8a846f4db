// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points in memory, in rows that any lane can load, and sums of lists of them.

use std::marker::PhantomData;

use blst::blst_fp;
use halimede_arith::lanes::{run, Kernel};
use halimede_arith::Backend;

use super::additions::{Additions, Pair, PairDifferences, PointUnit, PoolRow, Rows};
use super::curves::{AddPairs, LaneCurve, LoadPoints, StorePoints};
use super::lists::{Lists, Slots, Sums};

/// The machine that runs kernels.
#[derive(Clone, Copy, Debug)]
pub enum Machine {
    /// The lanes of this processor.
    Lanes,
    /// The emulation in Rust.
    #[cfg(test)]
    Emulation,
}

impl Machine {
    /// Runs a kernel; `None` without lanes.
    pub fn run<K: Kernel>(self, kernel: K) -> Option<K::Output> {
        match self {
            Self::Lanes => run(Backend::active(), kernel),
            #[cfg(test)]
            Self::Emulation => Some(halimede_arith::lanes::emulate(Backend::Avx512Ifma, kernel)),
        }
    }
}

/// The number of blocks that share an inversion, which is then less than a twentieth of the cost of
/// their additions. The values that the second pass needs fit in the L2 cache.
const BLOCKS: usize = 128;

/// A pool: the points of a shared table, its own points, then the points that are kept, then those
/// of the current work.
pub struct Pool<'a, C> {
    table: &'a [PoolRow],
    /// All rows except the table's.
    rows: Vec<PoolRow>,
    machine: Machine,
    /// The next unit of a kept point, and the first unit of the current work.
    kept: u32,
    work: u32,
    /// The next unit of the current work.
    next: u32,
    space: Vec<PairDifferences>,
    /// `true` after equal or opposite points were found.
    careful: bool,
    curve: PhantomData<C>,
}

impl<'a, C: LaneCurve> Pool<'a, C> {
    /// Creates a pool whose points are the rows of a table, with capacity for `working` points of
    /// the current work.
    pub fn over(machine: Machine, table: &'a [PoolRow], working: usize) -> Self {
        let first = (table.len() / C::ROWS) as u32;
        Self {
            table,
            rows: Vec::with_capacity(2 * working * C::ROWS),
            machine,
            kept: first,
            work: first,
            next: first,
            space: Vec::new(),
            careful: false,
            curve: PhantomData,
        }
    }

    /// Creates a pool of points, none of them infinity, with room for `room` kept points, and with
    /// capacity for `working` points of the current work. `None` without lanes.
    pub fn new(
        machine: Machine,
        points: &[C::Affine],
        beta: Option<&blst_fp>,
        room: usize,
        working: usize,
    ) -> Option<Self> {
        let units = 4 * points.len() + 2 * (room + working);
        let mut rows = Vec::with_capacity(units * C::ROWS);
        rows.resize(4 * points.len() * C::ROWS, PoolRow::ZERO);
        machine.run(StorePoints::<C> { pool: &mut rows, points, beta })?;
        let kept = 4 * points.len() as u32;
        let work = kept + 2 * room as u32;
        let space = Vec::new();
        let curve = PhantomData;
        let table = &[];
        Some(Self { table, rows, machine, kept, work, next: work, space, careful: false, curve })
    }

    /// Copies a point of the current work to its permanent place.
    pub fn keep(&mut self, place: PointUnit) -> PointUnit {
        let kept = PointUnit::new(self.kept, false);
        self.kept += 2;
        assert!(self.kept <= self.work, "there is room for the kept points");
        self.grow(self.work);
        for (from, to) in [(place.x(), kept.x()), (place.y(), kept.y())] {
            let from = from as usize * C::ROWS - self.table.len();
            let to = to as usize * C::ROWS - self.table.len();
            self.rows.copy_within(from..from + C::ROWS, to);
        }
        kept
    }

    /// Forgets the points of the current work.
    pub fn clear_work(&mut self) {
        self.next = self.work;
    }

    fn grow(&mut self, units: u32) {
        let rows = units as usize * C::ROWS - self.table.len();
        if self.rows.len() < rows {
            self.rows.resize(rows, PoolRow::ZERO);
        }
    }

    /// Returns the sum of each list, `None` for infinity. Returns `None` as a whole without lanes.
    pub fn sums(&mut self, lists: Lists) -> Option<Vec<Option<PointUnit>>> {
        let mut slots = Slots::after(self.next);
        let mut pairs = Vec::with_capacity(lists.entries.len() / 2);
        let mut sums = Sums::new(lists);
        loop {
            pairs.clear();
            sums.pair_up(&mut slots, &mut pairs);
            if pairs.is_empty() {
                break;
            }
            self.next = slots.next();
            self.grow(self.next);
            let infinite = self.add(&pairs)?;
            sums.remove(infinite);
        }
        Some(sums.finish())
    }

    /// Adds pairs. Returns the places of sums that are infinity.
    fn add(&mut self, pairs: &[Pair]) -> Option<Vec<PointUnit>> {
        let blocks = pairs.len().div_ceil(C::POINTS);
        // Each inversion gets about the same number of blocks.
        let share = blocks.div_ceil(blocks.div_ceil(BLOCKS));
        if self.space.len() < share {
            self.space.resize(share, PairDifferences::EMPTY);
        }
        let mut infinite = Vec::new();
        for pairs in pairs.chunks(share * C::POINTS) {
            let found = match self.add_share(pairs)? {
                Some(found) => found,
                None => {
                    self.careful = true;
                    self.add_share(pairs)?.unwrap_or_default()
                }
            };
            infinite.extend(found.iter().map(|pair| pairs[*pair as usize].sum));
        }
        Some(infinite)
    }

    fn add_share(&mut self, pairs: &[Pair]) -> Option<Option<Vec<u32>>> {
        let additions = Additions {
            table: self.table,
            pool: &mut self.rows,
            pairs,
            kept: &mut self.space,
            careful: self.careful,
        };
        self.machine.run(AddPairs::<C>(additions, PhantomData))
    }

    /// Returns the points at places.
    pub fn points(&self, places: &[PointUnit]) -> Option<Vec<C::Affine>> {
        let pool = Rows { table: self.table, own: &self.rows };
        self.machine.run(LoadPoints::<C> { pool, places, curve: PhantomData })
    }
}
