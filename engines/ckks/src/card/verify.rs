// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Proves that a stream computes the tasks of its program.
//!
//! Each limb gets a fingerprint of 64 bits from its inputs and its operation. The stream is
//! followed instruction by instruction, and a slot holds the fingerprint of its last write. If a
//! slot is read before it is written, or overwritten before its last reader, the resulting
//! fingerprint belongs to no task, and the error names the instruction.

use std::collections::{HashMap, HashSet};

use super::compiled::Compiled;
use super::error::{CardError, StreamFlaw};
use super::instruction::{Command, Instruction, NUMBER_FIELDS, PRIME_FIELDS, SLOT_FIELDS};
use super::isa::{Field, Opcode, TABLES as TABLES_HELD, TRANSFER_BYTES};
use super::lower::lower_on;
use super::memory_map::{limb_bytes, Content, MemoryMap, TABLES};
use super::model::Card;
use super::task::{Factor, Tasks, Work};
use crate::ring::Program;

/// Mixes numbers into a fingerprint (the finalizer of SplitMix64).
fn mixed(numbers: &[u64]) -> u64 {
    numbers.iter().fold(0x9e37_79b9_7f4a_7c15, |state, number| {
        let mut z = (state ^ number).wrapping_mul(0xbf58_476d_1ce4_e5b9).wrapping_add(0x2545_f491);
        z = (z ^ (z >> 29)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 32)
    })
}

fn of_external(index: usize, place: u16) -> u64 {
    mixed(&[1, index as u64, u64::from(place)])
}

/// The fingerprint of two factors in any order.
fn of_product(a: u64, b: u64) -> u64 {
    mixed(&[2, a.wrapping_add(b), a ^ b])
}

fn of_multiple(a: u64, [low, high]: [u32; 2]) -> u64 {
    mixed(&[3, a, low.into(), high.into()])
}

fn of_opcode(opcode: Opcode, place: usize, operands: &[u64]) -> u64 {
    mixed(&[&[4, opcode as u64, place as u64], operands].concat())
}

/// The fingerprint of a sum of terms in any order.
fn of_sum(place: usize, terms: impl Iterator<Item = u64>) -> u64 {
    mixed(&[5, place as u64, terms.fold(0, u64::wrapping_add)])
}

/// Returns the fingerprints of all limbs of a program's tasks.
fn fingerprints(tasks: &Tasks) -> Vec<u64> {
    let mut known = vec![0; tasks.limbs as usize];
    for (limb, source) in &tasks.externals {
        known[limb.0 as usize] = of_external(source.external, source.place);
    }
    for task in &tasks.tasks {
        let of = |limb: super::task::LimbId| known[limb.0 as usize];
        let place = usize::from(task.place);
        let found = match &task.work {
            Work::Forward(a) => of_opcode(Opcode::Ntt, place, &[of(*a)]),
            Work::Inverse(a) => of_opcode(Opcode::Intt, place, &[of(*a)]),
            Work::Add(a, b) => of_opcode(Opcode::Add, place, &[of_product(of(*a), of(*b))]),
            Work::Subtract(Some(a), b) => of_opcode(Opcode::Sub, place, &[of(*a), of(*b)]),
            Work::Subtract(None, b) => of_opcode(Opcode::Neg, place, &[of(*b)]),
            Work::AddNumbers(a, numbers) => {
                of_opcode(Opcode::Addnum, place, &[of_multiple(of(*a), *numbers)])
            }
            Work::Permute(a, exponent) => {
                let exponent = exponent % (2 * tasks.degree as u64);
                of_opcode(Opcode::Perm, 0, &[of(*a), exponent])
            }
            Work::Zero => of_opcode(Opcode::Zero, 0, &[]),
            Work::Whole(terms) => {
                let term = |(limb, shift, number): &(super::task::LimbId, u32, u32)| {
                    mixed(&[6, of(*limb), (*shift).into(), (*number).into()])
                };
                of_opcode(Opcode::Whole, 0, &[of_sum(0, terms.iter().map(term))])
            }
            Work::Sum(terms) => of_sum(
                place,
                terms.iter().map(|term| match term.factor {
                    Factor::Numbers(numbers) => of_multiple(of(term.limb), numbers),
                    Factor::Limb { limb, .. } => of_product(of(term.limb), of(limb)),
                }),
            ),
        };
        known[task.to.0 as usize] = found;
    }
    known
}

