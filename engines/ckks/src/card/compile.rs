// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compiles a program of the ring to a program of the card.

use super::clocked::{core_clocks, CoreOptions, MOST_LOG_PARTITIONS};
use super::compiled::Compiled;
use super::cycles::clocks;
use super::error::CardError;
use super::gather::{gather, Item};
use super::image::Image;
use super::lower::lower_on;
use super::memory_map::{MemoryMap, SCRATCH};
use super::model::Card;
use super::order::{order, OrderOptions};
use super::placing::{ItemSpan, PlacedProgram, Placement, Placing, Plan, Weights};
use super::verify::verify_tasks;
use crate::ring::Program;

/// Options of the compiler.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompileOptions {
    /// The card expands the uniform halves of keys from their seeds.
    pub expand: bool,
    /// Orders to try; the fastest one is used. If empty, the compiler tries those that were fastest
    /// for some program.
    pub orders: Vec<OrderOptions>,
}

/// Compiles a program of the ring for a card, and [verifies](super::verify()) the result.
///
/// # Errors
/// [`CardError`] if the program is damaged, has primes that the card does not support, or needs
/// more slots than the scratchpad has.
pub fn compile(
    program: &Program,
    card: &Card,
    options: &CompileOptions,
) -> Result<Compiled, CardError> {
    if 1 << card.log_lanes >= program.degree {
        return Err(CardError::Lanes { lanes: 1 << card.log_lanes, degree: program.degree });
    }
    let tasks = lower_on(program, card)?;
    let outputs: Vec<usize> = tasks.outputs.iter().map(Vec::len).collect();
    let map = MemoryMap::new(program, &outputs, card, options.expand)?;
    let of = Placement { program, tasks: &tasks, card, map: &map };
    let mut candidates = Vec::new();
    for tried in orders(card, options, tasks.tasks.len()) {
        let items = gather(&tasks, &order(&tasks, tried), card.columns);
        let candidate = Candidate::new(of, tried, &items, None)?;
        candidates.push((clocks(&candidate.compiled.image, card).total, items, candidate));
    }
    candidates.sort_by_key(|(total, ..)| *total);
    candidates.truncate(MOST_ORDERS);
    let compiled = match tasks.tasks.len() > MANY_TASKS || card.log_partitions == 0 {
        true => fastest_planned(of, candidates)?,
        false => fastest(of, &candidates)?,
    };
    verify_tasks(program, &tasks, &compiled)?;
    Ok(compiled)
}

/// The number of orders, fastest first in the planner's clocks, whose slots are spread over
/// partitions.
const MOST_ORDERS: usize = 3;
/// The weights of partitions in the choice of slots, in the order in which they are tried.
const WEIGHTS: [Weights; 3] = [
    Weights { all: 8.0, loads: 1.0 },
    Weights { all: 8.0, loads: 4.0 },
    Weights { all: 1.0, loads: 1.0 },
];
/// The number of placings with the same weights. Each uses the clocks of the previous one.
const PASSES: usize = 2;

/// The inverse of the share of the planner's clocks that spreading may cost if the core's model is
/// not used.
const MOST_LOSS: u64 = 50;

/// The planner's clocks, the placed items, and their placing.
type Tried = (u64, Vec<Item>, Candidate);

/// A program whose limbs have slots.
struct Candidate {
    compiled: Compiled,
    spans: Vec<ItemSpan>,
}

impl Candidate {
    fn new(
        of: Placement,
        order: OrderOptions,
        items: &[Item],
        plan: Option<Plan>,
    ) -> Result<Self, CardError> {
        let mut placed = Placing::new(of, items, order.hurries, plan).run()?;
        let spans = std::mem::take(&mut placed.spans);
        Ok(Self { compiled: assemble(of, placed, order), spans })
    }

    /// Returns the same order with slots that are spread over the partitions, if there are enough
    /// slots.
    fn spread(&self, of: Placement, items: &[Item], weights: Weights) -> Option<Self> {
        let plan = Plan { spans: &self.spans, weights };
        Self::new(of, self.compiled.order, items, Some(plan)).ok()
    }
}

