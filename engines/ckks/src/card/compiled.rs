// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A compiled program.

use super::image::Image;
use super::memory_map::MemoryMap;
use super::order::OrderOptions;
use crate::ring::Basis;

/// A program for a card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiled {
    /// The program in the card's memory.
    pub image: Image,
    /// The regions of the program in memory.
    pub map: MemoryMap,
    /// The primes of each output.
    pub outputs: Vec<Vec<u16>>,
    /// The number of spilled limbs.
    pub spills: usize,
    /// The order of the tasks.
    pub order: OrderOptions,
    /// The clocks of the planner's schedule.
    pub planned_clocks: u64,
}

impl Compiled {
    /// The primes of an output.
    pub fn basis_of(&self, output: usize) -> Basis {
        Basis::new(self.outputs[output].iter().copied())
    }
}
