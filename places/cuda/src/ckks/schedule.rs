// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Collects tasks of the same kind for launches, and finds places for computed limbs.

use std::collections::HashMap;

use super::task::{Kind, Limb, Slot, Tasks};

/// Tasks from the first one that has not run are candidates for the next launch, up to this number:
/// more would make fewer launches, but keep more limbs in memory.
const WINDOW: usize = 2048;

/// The place of a computed limb.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// A limb of the working memory.
    Work(u32),
    /// A limb of an output.
    Output {
        /// The index of the output.
        output: u32,
        /// The index of the limb in its basis.
        limb: u32,
    },
}

/// The tasks of a launch, by their indices.
#[derive(Clone, Debug)]
pub(super) struct Batch {
    pub kind: Kind,
    pub tasks: Vec<usize>,
    /// The first of the limbs of the working memory that transforms with an automorphism use
    /// between their passes, one each.
    pub between: Vec<u32>,
}

/// Launches in order, and the places of computed limbs.
pub(super) struct Schedule {
    pub batches: Vec<Batch>,
    pub places: Vec<Place>,
    /// The number of limbs of the working memory.
    pub work_limbs: u32,
}

/// Schedules tasks. Within a launch, the tasks of a prime follow each other, so that they share its
/// factors and their operands in the caches.
pub(super) fn schedule(tasks: &Tasks) -> Schedule {
    let batches = batches(tasks);
    place(tasks, batches)
}

fn batches(tasks: &Tasks) -> Vec<Batch> {
    let all = &tasks.tasks;
    let inputs: Vec<Vec<Slot>> = all
        .iter()
        .map(|task| {
            let slots = task.inputs().into_iter().filter_map(|limb| match limb {
                Limb::Slot(slot) => Some(slot),
                Limb::External { .. } => None,
            });
            slots.collect()
        })
        .collect();
    let mut is_done = vec![false; tasks.slots as usize];
    let mut is_taken = vec![false; all.len()];
    let mut batches = Vec::new();
    let mut first = 0;
    while let Some(start) = (first..all.len()).find(|index| !is_taken[*index]) {
        first = start;
        let kind = all[start].kind();
        let window = (start..all.len()).filter(|index| !is_taken[*index]).take(WINDOW);
        let can_run = |index: &usize| {
            all[*index].kind() == kind && inputs[*index].iter().all(|slot| is_done[*slot as usize])
        };
        let mut chosen: Vec<usize> = window.filter(can_run).collect();
        if chosen.is_empty() {
            // The order of the tasks makes this impossible; without it, nothing would end.
            chosen.push(start);
        }
        for index in &chosen {
            is_taken[*index] = true;
            all[*index].outputs().iter().for_each(|slot| is_done[*slot as usize] = true);
        }
        chosen.sort_by_key(|index| (all[*index].prime, *index));
        batches.push(Batch { kind, tasks: chosen, between: Vec::new() });
    }
    batches
}

fn place(tasks: &Tasks, mut batches: Vec<Batch>) -> Schedule {
    const NOWHERE: Place = Place::Work(u32::MAX);
    let mut places = vec![NOWHERE; tasks.slots as usize];
    for (output, limbs) in (0..).zip(&tasks.outputs) {
        for (limb, of) in (0..).zip(limbs) {
            if let Limb::Slot(slot) = of {
                places[*slot as usize] = Place::Output { output, limb };
            }
        }
    }
    let mut last_uses: HashMap<Slot, usize> = HashMap::new();
    for (number, batch) in batches.iter().enumerate() {
        for task in batch.tasks.iter().map(|index| &tasks.tasks[*index]) {
            let read = task.inputs().into_iter().filter_map(|limb| match limb {
                Limb::Slot(slot) => Some(slot),
                Limb::External { .. } => None,
            });
            for slot in task.outputs().into_iter().chain(read) {
                last_uses.insert(slot, number);
            }
        }
    }
    let mut ends: Vec<Vec<Slot>> = vec![Vec::new(); batches.len()];
    last_uses.into_iter().for_each(|(slot, number)| ends[number].push(slot));
    let mut free = FreeLimbs::default();
    for (batch, ends) in batches.iter_mut().zip(&mut ends) {
        for index in &batch.tasks {
            let task = &tasks.tasks[*index];
            for slot in task.outputs() {
                let place = &mut places[slot as usize];
                if *place == NOWHERE {
                    *place = Place::Work(free.take());
                }
            }
            if task.needs_limb_between() {
                batch.between.push(free.take());
            }
        }
        batch.between.iter().for_each(|limb| free.give(*limb));
        ends.sort_unstable();
        for slot in ends {
            if let Place::Work(limb) = places[*slot as usize] {
                free.give(limb);
            }
        }
    }
    Schedule { batches, places, work_limbs: free.all }
}

/// The limbs of the working memory that hold nothing.
#[derive(Default)]
struct FreeLimbs {
    free: Vec<u32>,
    all: u32,
}

impl FreeLimbs {
    fn take(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.all += 1;
            self.all - 1
        })
    }

    fn give(&mut self, limb: u32) {
        self.free.push(limb);
    }
}
