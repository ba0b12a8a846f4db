// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The instruction-set simulator: runs a program in a card's memory, instruction by instruction,
//! with that memory and a scratchpad.

use super::arithmetic::{forward, inverse, permuted, reduce, whole};
use super::error::{CardError, ProgramFault};
use super::image::{take, Image};
use super::instruction::{Command, Instruction, NUMBER_FIELDS, PRIME_FIELDS, SLOT_FIELDS};
use super::isa::{job, Fault, Field, Opcode, TABLES, TRANSFER_BYTES};
use super::memory::CardMemory;
use super::tables::factors_of;
use crate::ring::Modulus;
use crate::sampling::{uniform_limb, SEED_BYTES};

/// The content of slots before they are written, which is not a residue of any prime.
const UNWRITTEN: u32 = 0x3fff_ffff;

struct Scratchpad {
    log_degree: u32,
    log_radix: u32,
    moduli: Vec<Modulus>,
    slots: Vec<Vec<u32>>,
    /// The factor tables, by their numbers.
    factors: Vec<Vec<u32>>,
}

/// Runs the job at address 0 of a memory. Calls `each` after every command, with the number of the
/// command and the content of the slots.
///
/// # Errors
/// [`CardError`] for a fault at which a card would stop. The instructions before it have been
/// executed.
pub fn simulate(
    memory: &mut CardMemory,
    mut each: impl FnMut(usize, &Command, &[Vec<u32>]),
) -> Result<(), CardError> {
    let header = |fault| ProgramFault { fault, at: 0 };
    if memory.bytes.len() < TRANSFER_BYTES {
        return Err(header(Fault::Address).into());
    }
    let program = take(&memory.bytes, job::PROGRAM) as usize;
    let image = memory.bytes.get(program..).ok_or_else(|| header(Fault::Address))?;
    let image = Image::from_bytes(image)?;
    if (take(&memory.bytes, job::COUNT) as usize) < image.segments {
        return Err(header(Fault::Segment).into());
    }
    let moduli = image.primes.iter().map(|prime| Modulus::new(*prime));
    let mut scratchpad = Scratchpad {
        log_degree: image.log_degree,
        log_radix: image.log_radix,
        moduli: moduli.collect::<Result<_, _>>()?,
        slots: vec![vec![UNWRITTEN; 1 << image.log_degree]; image.slots],
        factors: vec![vec![UNWRITTEN; 1 << image.log_degree]; TABLES],
    };
    let mut at = 0;
    for (number, command) in image.commands.iter().enumerate() {
        scratchpad.run(command, memory).map_err(|fault| ProgramFault { fault, at })?;
        each(number, command, &scratchpad.slots);
        at += command.words();
    }
    Ok(())
}

impl Scratchpad {
    fn slot(&self, instruction: &Instruction, field: Field) -> &[u32] {
        &self.slots[instruction.get(field)]
    }

    fn modulus(&self, instruction: &Instruction) -> Modulus {
        self.moduli[instruction.get(Field::P0)]
    }

    fn run(&mut self, command: &Command, memory: &mut CardMemory) -> Result<(), Fault> {
        let head = &command.head;
        let address = |memory: &CardMemory| {
            let offset = (head.get(Field::Offset) * TRANSFER_BYTES) as u64;
            Ok(memory.segment(head.get(Field::Segment))? + offset)
        };
        let degree = 1usize << self.log_degree;
        let result = match head.opcode() {
            Opcode::End | Opcode::Fence | Opcode::Term => return Ok(()),
            Opcode::Load => {
                let run = head.get(Field::Run);
                let words = memory.words(address(memory)?, degree >> run)?;
                (0..degree).map(|index| words[index >> run]).collect()
            }
            Opcode::Store => {
                let to = address(memory)?;
                return memory.set_words(to, self.slot(head, Field::A));
            }
            Opcode::Factors => {
                let words = head.get(Field::Transfers) * TRANSFER_BYTES / 4;
                let table = memory.words(address(memory)?, words)?;
                let factors = factors_of(&table, self.log_degree, self.log_radix);
                self.factors[head.table()] = factors.ok_or(Fault::Operands)?;
                return Ok(());
            }
            Opcode::Expand => self.expand(head, memory, address(memory)?)?,
            Opcode::Ntt | Opcode::Intt => {
                let modulus = self.modulus(head);
                let factors = &self.factors[head.table()];
                let product = |b: u32, number: usize| {
                    reduce(modulus, u128::from(b) * u128::from(factors[number]))
                };
                match head.opcode() == Opcode::Ntt {
                    true => forward(modulus, product, self.slot(head, Field::A)),
                    false => inverse(modulus, product, self.slot(head, Field::A)),
                }
            }
            Opcode::Conv | Opcode::Macp | Opcode::Whole => {
                self.sum(command);
                return Ok(());
            }
            Opcode::Mul | Opcode::Scale | Opcode::Subscale => self.products(head),
            Opcode::Zero => vec![0; degree],
            Opcode::Perm => permuted(self.slot(head, Field::A), head.get(Field::Exponent) as u64),
            Opcode::Add | Opcode::Sub | Opcode::Neg | Opcode::Addnum => self.added(head),
        };
        self.slots[head.get(Field::X0)] = result;
        Ok(())
    }

