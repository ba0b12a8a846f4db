// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The order of a program's tasks: prime by prime, as far as conversions allow.
//!
//! Only conversions use limbs of other primes. They divide a program into *regions*: the region of
//! a limb is the number of conversions before it. Within a region, primes are independent.
//! Therefore a few primes, a *block*, are processed through the whole region: their limbs are in
//! the scratchpad only once, and the factors of their transforms are loaded once. If the sources of
//! a region come from few primes of the previous region, the two may be merged: first the primes of
//! the sources, then each other prime through both regions.

use std::collections::{BTreeMap, BTreeSet};

use super::task::{Factor, LimbId, Task, Tasks, Work};

/// Options for the order of tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderOptions {
    /// The number of primes in a block.
    pub block: usize,
    /// Allows merging a region with the next one.
    pub merges: bool,
    /// Places the conversions of a block before the rest of the previous block.
    pub is_ahead: bool,
    /// Evicts limbs that are free early, instead of those with the latest next use.
    pub hurries: bool,
}

/// A task with its position in the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ordered {
    /// The number of the task.
    pub task: usize,
    /// The number of its block.
    pub block: usize,
}

struct Graph<'t> {
    tasks: &'t [Task],
    /// The task that computes each limb.
    giver: Vec<Option<usize>>,
    /// `true` for each task that uses limbs of other primes.
    is_cross: Vec<bool>,
    is_needed: Vec<bool>,
}

impl<'t> Graph<'t> {
    fn new(all: &'t Tasks) -> Self {
        let tasks = &all.tasks;
        let mut giver = vec![None; all.limbs as usize];
        let mut place = vec![0; all.limbs as usize];
        for (limb, source) in &all.externals {
            place[limb.0 as usize] = source.place;
        }
        for (number, task) in tasks.iter().enumerate() {
            giver[task.to.0 as usize] = Some(number);
            place[task.to.0 as usize] = task.place;
        }
        let is_whole = |limb: LimbId| {
            let task = giver[limb.0 as usize].map(|number| &tasks[number]);
            task.is_some_and(|task| matches!(task.work, Work::Whole(_)))
        };
        let cross = |task: &Task| {
            let differs = |limb: &LimbId| place[limb.0 as usize] != task.place;
            let takes = task.work.takes();
            let all_own = !takes.iter().any(|limb| differs(limb) || is_whole(*limb));
            matches!(task.work, Work::Whole(_)) || !all_own
        };
        let is_cross = tasks.iter().map(cross).collect();
        let mut is_needed = vec![false; tasks.len()];
        let outputs = all.outputs.iter().flatten();
        let mut open: Vec<usize> = outputs.filter_map(|(_, limb)| giver[limb.0 as usize]).collect();
        while let Some(number) = open.pop() {
            if !std::mem::replace(&mut is_needed[number], true) {
                let takes = tasks[number].work.takes().into_iter();
                open.extend(takes.filter_map(|limb| giver[limb.0 as usize]));
            }
        }
        Self { tasks, giver, is_cross, is_needed }
    }

