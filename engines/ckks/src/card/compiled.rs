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
    /// Where its limbs lie.
    pub map: MemoryMap,
    /// The primes of each output.
    pub outputs: Vec<Vec<u16>>,
    /// Limbs that were stored for want of room.
    pub spills: usize,
    /// The order that was chosen.
    pub order: OrderOptions,
    /// Clocks that it was planned for.
    pub planned_clocks: u64,
}

impl Compiled {
    /// The primes of an output.
    pub fn basis_of(&self, output: usize) -> Basis {
        Basis::new(self.outputs[output].iter().copied())
    }
}