    fn expand(
        &self,
        head: &Instruction,
        memory: &CardMemory,
        address: u64,
    ) -> Result<Vec<u32>, Fault> {
        let words = memory.words(address, SEED_BYTES / 4 + 1)?;
        let mut seed = [0; SEED_BYTES];
        for (chunk, word) in seed.chunks_exact_mut(4).zip(&words) {
            chunk.copy_from_slice(&word.to_le_bytes());
        }
        let stream = u64::from(words[SEED_BYTES / 4]) << 16 | head.get(Field::Place) as u64;
        let mut limb = vec![0; 1 << self.log_degree];
        uniform_limb(&seed, stream, self.modulus(head).value(), &mut limb);
        Ok(limb)
    }

    /// Computes the sums of all columns.
    fn sum(&mut self, command: &Command) {
        let degree = 1 << self.log_degree;
        let is_whole = command.head.opcode() == Opcode::Whole;
        let mut results = Vec::new();
        for column in 0..command.columns() {
            let mut sums = vec![0u128; degree];
            for term in &command.terms {
                let first = self.slot(term, Field::A);
                let shift = term.get(Field::Shift);
                let first = first.iter().map(|residue| u128::from(residue << shift));
                if term.get(Field::Limb) == 1 {
                    let second = self.slot(term, SLOT_FIELDS[column]);
                    for ((sum, a), b) in sums.iter_mut().zip(first).zip(second) {
                        *sum += a * u128::from(*b);
                    }
                    continue;
                }
                let fields = match term.get(Field::Halves) == 1 {
                    true => [Field::N0, Field::N1],
                    false => [NUMBER_FIELDS[column]; 2],
                };
                let numbers = fields.map(|field| term.get(field) as u128);
                for (index, (sum, a)) in sums.iter_mut().zip(first).enumerate() {
                    *sum += a * numbers[index / (degree / 2)];
                }
            }
            let prime = command.head.get(PRIME_FIELDS[column]);
            let reduced = sums.into_iter().map(|sum| match is_whole {
                true => whole(sum),
                false => reduce(self.moduli[prime], sum),
            });
            results.push(reduced.collect());
        }
        for (field, result) in SLOT_FIELDS.iter().zip(results) {
            self.slots[command.head.get(*field)] = result;
        }
    }

    /// Computes one or two products.
    fn products(&self, head: &Instruction) -> Vec<u32> {
        let modulus = self.modulus(head);
        let half = 1usize << (self.log_degree - 1);
        let numbers = [Field::N0, Field::N1].map(|field| head.get(field) as u128);
        let a = self.slot(head, Field::A).iter().map(|a| u128::from(*a));
        let b = self.slot(head, Field::B).iter().map(|b| u128::from(*b));
        let sum = |(index, (a, b)): (usize, (u128, u128))| match head.opcode() {
            Opcode::Mul => a * b,
            Opcode::Scale => a * numbers[index / half],
            _ => a * numbers[0] + b * numbers[1],
        };
        a.zip(b).enumerate().map(sum).map(|sum| reduce(modulus, sum)).collect()
    }

    fn added(&self, head: &Instruction) -> Vec<u32> {
        let modulus = self.modulus(head);
        let half = 1usize << (self.log_degree - 1);
        let numbers = [Field::N0, Field::N1].map(|field| head.get(field) as u32);
        let a = self.slot(head, Field::A).iter().copied();
        let b = self.slot(head, Field::B).iter().copied();
        let sum = |(index, (a, b)): (usize, (u32, u32))| match head.opcode() {
            Opcode::Add => modulus.add(a, b),
            Opcode::Sub => modulus.sub(a, b),
            Opcode::Neg => modulus.sub(0, b),
            _ => modulus.add(a, numbers[index / half]),
        };
        a.zip(b).enumerate().map(sum).collect()
    }
}
