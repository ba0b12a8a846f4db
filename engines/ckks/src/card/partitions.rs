// SPDX-License-Identifier: Apache-2.0 OR MIT
//! When each partition of the scratchpad is read and written, while slots are given.
//!
//! A partition reads a row and writes a row a clock. The transforms never wait, so that another unit
//! that wants a row of their partition stands still until their pass is through; other units take
//! turns. What a limb in a partition would cost is the clocks that units wait for each other.

use super::model::Card;

/// Who reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reader {
    Transform,
    Product,
    Other,
}

/// A limb's rows that are read or written in some clocks, all of them or a share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    /// The item that reads or writes.
    pub item: usize,
    pub by: Reader,
    pub is_write: bool,
    pub from: u64,
    pub to: u64,
    /// Rows a clock.
    pub share: f32,
}

/// Clocks that are told apart.
const BIN: u64 = 128;
/// A share of a product's rows from which on it is taken to be there.
const THERE: f32 = 0.02;
/// What a partition costs in which a unit has nothing yet, for each clock: limbs that are not wanted
/// at the same time shall stand together.
const ALONE: f32 = 0.05;
/// What a further limb of a product costs, where one waits already.
const AGAIN: f32 = 0.1;

/// The rows a clock of a partition, in some clocks and one direction.
#[derive(Clone, Copy, Debug, Default)]
struct Load {
    transform: f32,
    product: f32,
    other: f32,
}

impl Load {
    /// Clocks that units wait, a clock, for one more reader.
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

/// What is known of all partitions.
#[derive(Clone, Debug)]
pub(super) struct Partitions {
    /// For each clock's bin, of each partition what is read and what is written.
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

    /// The bins of an access, and the clocks in each.
    fn bins(access: &Access) -> impl Iterator<Item = (usize, f32)> {
        let (from, to) = (access.from, access.to.max(access.from + 1));
        (from / BIN..=(to - 1) / BIN).map(move |bin| {
            let clocks = to.min((bin + 1) * BIN) - from.max(bin * BIN);
            (bin as usize, clocks as f32)
        })
    }

    /// Clocks that units would wait for an access of a limb in a partition.
    pub fn cost(&self, partition: usize, access: &Access) -> f32 {
        let mut cost = 0.0;
        for (bin, clocks) in Self::bins(access) {
            let load = self.loads.get(bin * self.count + partition).copied().unwrap_or_default();
            cost += clocks * load[usize::from(access.is_write)].cost(access);
        }
        cost
    }

    /// Adds an access, or takes it away.
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
