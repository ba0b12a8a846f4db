// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The slots that an instruction reads and writes, and the checks of numbers, slots and kinds:
//! everything that does not depend on the values.

use std::ops::Range;

use super::memory::Memory;
use crate::coprocessor::isa::{Fault, Kind, Opcode, Operand, INSTRUCTIONS, PAIRS, SLOTS};
use crate::coprocessor::Instruction;

/// The number of distinct powers of the Frobenius map.
const POWERS: u16 = 12;
/// The number of slots of a pair: an affine point of each curve.
pub(super) const PAIR_SLOTS: usize = 6;

/// An instruction with valid numbers, slots and kinds.
#[derive(Clone, Debug)]
pub(super) struct Access {
    pub(super) opcode: Opcode,
    /// Operands a, b and c.
    pub(super) operands: [usize; 3],
    /// The kinds of the operands that are elements or slots.
    kinds: [Option<Kind>; 3],
    /// The number of elements of a list.
    pub(super) count: usize,
    /// The slots that are written.
    pub(super) written: Range<usize>,
}

impl Access {
    /// Returns the kind of an operand.
    pub(super) fn kind(&self, operand: usize) -> Kind {
        self.kinds[operand].unwrap_or(Kind::Scalar)
    }

    /// Returns the kind of the last operand that is read.
    pub(super) fn last_read(&self) -> Option<Kind> {
        let roles = self.opcode.operands();
        (0..3).rev().find(|&place| is_read(roles[place])).and_then(|place| self.kinds[place])
    }
}

fn is_read(operand: Operand) -> bool {
    use Operand::{Counter, Element, List, Pairs, Product, Slot};
    matches!(operand, Slot | Element | Counter | Product | List | Pairs)
}

fn is_written(operand: Operand) -> bool {
    use Operand::{Counter, Product, Result, Results, ToSlot};
    matches!(operand, ToSlot | Result | Counter | Product | Results)
}

/// Checks an instruction against the memory, in the order of the manual.
pub(super) fn access(instruction: &Instruction, memory: &Memory) -> Result<Access, Fault> {
    let Instruction { opcode, operands } = *instruction;
    let roles = opcode.operands();
    check_numbers(instruction)?;
    let places = operands.map(usize::from);
    let slots = |role| is_read(role) || is_written(role);
    if (0..3).any(|at| slots(roles[at]) && places[at] >= SLOTS) {
        return Err(Fault::Slot);
    }
    let read = [0, 1, 2].map(|at| is_read(roles[at]).then(|| memory.slots()[places[at]].kind));
    let kinds = row(opcode, read).ok_or(Fault::Kind)?;
    let count = instruction.operand(Operand::Count).map_or(1, usize::from);
    let extents = [0, 1, 2].map(|at| extent(roles[at], kinds[at], count));
    if (0..3).any(|at| slots(roles[at]) && places[at] + extents[at] > SLOTS) {
        return Err(Fault::Slot);
    }
    for at in 0..3 {
        let are_of_kind = match (roles[at], kinds[at]) {
            (Operand::Pairs, _) => (0..count).all(|pair| {
                let place = places[at] + pair * PAIR_SLOTS;
                memory.are(place, Kind::FpAf.slots(), Kind::FpAf)
                    && memory.are(place + Kind::FpAf.slots(), Kind::Fp2Af.slots(), Kind::Fp2Af)
            }),
            (role, Some(kind)) if is_read(role) => memory.are(places[at], extents[at], kind),
            _ => true,
        };
        if !are_of_kind {
            return Err(Fault::Kind);
        }
    }
    let target = (0..3).find(|&at| is_written(roles[at]));
    let written = target.map_or(0..0, |at| places[at]..places[at] + extents[at]);
    Ok(Access { opcode, operands: places, kinds, count, written })
}

/// Checks targets, counts and powers.
fn check_numbers(instruction: &Instruction) -> Result<(), Fault> {
    let target = instruction.operand(Operand::Target);
    if target.is_some_and(|target| usize::from(target) >= INSTRUCTIONS) {
        return Err(Fault::Pointer);
    }
    let most = match instruction.opcode {
        Opcode::MultiMiller => PAIRS,
        _ => SLOTS,
    };
    let count = instruction.operand(Operand::Count);
    let is_count = count.is_none_or(|count| (1..=most).contains(&usize::from(count)));
    let is_power = instruction.operand(Operand::Power).is_none_or(|power| power < POWERS);
    match is_count && is_power {
        true => Ok(()),
        false => Err(Fault::Operand),
    }
}

/// Returns the kinds of all operands, given those of the operands that are read.
fn row(opcode: Opcode, read: [Option<Kind>; 3]) -> Option<[Option<Kind>; 3]> {
    let rows = opcode.rows();
    if rows.is_empty() {
        // Operands that are written have the kind of operand a.
        return Some([0, 1, 2].map(|at| match is_written(opcode.operands()[at]) {
            true => read[0],
            false => read[at],
        }));
    }
    let fits = |row: &&[Option<Kind>; 3]| {
        row.iter().zip(read).all(|(kind, read)| read.is_none() || *kind == read)
    };
    rows.iter().find(fits).copied()
}

/// Returns the number of slots of an operand.
fn extent(role: Operand, kind: Option<Kind>, count: usize) -> usize {
    let slots = kind.map_or(0, Kind::slots);
    match role {
        Operand::Slot | Operand::ToSlot => 1,
        Operand::List | Operand::Results => slots * count,
        Operand::Pairs => PAIR_SLOTS * count,
        _ => slots,
    }
}