struct Following<'c> {
    program: &'c Program,
    map: &'c MemoryMap,
    slots: Vec<Option<u64>>,
    memory: HashMap<(usize, usize), u64>,
    tables: [Option<usize>; TABLES_HELD],
    known: HashSet<u64>,
}

/// Checks that a compiled program computes the given program.
///
/// # Errors
/// [`CardError::Stream`] for the first command that does not, and another [`CardError`] if the
/// program cannot be compiled for the card.
pub fn verify(program: &Program, card: &Card, compiled: &Compiled) -> Result<(), CardError> {
    Ok(verify_tasks(program, &lower_on(program, card)?, compiled)?)
}

/// Like [`verify`], for the tasks of the program.
pub(super) fn verify_tasks(
    program: &Program,
    tasks: &Tasks,
    compiled: &Compiled,
) -> Result<(), StreamFlaw> {
    let limbs = fingerprints(tasks);
    let mut following = Following {
        program,
        map: &compiled.map,
        slots: vec![None; compiled.image.slots],
        memory: HashMap::new(),
        tables: [None; TABLES_HELD],
        known: limbs.iter().copied().collect(),
    };
    for (number, command) in compiled.image.commands.iter().enumerate() {
        following.command(number, command)?;
    }
    let externals = program.externals.len();
    for (index, output) in tasks.outputs.iter().enumerate() {
        for (number, (_, limb)) in output.iter().enumerate() {
            let segment = MemoryMap::of_output(externals, index);
            let at = (segment, number * limb_bytes(program.degree, 1));
            if following.memory.get(&at) != Some(&limbs[limb.0 as usize]) {
                let name = program.outputs[index].name.clone();
                return Err(StreamFlaw::Output { name, limb: number });
            }
        }
    }
    Ok(())
}