    /// The tasks that compute the inputs of a task.
    fn before(&self, number: usize) -> impl Iterator<Item = usize> + '_ {
        let takes = self.tasks[number].work.takes().into_iter();
        takes.filter_map(|limb| self.giver[limb.0 as usize])
    }

    /// Returns the region of each task. Inputs of conversions and sums of products come as early as
    /// possible. Other tasks come no earlier than those before them in the program.
    fn regions(&self) -> Vec<usize> {
        let mut regions: Vec<usize> = vec![0; self.tasks.len()];
        let mut is_source = vec![false; self.tasks.len()];
        for number in self.needed().filter(|number| self.is_cross[*number]) {
            self.before(number).for_each(|before| is_source[before] |= !self.is_whole(before));
        }
        let mut current = 0;
        for number in 0..self.tasks.len() {
            if !self.is_needed[number] {
                continue;
            }
            let own = usize::from(self.is_cross[number]);
            let task = &self.tasks[number];
            let of_input = |before: usize| {
                // The integer quotient of a conversion is in the region of its sums.
                let is_whole = matches!(self.tasks[before].work, Work::Whole(_));
                regions[before] + if is_whole { 0 } else { own }
            };
            let needed = self.before(number).map(of_input).max().unwrap_or(0);
            let is_early = match &task.work {
                Work::Inverse(_) => true,
                Work::Sum(terms) => {
                    let by_limb = |factor| matches!(factor, Factor::Limb { .. });
                    terms.iter().any(|term| by_limb(term.factor))
                }
                _ => false,
            };
            let is_early = is_early || is_source[number];
            regions[number] = if is_early { needed } else { needed.max(current) };
            if !is_early {
                current = regions[number];
            }
        }
        regions
    }

    /// Moves tasks that use only external limbs to the region of their first use.
    fn delayed(&self, mut regions: Vec<usize>) -> Vec<usize> {
        let mut first = vec![usize::MAX; self.tasks.len()];
        for number in self.needed() {
            let latest = regions[number] - usize::from(self.is_cross[number]).min(regions[number]);
            for before in self.before(number) {
                first[before] = first[before].min(latest);
            }
        }
        for number in self.needed() {
            if first[number] != usize::MAX && self.before(number).next().is_none() {
                regions[number] = regions[number].max(first[number]);
            }
        }
        regions
    }

    /// The number of transforms before each task within its region.
    fn depths(&self, regions: &[usize]) -> Vec<usize> {
        let mut counts: Vec<usize> = vec![0; self.tasks.len()];
        for number in 0..self.tasks.len() {
            let here = self.before(number).filter(|before| regions[*before] == regions[number]);
            let own = matches!(self.tasks[number].work, Work::Forward(_) | Work::Inverse(_));
            let before = here.map(|before| counts[before]).max().unwrap_or(0);
            counts[number] = before + usize::from(own);
        }
        counts.into_iter().map(|count| count.saturating_sub(1)).collect()
    }

    fn is_whole(&self, number: usize) -> bool {
        matches!(self.tasks[number].work, Work::Whole(_))
    }

    fn needed(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.tasks.len()).filter(|number| self.is_needed[*number])
    }
}

/// The tasks of each prime in each region, without the integer quotients of conversions.
type Parts = BTreeMap<usize, BTreeMap<u16, Vec<usize>>>;

/// Returns the necessary tasks, in order.
pub(super) fn order(all: &Tasks, options: OrderOptions) -> Vec<Ordered> {
    let graph = Graph::new(all);
    let regions = graph.delayed(graph.regions());
    let mut parts = Parts::new();
    // The primes whose limbs of the previous region a region converts.
    let mut sources: BTreeMap<usize, BTreeSet<u16>> = BTreeMap::new();
    for number in graph.needed() {
        let here = regions[number];
        if !graph.is_whole(number) {
            let region = parts.entry(here).or_default();
            region.entry(all.tasks[number].place).or_default().push(number);
        }
        if graph.is_cross[number] {
            let from = graph.before(number).filter(|before| regions[*before] + 1 == here);
            sources.entry(here).or_default().extend(from.map(|before| all.tasks[before].place));
        }
    }
    let depths = graph.depths(&regions);
    let mut emitter = Emitter::new(&graph, &parts, &depths, options);
    let primes_of = |region: usize| -> BTreeSet<u16> {
        parts.get(&region).map(|part| part.keys().copied().collect()).unwrap_or_default()
    };
    let mut region = 0;
    let last = parts.keys().next_back().copied().unwrap_or(0);
    while region <= last {
        let (own, next) = (primes_of(region), primes_of(region + 1));
        let from = sources.get(&(region + 1)).cloned().unwrap_or_default();
        let both: BTreeSet<u16> = own.union(&next).copied().collect();
        let first: Vec<u16> = from.iter().copied().collect();
        if options.merges && !next.is_empty() && FEW.1 * from.len() <= FEW.0 * both.len() {
            let rest: Vec<u16> = both.difference(&from).copied().collect();
            emitter.blocks_of(&[region], &first);
            emitter.blocks_of(&[region, region + 1], &rest);
            emitter.blocks_of(&[region + 1], &first);
            region += 2;
        } else {
            emitter.blocks_of(&[region], &own.into_iter().collect::<Vec<_>>());
            region += 1;
        }
    }
    emitter.ordered
}

