// SPDX-License-Identifier: Apache-2.0 OR MIT
//! From a program of the ring to the card's program.

use super::compiled::Compiled;
use super::cycles::clocks;
use super::error::CardError;
use super::gather::gather;
use super::image::Image;
use super::lower::lower_on;
use super::memory_map::{MemoryMap, SCRATCH};
use super::model::Card;
use super::order::{order, OrderOptions};
use super::place::{Placed, Placing};
use super::task::Tasks;
use super::verify::verify_tasks;
use crate::ring::Program;

/// How a program is compiled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompileOptions {
    /// The card makes the uniform halves of keys from their seeds.
    pub expand: bool,
    /// Orders to try, of which the fastest is taken; none: those that have been fastest for some
    /// program.
    pub orders: Vec<OrderOptions>,
}

/// The card's program of a program of the ring, which is [verified](super::verify()).
///
/// # Errors
/// [`CardError`] for a program that is damaged or has primes that the card does not take, and where
/// the scratchpad has too few slots.
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
    let mut best: Option<(u64, Compiled)> = None;
    for tried in orders(card, options, tasks.tasks.len()) {
        let items = gather(&tasks, &order(&tasks, tried), card.columns);
        let placed = Placing::new(program, &tasks, card, &map, &items, tried.hurries).run()?;
        let compiled = assemble(program, card, &tasks, map.clone(), placed, tried);
        let total = clocks(&compiled.image, card).total;
        if best.as_ref().is_none_or(|(least, _)| total < *least) {
            best = Some((total, compiled));
        }
    }
    let Some((_, compiled)) = best else { return Err(CardError::Missing { task: 0 }) };
    verify_tasks(program, &tasks, &compiled)?;
    Ok(compiled)
}

/// Programs of more tasks are compiled in fewer orders.
const MANY_TASKS: usize = 20_000;

/// The orders that are tried.
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

fn assemble(
    program: &Program,
    card: &Card,
    tasks: &Tasks,
    mut map: MemoryMap,
    placed: Placed,
    order: OrderOptions,
) -> Compiled {
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
