// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Programs of the card as bytes: a header, the table of primes, and instructions.

use super::error::ProgramFault;
use super::instruction::PRIME_FIELDS;
use super::instruction::{check_operands, Command, Instruction, INSTRUCTION_BYTES};
use super::isa::{header, prime, Fault, Field, Opcode};
use super::isa::{COLUMNS, MAGIC, PRIMES, SEGMENTS, SLOTS, TRANSFER_BYTES, VERSION};

/// A program in the card's memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// log₂ N.
    pub log_degree: u32,
    /// log₂ of the transforms' radix.
    pub log_radix: u32,
    /// The number of slots that the program uses.
    pub slots: usize,
    /// The number of memory regions of the program.
    pub segments: usize,
    /// The largest number of columns of a sum.
    pub columns: usize,
    /// The primes.
    pub primes: Vec<u32>,
    /// The instructions with their terms, except END.
    pub commands: Vec<Command>,
}

fn put(bytes: &mut [u8], (offset, width): (usize, usize), number: u64) {
    bytes[offset..offset + width].copy_from_slice(&number.to_le_bytes()[..width]);
}

pub(super) fn take(bytes: &[u8], (offset, width): (usize, usize)) -> u64 {
    let part = bytes[offset..offset + width].iter().rev();
    part.fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// Rounds up to a multiple of a transfer.
pub(crate) fn padded(bytes: usize) -> usize {
    bytes.next_multiple_of(TRANSFER_BYTES)
}

fn prime_entry(modulus: u32) -> u32 {
    let bits = u32::BITS - modulus.leading_zeros();
    (modulus >> 17) << prime::K.0 | bits << prime::BITS.0
}

fn prime_of_entry(entry: u32) -> Option<u32> {
    let field = |(low, width): (u32, u32)| entry >> low & ((1 << width) - 1);
    let modulus = field(prime::K) << 17 | 1;
    let is_whole = prime_entry(modulus) == entry && modulus > 1;
    is_whole.then_some(modulus)
}

impl Image {
    /// The number of instruction words, including END.
    pub fn words(&self) -> usize {
        self.commands.iter().map(Command::words).sum::<usize>() + 1
    }

    /// The size of the program in bytes.
    pub fn byte_count(&self) -> usize {
        let start = TRANSFER_BYTES + padded(4 * self.primes.len());
        padded(start + INSTRUCTION_BYTES * self.words())
    }

    /// Encodes the program.
    pub fn to_bytes(&self) -> Vec<u8> {
        let start = TRANSFER_BYTES + padded(4 * self.primes.len());
        let mut bytes = vec![0; start];
        for (chunk, modulus) in bytes[TRANSFER_BYTES..].chunks_exact_mut(4).zip(&self.primes) {
            chunk.copy_from_slice(&prime_entry(*modulus).to_le_bytes());
        }
        for command in &self.commands {
            bytes.extend(command.head.to_bytes());
            command.terms.iter().for_each(|term| bytes.extend(term.to_bytes()));
        }
        bytes.extend(Instruction::new(Opcode::End).to_bytes());
        let checksum = crc32c::crc32c(&bytes[TRANSFER_BYTES..]);
        put(&mut bytes, header::MAGIC, MAGIC.into());
        put(&mut bytes, header::VERSION, VERSION as u64);
        put(&mut bytes, header::LOG_DEGREE, self.log_degree.into());
        put(&mut bytes, header::LOG_RADIX, self.log_radix.into());
        put(&mut bytes, header::SLOTS, self.slots as u64);
        put(&mut bytes, header::PRIMES, self.primes.len() as u64);
        put(&mut bytes, header::SEGMENTS, self.segments as u64);
        put(&mut bytes, header::COLUMNS, self.columns as u64);
        put(&mut bytes, header::INSTRUCTIONS, self.words() as u64);
        put(&mut bytes, header::CHECKSUM, checksum.into());
        bytes.resize(padded(bytes.len()), 0);
        bytes
    }

    /// Decodes a program. Checks that each instruction is known and within the limits of the
    /// header.
    ///
    /// # Errors
    /// [`ProgramFault`] for everything at which a card would stop before it runs.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ProgramFault> {
        let fault = |fault, at| Err(ProgramFault { fault, at });
        if bytes.len() < TRANSFER_BYTES || take(bytes, header::MAGIC) != u64::from(MAGIC) {
            return fault(Fault::Magic, 0);
        }
        if take(bytes, header::VERSION) != VERSION as u64 {
            return fault(Fault::Magic, 0);
        }
        let number = |part| take(bytes, part) as usize;
        let mut image = Self {
            log_degree: number(header::LOG_DEGREE) as u32,
            log_radix: number(header::LOG_RADIX) as u32,
            slots: number(header::SLOTS),
            segments: number(header::SEGMENTS),
            columns: number(header::COLUMNS),
            primes: Vec::new(),
            commands: Vec::new(),
        };
        let (primes, words) = (number(header::PRIMES), number(header::INSTRUCTIONS));
        let has_shape = (6..=17).contains(&image.log_degree)
            && (1..=4).contains(&image.log_radix)
            && image.slots <= SLOTS
            && image.segments <= SEGMENTS
            && (1..=COLUMNS).contains(&image.columns)
            && primes <= PRIMES;
        if !has_shape {
            return fault(Fault::Shape, 0);
        }
        let start = TRANSFER_BYTES + padded(4 * primes);
        let end = start + INSTRUCTION_BYTES * words;
        if bytes.len() < end || words == 0 {
            return fault(Fault::Truncated, 0);
        }
        if take(bytes, header::CHECKSUM) != u64::from(crc32c::crc32c(&bytes[TRANSFER_BYTES..end])) {
            return fault(Fault::Checksum, 0);
        }
        for entry in bytes[TRANSFER_BYTES..].chunks_exact(4).take(primes) {
            let modulus = prime_of_entry(take(entry, (0, 4)) as u32);
            let Some(modulus) = modulus else { return fault(Fault::Prime, 0) };
            image.primes.push(modulus);
        }
        image.read_commands(&bytes[start..end])?;
        image.check()?;
        Ok(image)
    }

    /// Reads the instructions, each sum with its terms, up to END.
    fn read_commands(&mut self, bytes: &[u8]) -> Result<(), ProgramFault> {
        let mut wanted = 0;
        let mut has_ended = false;
        for (at, chunk) in bytes.chunks_exact(INSTRUCTION_BYTES).enumerate() {
            let fault = |fault| ProgramFault { fault, at };
            let mut word = [0; INSTRUCTION_BYTES];
            word.copy_from_slice(chunk);
            let instruction = Instruction::from_bytes(&word).map_err(fault)?;
            if has_ended {
                return Err(fault(Fault::Truncated));
            }
            match (instruction.opcode(), self.commands.last_mut()) {
                (Opcode::Term, Some(sum)) if wanted > 0 => {
                    sum.terms.push(instruction);
                    wanted -= 1;
                    continue;
                }
                (Opcode::Term, _) => return Err(fault(Fault::Order)),
                _ if wanted > 0 => return Err(fault(Fault::Order)),
                (Opcode::End, _) => has_ended = true,
                _ => self.commands.push(instruction.into()),
            }
            wanted = instruction.get(Field::Terms);
        }
        let at = bytes.len() / INSTRUCTION_BYTES;
        if has_ended {
            Ok(())
        } else {
            Err(ProgramFault { fault: Fault::Truncated, at })
        }
    }

    /// Checks that slots, primes, regions, counts and exponents are within the limits of the
    /// program.
    fn check(&self) -> Result<(), ProgramFault> {
        let mut at = 0;
        for command in &self.commands {
            let fault = |fault| Err(ProgramFault { fault, at });
            if let Err(found) = check_operands(command, self.log_degree) {
                return fault(found);
            }
            if command.columns() > self.columns {
                return fault(Fault::Operands);
            }
            let slots = command.reads().into_iter().chain(command.writes());
            if { slots }.any(|slot| slot >= self.slots) {
                return fault(Fault::Slot);
            }
            let fields = command.head.opcode().fields();
            let columns = PRIME_FIELDS[..command.columns()].iter();
            let primes = columns.filter(|field| fields.contains(*field));
            if { primes }.any(|field| command.head.get(*field) >= self.primes.len()) {
                return fault(Fault::Prime);
            }
            let has_segment = fields.contains(&Field::Segment);
            if has_segment && command.head.get(Field::Segment) >= self.segments {
                return fault(Fault::Segment);
            }
            at += command.words();
        }
        Ok(())
    }
}
