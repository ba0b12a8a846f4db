// SPDX-License-Identifier: Apache-2.0 OR MIT
//! When each partition of the scratchpad is read and written, while slots are chosen.
//!
//! A partition reads one row and writes one row per clock. Transforms never wait: another unit that
//! needs a row of the same partition is stalled until their pass has ended. Other units take turns.
//! The cost of a limb in a partition is the number of clocks for which units wait for each other.

use super::model::Card;

/// The unit that reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reader {
    Transform,
    Product,
    Other,
}

/// A share of a limb's rows that are read or written in some clocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    /// The item that reads or writes.
    pub item: usize,
    pub by: Reader,
    pub is_write: bool,
    pub from: u64,
    pub to: u64,
    /// Rows per clock.
    pub share: f32,
}

/// The resolution in clocks.
const BIN: u64 = 128;
/// The share of a product's rows from which on the product counts as present.
const THERE: f32 = 0.02;
/// The cost per clock of a partition that a unit does not use yet: limbs that are needed at
/// different times should share partitions.
const ALONE: f32 = 0.05;
/// The cost of a further limb of a product if one already waits.
const AGAIN: f32 = 0.1;

/// The rows per clock of a partition, in some clocks and one direction.
#[derive(Clone, Copy, Debug, Default)]
struct Load {
    transform: f32,
    product: f32,
    other: f32,
}

impl Load {
    /// The number of waiting clocks per clock that one more reader adds.
    fn cost(&self, access: &Access) -> f32 {
        let is_there = self.product > THERE;
        match access.by {
            Reader::Transform => {
                let waits = f32::from(u8::from(is_there)) + self.other;
                let alone = if self.transform > 0.0 { 0.0 } else { ALONE };
                access.share * (waits.min(2.0) + alone)
            }
            Reader::Product => {
                let (again, alone) = if is_there { (AGAIN, 0.0) } else { (1.0, ALONE) };
                self.transform.min(1.0) * again + alone + access.share * self.other
            }
            Reader::Other => access.share * (self.transform + self.product + self.other).min(1.0),
        }
    }

    fn of(&mut self, by: Reader) -> &mut f32 {
        match by {
            Reader::Transform => &mut self.transform,
            Reader::Product => &mut self.product,
            Reader::Other => &mut self.other,
        }
    }
}

/// The known accesses of all partitions.
#[derive(Clone, Debug)]
pub(super) struct Partitions {
    /// The reads and the writes of each partition, for each bin of clocks.
    loads: Vec<[Load; 2]>,
    count: usize,
}

impl Partitions {
    pub fn new(card: &Card) -> Self {
        Self { loads: Vec::new(), count: 1 << card.log_partitions }
    }

    pub fn count(&self) -> usize {
        self.count
    }

    /// The partition of a slot.
    pub fn of_slot(&self, slot: usize) -> usize {
        slot & (self.count - 1)
    }

    /// The bins of an access, and its clocks in each.
    fn bins(access: &Access) -> impl Iterator<Item = (usize, f32)> {
        let (from, to) = (access.from, access.to.max(access.from + 1));
        (from / BIN..=(to - 1) / BIN).map(move |bin| {
            let clocks = to.min((bin + 1) * BIN) - from.max(bin * BIN);
            (bin as usize, clocks as f32)
        })
    }

    /// The number of clocks for which units would wait due to an access of a limb in a partition.
    pub fn cost(&self, partition: usize, access: &Access) -> f32 {
        let mut cost = 0.0;
        for (bin, clocks) in Self::bins(access) {
            let load = self.loads.get(bin * self.count + partition).copied().unwrap_or_default();
            cost += clocks * load[usize::from(access.is_write)].cost(access);
        }
        cost
    }

    /// Adds or removes an access.
    pub fn add(&mut self, partition: usize, access: &Access, is_added: bool) {
        for (bin, clocks) in Self::bins(access) {
            let at = bin * self.count + partition;
            if self.loads.len() <= at {
                self.loads.resize((bin + 1) * self.count, Default::default());
            }
            let share = access.share * clocks / BIN as f32;
            let load = self.loads[at][usize::from(access.is_write)].of(access.by);
            *load = (*load + if is_added { share } else { -share }).max(0.0);
        }
    }
}