impl Following<'_> {
    fn command(&mut self, number: usize, command: &Command) -> Result<(), StreamFlaw> {
        let head = &command.head;
        let place = head.get(Field::P0);
        let unwritten = || StreamFlaw::Unwritten { command: number };
        let slot = |field: Field| self.slots[head.get(field)].ok_or_else(unwritten);
        let halves = [Field::N0, Field::N1].map(|field| head.get(field) as u32);
        let opcode = head.opcode();
        let result = match opcode {
            Opcode::End | Opcode::Fence | Opcode::Term => return Ok(()),
            Opcode::Factors => {
                let table = head.get(Field::Offset) * TRANSFER_BYTES;
                let is_whole = table.is_multiple_of(self.map.table_bytes)
                    && head.get(Field::Segment) == TABLES
                    && head.get(Field::Transfers) * TRANSFER_BYTES == self.map.table_bytes;
                let table = table / self.map.table_bytes;
                self.tables[head.table()] = is_whole.then_some(table);
                return Ok(());
            }
            Opcode::Store => {
                let at = (head.get(Field::Segment), head.get(Field::Offset) * TRANSFER_BYTES);
                let value = slot(Field::A)?;
                self.memory.insert(at, value);
                return Ok(());
            }
            Opcode::Load | Opcode::Expand => self.loaded(number, head)?,
            Opcode::Ntt | Opcode::Intt => {
                let wanted = 2 * place + usize::from(opcode == Opcode::Intt);
                if self.tables[head.table()] != Some(wanted) {
                    return Err(StreamFlaw::Factors { command: number });
                }
                of_opcode(opcode, place, &[slot(Field::A)?])
            }
            Opcode::Conv | Opcode::Macp | Opcode::Whole => return self.sum(number, command),
            Opcode::Mul => {
                of_sum(place, [of_product(slot(Field::A)?, slot(Field::B)?)].into_iter())
            }
            Opcode::Scale => of_sum(place, [of_multiple(slot(Field::A)?, halves)].into_iter()),
            Opcode::Subscale => {
                let terms = [(Field::A, halves[0]), (Field::B, halves[1])]
                    .map(|(field, number)| Ok(of_multiple(slot(field)?, [number; 2])));
                let terms = terms.into_iter().collect::<Result<Vec<_>, StreamFlaw>>()?;
                of_sum(place, terms.into_iter())
            }
            Opcode::Add => {
                of_opcode(opcode, place, &[of_product(slot(Field::A)?, slot(Field::B)?)])
            }
            Opcode::Sub => of_opcode(opcode, place, &[slot(Field::A)?, slot(Field::B)?]),
            Opcode::Neg => of_opcode(opcode, place, &[slot(Field::B)?]),
            Opcode::Addnum => of_opcode(opcode, place, &[of_multiple(slot(Field::A)?, halves)]),
            Opcode::Zero => of_opcode(opcode, 0, &[]),
            Opcode::Perm => {
                of_opcode(opcode, 0, &[slot(Field::A)?, head.get(Field::Exponent) as u64])
            }
        };
        self.write(number, head.get(Field::X0), result)
    }

    fn write(&mut self, number: usize, slot: usize, value: u64) -> Result<(), StreamFlaw> {
        if !self.known.contains(&value) {
            return Err(StreamFlaw::Foreign { command: number });
        }
        self.slots[slot] = Some(value);
        Ok(())
    }

    fn loaded(&self, number: usize, head: &Instruction) -> Result<u64, StreamFlaw> {
        let wrong = StreamFlaw::Region { command: number };
        let (segment, offset) = (head.get(Field::Segment), head.get(Field::Offset));
        let offset = offset * TRANSFER_BYTES;
        let content = self.map.segments.get(segment).map(|segment| segment.content);
        match content.ok_or(wrong.clone())? {
            Content::External(index) if head.opcode() == Opcode::Load => {
                let external = &self.program.externals[index];
                let stride = limb_bytes(self.program.degree, external.run);
                let place = external.basis.places().get(offset / stride).ok_or(wrong.clone())?;
                match offset.is_multiple_of(stride) && 1 << head.get(Field::Run) == external.run {
                    true => Ok(of_external(index, *place)),
                    false => Err(wrong),
                }
            }
            Content::Seed(index) if head.opcode() == Opcode::Expand => {
                let place = head.get(Field::Place);
                match place == head.get(Field::P0) && offset == 0 {
                    true => Ok(of_external(index, place as u16)),
                    false => Err(wrong),
                }
            }
            Content::Scratch | Content::Output(_) if head.opcode() == Opcode::Load => {
                let found = self.memory.get(&(segment, offset)).copied();
                match head.get(Field::Run) {
                    0 => found.ok_or(StreamFlaw::Unwritten { command: number }),
                    _ => Err(wrong),
                }
            }
            _ => Err(wrong),
        }
    }

    fn sum(&mut self, number: usize, command: &Command) -> Result<(), StreamFlaw> {
        let unwritten = StreamFlaw::Unwritten { command: number };
        let of = |slots: &[Option<u64>], slot: usize| slots[slot].ok_or(unwritten.clone());
        let is_whole = command.head.opcode() == Opcode::Whole;
        let mut results = Vec::new();
        for column in 0..command.columns() {
            let mut terms = Vec::new();
            for term in &command.terms {
                let first = of(&self.slots, term.get(Field::A))?;
                let numbers = match term.get(Field::Halves) {
                    0 => [NUMBER_FIELDS[column]; 2],
                    _ => [Field::N0, Field::N1],
                };
                let numbers = numbers.map(|field| term.get(field) as u32);
                terms.push(match (is_whole, term.get(Field::Limb)) {
                    (true, _) => {
                        let shift = term.get(Field::Shift) as u64;
                        mixed(&[6, first, shift, numbers[0].into()])
                    }
                    (_, 0) => of_multiple(first, numbers),
                    _ => of_product(first, of(&self.slots, term.get(SLOT_FIELDS[column]))?),
                });
            }
            let place = command.head.get(PRIME_FIELDS[column]);
            results.push(match is_whole {
                true => of_opcode(Opcode::Whole, 0, &[of_sum(0, terms.into_iter())]),
                false => of_sum(place, terms.into_iter()),
            });
        }
        for (field, result) in SLOT_FIELDS.iter().zip(results) {
            self.write(number, command.head.get(*field), result)?;
        }
        Ok(())
    }
}
