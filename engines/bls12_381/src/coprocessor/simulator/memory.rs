// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A context's memories: instructions and data slots.

use blst::blst_fp;

use crate::coprocessor::instruction::Word;
use crate::coprocessor::isa::{Fault, Kind, INSTRUCTIONS, INSTRUCTION_BYTES, SLOTS};
use crate::coprocessor::{Number, Slot};
use crate::library::fp_from_be;
use crate::library::tower::fp_to_be;

/// The memories of a context.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    instructions: Box<[Word; INSTRUCTIONS]>,
    slots: Box<[Slot; SLOTS]>,
}

impl Default for Memory {
    /// All instructions are waits, and all slots the scalar 0.
    fn default() -> Self {
        Self {
            instructions: Box::new([[0; INSTRUCTION_BYTES]; INSTRUCTIONS]),
            slots: Box::new([Slot::default(); SLOTS]),
        }
    }
}

impl Memory {
    /// Returns the instruction at a place, or `None` beyond the memory.
    pub(super) fn instruction(&self, place: usize) -> Option<Word> {
        self.instructions.get(place).copied()
    }

    /// Returns the instruction at a place, mutable.
    pub(super) fn instruction_mut(&mut self, place: usize) -> Option<&mut Word> {
        self.instructions.get_mut(place)
    }

    pub(super) fn clear_instructions(&mut self) {
        *self.instructions = [[0; INSTRUCTION_BYTES]; INSTRUCTIONS];
    }

    pub(super) fn clear_slots(&mut self) {
        *self.slots = [Slot::default(); SLOTS];
    }

    /// Returns all slots.
    pub(super) fn slots(&self) -> &[Slot; SLOTS] {
        &self.slots
    }

    /// Returns a slot, mutable, or `None` beyond the memory.
    pub(super) fn slot_mut(&mut self, place: usize) -> Option<&mut Slot> {
        self.slots.get_mut(place)
    }

    /// Returns `true` if all of these slots are of a kind.
    pub(super) fn are(&self, place: usize, count: usize, kind: Kind) -> bool {
        self.slots[place..place + count].iter().all(|slot| slot.kind == kind)
    }

    /// Returns the number in a slot.
    pub(super) fn number(&self, place: usize) -> Number {
        self.slots[place].number
    }

    /// Reads elements of Fp from slots. Each must be below p.
    pub(super) fn elements(&self, place: usize, count: usize) -> Result<Vec<blst_fp>, Fault> {
        let slots = self.slots[place..place + count].iter();
        slots.map(|slot| fp_from_be(&slot.number.to_be_bytes()).ok_or(Fault::Range)).collect()
    }

    /// Writes elements of Fp to slots from a place on.
    pub(super) fn write_elements(&mut self, place: usize, kind: Kind, elements: &[blst_fp]) {
        for (slot, element) in self.slots[place..].iter_mut().zip(elements) {
            let number = Number::from_be_bytes(fp_to_be(element)).unwrap_or_default();
            *slot = Slot { kind, number };
        }
    }

    /// Copies slots. Source and destination may overlap.
    pub(super) fn copy(&mut self, from: usize, to: usize, count: usize) {
        self.slots.copy_within(from..from + count, to);
    }

    /// Writes a scalar.
    pub(super) fn write_scalar(&mut self, place: usize, number: Number) {
        self.slots[place] = Slot { kind: Kind::Scalar, number };
    }
}
