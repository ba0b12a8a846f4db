// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Slots for limbs: free ones, those of operands after their last use, and those of evicted limbs.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::error::CardError;
use super::gather::{Action, Item};
use super::partitions::Access;
use super::placing::{Placing, Plan, NEVER};
use super::task::{LimbId, Work};

/// The number of limbs that are considered for eviction, and the inverse of their minimal distance
/// relative to the latest next use. The second pair is for orders with `hurries`.
const CANDIDATES: [(usize, usize); 2] = [(4, 2), (12, 8)];
/// The cost in clocks of storing a limb before its eviction.
const STORE_COST: u64 = 300;

impl Placing<'_> {
    /// Assigns slots to an item's results: those of operands after their last use, or others.
    /// Returns the operands whose slots are reused.
    pub(super) fn slots_of_results(
        &mut self,
        number: usize,
        item: &Item,
        ready: &mut u64,
        pinned: &[LimbId],
    ) -> Result<Vec<LimbId>, CardError> {
        let mut free = item.takes();
        // An output must be stored from its slot first.
        free.retain(|limb| self.next_use(*limb) == NEVER && !self.outputs.contains_key(limb));
        for limb in &free {
            self.forget_after(*limb, number);
        }
        if matches!(item.action, Action::Single(Work::Permute(..))) {
            free.clear();
        }
        let mut reused = Vec::new();
        for limb in &item.results {
            let accesses = self.accesses_of_result(*limb, number);
            let costs = self.costs(*limb, &accesses);
            let choices = if self.plan.is_some() { usize::MAX } else { 1 };
            let of_operand =
                free.iter().enumerate().rev().take(choices).filter_map(|(index, old)| {
                    let state = &self.limbs[old.0 as usize];
                    let slot = state.slot?;
                    let cost = costs.get(self.partitions.of_slot(slot)).copied().unwrap_or(0);
                    Some((state.last.max(*ready) + cost, index, state.last, slot))
                });
            let of_operand = of_operand.min_by_key(|(cost, ..)| *cost);
            let of_free = match self.plan {
                Some(_) => self.free_slot(*ready, &costs),
                None => None,
            };
            let (at, slot) = match (of_operand, of_free) {
                (Some((cost, index, at, slot)), other)
                    if other.is_none_or(|(other, ..)| cost <= other) =>
                {
                    reused.push(free.remove(index));
                    (at, slot)
                }
                _ => self.slot(number, *ready, pinned, &costs)?,
            };
            *ready = (*ready).max(at);
            self.limb(*limb).slot = Some(slot);
            self.remember(*limb, accesses);
        }
        Ok(reused)
    }

    /// Returns the free slot with the lowest cost: the clock of its first use plus the cost of its
    /// partition, the clock from which on it is free, and the slot. Among equals, the one that is
    /// free last.
    fn free_slot(&self, ready: u64, costs: &[u64]) -> Option<(u64, u64, usize)> {
        let of_partition = |(partition, free): (usize, &BTreeSet<(u64, usize)>)| {
            let before = free.range(..=(ready, usize::MAX)).next_back();
            let (at, slot) = before.or(free.first()).copied()?;
            let cost = costs.get(partition).copied().unwrap_or(0);
            Some((at.max(ready) + cost, at, slot))
        };
        let all = self.free.iter().enumerate().filter_map(of_partition);
        let is_early = |at: &u64| *at <= ready;
        all.min_by_key(|(cost, at, slot)| {
            (*cost, Reverse(*at), if is_early(at) { Err(Reverse(*slot)) } else { Ok(*slot) })
        })
    }

    /// Returns a slot and the clock from which on it is free. If necessary, it evicts a limb.
    pub(super) fn slot(
        &mut self,
        number: usize,
        ready: u64,
        pinned: &[LimbId],
        costs: &[u64],
    ) -> Result<(u64, usize), CardError> {
        if let Some((_, at, slot)) = self.free_slot(ready, costs) {
            self.free[self.partitions.of_slot(slot)].remove(&(at, slot));
            return Ok((at, slot));
        }
        let (most, part) = CANDIDATES[usize::from(self.hurries)];
        let mut candidates = Vec::new();
        let mut farthest = None;
        for (next, limb) in self.resident.iter().rev() {
            if pinned.contains(limb) {
                continue;
            }
            let distance = next.saturating_sub(number);
            if distance < farthest.unwrap_or(0) / part || candidates.len() == most {
                break;
            }
            farthest = farthest.or(Some(distance));
            let state = &self.limbs[limb.0 as usize];
            let store = if state.home.is_none() { STORE_COST } else { 0 };
            let partition = state.slot.map_or(0, |slot| self.partitions.of_slot(slot));
            let cost = store + costs.get(partition).copied().unwrap_or(0);
            candidates.push((state.last.max(ready) + cost, *next, *limb));
        }
        let chosen = candidates.into_iter().min_by_key(|(at, ..)| *at);
        let (_, next, limb) = chosen.ok_or(CardError::Slots {
            got: self.card.slots(self.program.degree),
            wanted: pinned.len() + 1,
        })?;
        self.resident.remove(&(next, limb));
        if self.limb(limb).home.is_none() {
            self.spill(limb);
        }
        self.forget_after(limb, number);
        let state = self.limb(limb);
        let at = state.last;
        let slot = state.slot.take().unwrap_or(0);
        state.accesses.clear();
        Ok((at, slot))
    }

    /// Returns a slot for a limb that is loaded for an item, the clock from which on it is free,
    /// and the accesses of the limb.
    pub(super) fn slot_of_load(
        &mut self,
        limb: LimbId,
        number: usize,
        pinned: &[LimbId],
    ) -> Result<(u64, usize, Vec<Access>), CardError> {
        let Some(Plan { weights, .. }) = self.plan.filter(|_| number != NEVER) else {
            let (at, slot) = self.slot(number, 0, pinned, &[])?;
            return Ok((at, slot, Vec::new()));
        };
        let mut reads = Vec::new();
        self.reads(limb, number, &mut reads);
        let costs = self.costs(limb, &reads);
        let saved = self.limbs[limb.0 as usize].saved;
        let of_partition = |partition: usize| {
            let (at, slot) = self.free[partition].first().copied()?;
            let write = self.load_from(at.max(saved), number);
            let cost = costs.get(partition).copied().unwrap_or(0);
            let own = (weights.loads * self.partitions.cost(partition, &write)) as u64;
            Some((write.from + cost + own, at, slot, write))
        };
        let free = (0..self.partitions.count()).filter_map(of_partition);
        let (at, slot, write) = match free.min_by_key(|(cost, ..)| *cost) {
            Some((_, at, slot, write)) => {
                self.free[self.partitions.of_slot(slot)].remove(&(at, slot));
                (at, slot, write)
            }
            None => {
                let (at, slot) = self.slot(number, 0, pinned, &costs)?;
                (at, slot, self.load_from(at.max(saved), number))
            }
        };
        reads.push(write);
        Ok((at, slot, reads))
    }
}