/// A region is merged with the next one if the sources of the latter are at most this share of the
/// primes.
const FEW: (usize, usize) = (9, 20);

struct Emitter<'g> {
    graph: &'g Graph<'g>,
    parts: &'g Parts,
    depths: &'g [usize],
    /// The number of primes in a block.
    block: usize,
    /// Places conversions before the other tasks of the previous block.
    is_ahead: bool,
    ordered: Vec<Ordered>,
    has: Vec<bool>,
    block_number: usize,
}

impl<'g> Emitter<'g> {
    fn new(
        graph: &'g Graph<'g>,
        parts: &'g Parts,
        depths: &'g [usize],
        options: OrderOptions,
    ) -> Self {
        Self {
            graph,
            parts,
            depths,
            block: options.block.max(1),
            is_ahead: options.is_ahead,
            ordered: Vec::new(),
            has: vec![false; graph.tasks.len()],
            block_number: 0,
        }
    }

    fn blocks_of(&mut self, regions: &[usize], primes: &[u16]) {
        let blocks = primes.chunks(self.block);
        let parts = blocks.flat_map(|block| regions.iter().map(move |region| (*region, block)));
        let parts: Vec<_> = parts.map(|(region, block)| self.part(region, block)).collect();
        // Conversions do not depend on the previous block, so they may come before its other tasks.
        let mut given = 0;
        for (number, (_, local)) in parts.iter().enumerate() {
            let end = parts.len().min(number + if self.is_ahead { 2 } else { 1 });
            for (index, (crossing, _)) in parts[given..end].iter().enumerate() {
                self.block_number += 1;
                // Alternate the direction: the sources that were used last are used first.
                match (given + index) / regions.len() % 2 {
                    0 => crossing.iter().for_each(|task| self.push(*task)),
                    _ => crossing.iter().rev().for_each(|task| self.push(*task)),
                }
            }
            given = end;
            self.block_number += 1;
            local.iter().for_each(|task| self.push(*task));
        }
    }

    /// Returns the tasks of some primes in a region: first conversions, then the tasks of each
    /// prime, where those after its transforms overlap the transforms of the next prime.
    fn part(&self, region: usize, primes: &[u16]) -> (Vec<usize>, Vec<usize>) {
        let Some(part) = self.parts.get(&region) else { return Default::default() };
        let (mut crossing, mut local) = (Vec::new(), Vec::new());
        for (index, place) in primes.iter().enumerate() {
            for number in part.get(place).into_iter().flatten() {
                let depth = self.depths[*number];
                match self.graph.is_cross[*number] {
                    true => crossing.push(*number),
                    false => local.push(((index + depth, depth), *number)),
                }
            }
        }
        crossing.sort_unstable();
        local.sort_unstable();
        (crossing, local.into_iter().map(|(_, number)| number).collect())
    }

    /// Adds a task. The first sum of a conversion is preceded by the integer quotient.
    fn push(&mut self, task: usize) {
        let before: Vec<usize> = self.graph.before(task).collect();
        for whole in before.into_iter().filter(|before| self.graph.is_whole(*before)) {
            self.add(whole);
        }
        self.add(task);
    }

    fn add(&mut self, task: usize) {
        if !std::mem::replace(&mut self.has[task], true) {
            self.ordered.push(Ordered { task, block: self.block_number });
        }
    }
}
