// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The accesses to the limbs of a placing, and the cost of a partition for them.

use super::gather::{Action, ColumnTerm, Second};
use super::isa::Unit;
use super::partitions::{Access, Reader};
use super::placing::{ItemSpan, Placing, Plan, NEVER};
use super::task::{LimbId, Work};

/// The number of uses of a limb that are considered.
const USES: usize = 24;
/// Rows per clock of a transform's limb: two transforms are in the unit at a time.
const TRANSFORM_SHARE: f32 = 0.6;

impl Placing<'_> {
    /// The span of an item in the earlier placing.
    fn planned(&self, number: usize) -> Option<ItemSpan> {
        self.plan.and_then(|plan| plan.spans.get(number)).copied()
    }

    /// Adds the accesses that read a limb from item `number` on.
    pub(super) fn reads(&self, limb: LimbId, number: usize, accesses: &mut Vec<Access>) {
        let uses = &self.limbs[limb.0 as usize].uses;
        let later = uses.iter().rev().filter(|used| **used >= number).take(USES);
        for (index, used) in later.enumerate() {
            let Some(span) = self.planned(*used) else { return };
            let is_last = index + 1 == uses.len();
            let item = &self.items[*used];
            let mut read = |by, to, share| {
                let access =
                    Access { item: *used, by, is_write: false, from: span.start, to, share };
                accesses.push(access);
            };
            match &item.action {
                Action::Sum(terms) => {
                    let times = |term: &ColumnTerm| {
                        let second = match &term.second {
                            Second::Limbs(limbs) => limbs.contains(&limb),
                            _ => false,
                        };
                        term.first == limb || second
                    };
                    let count = terms.iter().filter(|term| times(term)).count();
                    read(Reader::Product, span.free, count as f32 / terms.len().max(1) as f32);
                }
                Action::Single(Work::Whole(terms)) => {
                    read(Reader::Product, span.free, 1.0 / terms.len().max(1) as f32);
                }
                Action::Single(Work::Forward(_) | Work::Inverse(_)) => {
                    let first = (span.free - span.start) / 4;
                    read(Reader::Transform, span.start + first, TRANSFORM_SHARE);
                    if is_last {
                        self.transformed(*used, span, accesses);
                        self.reads(item.results[0], *used, accesses);
                    }
                }
                Action::Single(_) => read(Reader::Other, span.free, 1.0),
            }
        }
    }

    /// Adds the accesses of a transform to its result.
    fn transformed(&self, number: usize, span: ItemSpan, accesses: &mut Vec<Access>) {
        for is_write in [false, true] {
            accesses.push(Access {
                item: number,
                by: Reader::Transform,
                is_write,
                from: span.start,
                to: span.end,
                share: TRANSFORM_SHARE,
            });
        }
    }

    /// The accesses to the result of an item.
    pub(super) fn accesses_of_result(&self, limb: LimbId, number: usize) -> Vec<Access> {
        let mut accesses = Vec::new();
        let Some(span) = self.planned(number) else { return accesses };
        let item = &self.items[number];
        let (by, share) = match &item.action {
            Action::Sum(terms) => {
                (Reader::Product, 1.0 / terms.len().max(item.results.len()) as f32)
            }
            Action::Single(Work::Whole(terms)) => (Reader::Product, 1.0 / terms.len() as f32),
            Action::Single(Work::Forward(_) | Work::Inverse(_)) => (Reader::Transform, 1.0),
            Action::Single(_) => (Reader::Other, 1.0),
        };
        match by {
            Reader::Transform => self.transformed(number, span, &mut accesses),
            by => {
                let (from, to) = (span.start, span.end);
                accesses.push(Access { item: number, by, is_write: true, from, to, share });
            }
        }
        if self.outputs.contains_key(&limb) {
            let (from, to) = (span.end, span.end + self.card.transfer(4 * self.program.degree));
            let by = Reader::Other;
            accesses.push(Access { item: number, by, is_write: false, from, to, share: 1.0 });
        }
        self.reads(limb, number, &mut accesses);
        accesses
    }

    /// The write of a loaded limb whose slot is free from a clock on.
    pub(super) fn load_from(&self, ready: u64, item: usize) -> Access {
        let clocks = self.card.transfer(4 * self.program.degree);
        let unit = self.units.get(&Unit::Memory);
        let from = unit.map_or(ready, |unit| unit.first(ready, clocks, clocks));
        let (from, to) =
            (from + self.card.memory_latency, from + self.card.memory_latency + clocks);
        Access { item, by: Reader::Other, is_write: true, from, to, share: 1.0 }
    }

    /// The cost of each partition for a limb, in waiting clocks.
    pub(super) fn costs(&self, limb: LimbId, accesses: &[Access]) -> Vec<u64> {
        let Some(Plan { weights, .. }) = self.plan.filter(|_| !accesses.is_empty()) else {
            return Vec::new();
        };
        let mut costs = vec![0.0; self.partitions.count()];
        for (partition, cost) in costs.iter_mut().enumerate() {
            *cost = accesses.iter().map(|access| self.partitions.cost(partition, access)).sum();
        }
        let mut last = NEVER;
        for access in accesses.iter().filter(|access| !access.is_write) {
            if access.item == std::mem::replace(&mut last, access.item) {
                continue;
            }
            self.add_partners(limb, access.item, &mut costs);
        }
        costs.into_iter().map(|cost| (cost * weights.all) as u64).collect()
    }

    /// Adds the cost of rows that an item reads together with those of a limb: they are read in
    /// sequence if they are in the same partition.
    fn add_partners(&self, limb: LimbId, number: usize, costs: &mut [f32]) {
        let rows = self.card.rows(self.program.degree) as f32;
        let mut partner = |of: &LimbId| {
            let slot = self.limbs[of.0 as usize].slot;
            if let Some(slot) = slot.filter(|_| *of != limb) {
                costs[self.partitions.of_slot(slot)] += rows;
            }
        };
        match &self.items[number].action {
            Action::Sum(terms) => {
                for term in terms {
                    let Second::Limbs(limbs) = &term.second else { continue };
                    let all = [&[term.first], limbs.as_slice()].concat();
                    if all.contains(&limb) {
                        all.iter().for_each(&mut partner);
                    }
                }
            }
            Action::Single(Work::Add(a, b) | Work::Subtract(Some(a), b)) => {
                [a, b].into_iter().for_each(partner);
            }
            Action::Single(_) => {}
        }
    }

    /// Records the accesses to a limb's partition.
    pub(super) fn remember(&mut self, limb: LimbId, accesses: Vec<Access>) {
        let state = &mut self.limbs[limb.0 as usize];
        let Some(slot) = state.slot else { return };
        let partition = self.partitions.of_slot(slot);
        accesses.iter().for_each(|access| self.partitions.add(partition, access, true));
        state.accesses = accesses;
    }

    /// Removes the accesses to a limb's partition from an item on.
    pub(super) fn forget_after(&mut self, limb: LimbId, number: usize) {
        let state = &mut self.limbs[limb.0 as usize];
        let Some(slot) = state.slot else { return };
        let partition = self.partitions.of_slot(slot);
        let (kept, gone): (Vec<Access>, Vec<Access>) =
            state.accesses.drain(..).partition(|access| access.item < number);
        state.accesses = kept;
        gone.iter().for_each(|access| self.partitions.add(partition, access, false));
    }
}