/// Returns the fastest of the candidates and of their versions with slots spread over partitions.
fn fastest(of: Placement, candidates: &[Tried]) -> Result<Compiled, CardError> {
    let mut best: Option<(u64, Compiled)> = None;
    let mut offer = |candidate: &Candidate| {
        let total = measured(&candidate.compiled.image, of.card);
        let is_better = best.as_ref().is_none_or(|(least, _)| total < *least);
        if is_better {
            best = Some((total, candidate.compiled.clone()));
        }
        is_better
    };
    let mut chosen = 0;
    for (number, (_, items, plain)) in candidates.iter().enumerate() {
        if number == 0 {
            offer(plain);
        }
        if plain.spread(of, items, WEIGHTS[0]).is_some_and(|spread| offer(&spread)) {
            chosen = number;
        }
    }
    for (number, weights) in WEIGHTS.iter().enumerate() {
        let Some((_, items, plain)) = candidates.get(chosen) else { break };
        let mut before = plain.spread(of, items, *weights);
        for pass in 0..PASSES {
            let Some(candidate) = before else { break };
            if number + pass > 0 {
                offer(&candidate);
            }
            before = match pass + 1 < PASSES {
                true => candidate.spread(of, items, *weights),
                false => None,
            };
        }
    }
    best.map(|(_, compiled)| compiled).ok_or(CardError::Missing { task: 0 })
}

/// Returns the fastest candidate by the planner. Its slots are spread over partitions if that costs
/// few of the planner's clocks, which ignore partitions.
fn fastest_planned(of: Placement, candidates: Vec<Tried>) -> Result<Compiled, CardError> {
    let first = candidates.into_iter().next();
    let (total, items, plain) = first.ok_or(CardError::Missing { task: 0 })?;
    let most = total + total / MOST_LOSS;
    let spread = match of.card.log_partitions {
        0 => None,
        _ => plain.spread(of, &items, WEIGHTS[0]),
    };
    let spread = spread.filter(|spread| clocks(&spread.compiled.image, of.card).total <= most);
    Ok(spread.unwrap_or(plain).compiled)
}

/// The clocks that a card needs: by the core's model if it supports the card.
fn measured(image: &Image, card: &Card) -> u64 {
    match card.log_partitions > MOST_LOG_PARTITIONS || card.table_clocks > 0 {
        true => clocks(image, card).total,
        false => core_clocks(image, card, &CoreOptions::of(card, image)).clocks.total,
    }
}

/// Programs with more tasks are compiled in fewer orders, and only with the planner.
const MANY_TASKS: usize = 20_000;

/// Returns the orders to try.
fn orders(card: &Card, options: &CompileOptions, tasks: usize) -> Vec<OrderOptions> {
    if !options.orders.is_empty() {
        return options.orders.clone();
    }
    let all = |factors: &'static [usize], numbers: std::ops::Range<usize>| {
        let of = move |factor: &usize| {
            let block = factor * card.columns;
            let order = move |number: usize| {
                let [merges, hurries, is_ahead] = [1, 2, 4].map(|bit| number & bit != 0);
                OrderOptions { block, merges, is_ahead, hurries }
            };
            numbers.clone().map(order)
        };
        factors.iter().flat_map(of).collect::<Vec<_>>()
    };
    match tasks > MANY_TASKS {
        true => [all(&[1], 7..8), all(&[2], 2..4)].concat(),
        false => all(&[1, 2, 3, 4], 0..8),
    }
}

fn assemble(of: Placement, placed: PlacedProgram, order: OrderOptions) -> Compiled {
    let Placement { program, tasks, card, map } = of;
    let mut map = map.clone();
    map.segments[SCRATCH].bytes = placed.scratch_bytes;
    let places = |limbs: &Vec<_>| limbs.iter().map(|(place, _)| *place).collect();
    let image = Image {
        log_degree: program.degree.trailing_zeros(),
        log_radix: card.log_radix,
        slots: placed.slots,
        segments: map.segments.len(),
        columns: card.columns,
        primes: program.primes.iter().map(|prime| prime.modulus).collect(),
        commands: placed.commands,
    };
    Compiled {
        image,
        map,
        outputs: tasks.outputs.iter().map(places).collect(),
        spills: placed.spills,
        order,
        planned_clocks: placed.clocks,
    }
}
