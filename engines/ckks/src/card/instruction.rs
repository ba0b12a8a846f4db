// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Instructions: words of 256 bits, and their fields (`engines/ckks/card/isa.toml`).

use std::fmt;

use super::isa::{Fault, Field, Opcode, COLUMNS, TERMS, WORD_BITS};

/// The size of an instruction in bytes.
pub const INSTRUCTION_BYTES: usize = WORD_BITS / 8;

/// The fields for the slot, prime and number of each column.
pub(super) const SLOT_FIELDS: [Field; COLUMNS] = [Field::X0, Field::X1, Field::X2, Field::X3];
pub(super) const PRIME_FIELDS: [Field; COLUMNS] = [Field::P0, Field::P1, Field::P2, Field::P3];
pub(super) const NUMBER_FIELDS: [Field; COLUMNS] = [Field::N0, Field::N1, Field::N2, Field::N3];

/// One instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    opcode: Opcode,
    words: [u64; WORD_BITS / 64],
}

impl Instruction {
    /// An instruction whose fields are 0.
    pub fn new(opcode: Opcode) -> Self {
        let mut words = [0; WORD_BITS / 64];
        words[0] = opcode as u64;
        Self { opcode, words }
    }

    /// Sets a field.
    ///
    /// # Panics
    /// Panics if the instruction does not have the field, or if the number does not fit it.
    pub fn with(mut self, field: Field, number: usize) -> Self {
        let (low, width) = field.place();
        assert!(self.opcode.fields().contains(&field), "{field:?} of {:?}", self.opcode);
        assert!(number >> width == 0, "{field:?} = {number}");
        let word = &mut self.words[(low / 64) as usize];
        *word &= !(((1u64 << width) - 1) << (low % 64));
        *word |= (number as u64) << (low % 64);
        self
    }

    /// The operation of the instruction.
    pub fn opcode(&self) -> Opcode {
        self.opcode
    }

    /// The value of a field, or 0 if the instruction does not have it.
    pub fn get(&self, field: Field) -> usize {
        if !self.opcode.fields().contains(&field) {
            return 0;
        }
        let (low, width) = field.place();
        (self.words[(low / 64) as usize] >> (low % 64)) as usize & ((1 << width) - 1)
    }

    /// Sets the index of the factor table on the card.
    pub(super) fn with_table(self, table: usize) -> Self {
        self.with(Field::Pair, table / 2).with(Field::Buffer, table % 2)
    }

    /// The index of the factor table on the card.
    pub fn table(&self) -> usize {
        2 * self.get(Field::Pair) + self.get(Field::Buffer)
    }

    /// Encodes the instruction.
    pub fn to_bytes(&self) -> [u8; INSTRUCTION_BYTES] {
        let mut bytes = [0; INSTRUCTION_BYTES];
        for (chunk, word) in bytes.chunks_exact_mut(8).zip(self.words) {
            chunk.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    /// Decodes an instruction.
    ///
    /// # Errors
    /// [`Fault::Opcode`] for an unknown instruction, and for bits that belong to no field.
    pub fn from_bytes(bytes: &[u8; INSTRUCTION_BYTES]) -> Result<Self, Fault> {
        let mut words = [0; WORD_BITS / 64];
        for (word, chunk) in words.iter_mut().zip(bytes.chunks_exact(8)) {
            *word = chunk.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
        }
        let (_, width) = Field::Opcode.place();
        let code = words[0] & ((1 << width) - 1);
        let opcode = Opcode::of_code(code as u8).ok_or(Fault::Opcode)?;
        let mut unused = words;
        for field in opcode.fields().iter().chain(&[Field::Opcode]) {
            let (low, width) = field.place();
            unused[(low / 64) as usize] &= !(((1u64 << width) - 1) << (low % 64));
        }
        match unused.iter().all(|word| *word == 0) {
            true => Ok(Self { opcode, words }),
            false => Err(Fault::Opcode),
        }
    }
}

/// The line of the instruction in a listing, with the fields that are not 0.
impl fmt::Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<9}", self.opcode.name())?;
        for field in self.opcode.fields() {
            let number = self.get(*field);
            let is_operand = matches!(field, Field::A | Field::B | Field::X0 | Field::P0);
            if number != 0 || (is_operand && self.opcode != Opcode::Term) || *field == Field::A {
                write!(f, " {}={number}", field.name())?;
            }
        }
        Ok(())
    }
}

/// An instruction with its terms: the work that a unit accepts at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// The instruction.
    pub head: Instruction,
    /// The terms of a sum.
    pub terms: Vec<Instruction>,
}

impl From<Instruction> for Command {
    fn from(head: Instruction) -> Self {
        Self { head, terms: Vec::new() }
    }
}

impl Command {
    /// The number of words.
    pub fn words(&self) -> usize {
        1 + self.terms.len()
    }

    /// The number of sums with the same first factors; 1 except for sums.
    pub fn columns(&self) -> usize {
        match self.head.opcode() {
            Opcode::Conv | Opcode::Macp => self.head.get(Field::Columns),
            _ => 1,
        }
    }

    /// The slots that the command reads, possibly with duplicates.
    pub fn reads(&self) -> Vec<usize> {
        let fields: &[Field] = match self.head.opcode() {
            Opcode::Store | Opcode::Ntt | Opcode::Intt | Opcode::Scale => &[Field::A],
            Opcode::Addnum | Opcode::Perm => &[Field::A],
            Opcode::Mul | Opcode::Subscale | Opcode::Add | Opcode::Sub => &[Field::A, Field::B],
            Opcode::Neg => &[Field::B],
            _ => &[],
        };
        let mut slots: Vec<usize> = fields.iter().map(|field| self.head.get(*field)).collect();
        for term in &self.terms {
            slots.push(term.get(Field::A));
            if term.get(Field::Limb) == 1 {
                let second = SLOT_FIELDS[..self.columns()].iter().map(|field| term.get(*field));
                slots.extend(second);
            }
        }
        slots
    }

    /// The slots that the command writes.
    pub fn writes(&self) -> Vec<usize> {
        let has_result = self.head.opcode().fields().contains(&Field::X0);
        let columns = if has_result { self.columns() } else { 0 };
        SLOT_FIELDS[..columns].iter().map(|field| self.head.get(*field)).collect()
    }
}

/// Checks the counts and exponents of a command, independently of the program.
pub(super) fn check_operands(command: &Command, log_degree: u32) -> Result<(), Fault> {
    let head = &command.head;
    let wrong = match head.opcode() {
        Opcode::Conv | Opcode::Macp | Opcode::Whole => {
            let is_whole = head.opcode() == Opcode::Whole;
            let terms = head.get(Field::Terms);
            let columns = if is_whole { 1 } else { head.get(Field::Columns) };
            let is_wrong = |term: &Instruction| {
                let by_limb = term.get(Field::Limb) == 1;
                let by_halves = term.get(Field::Halves) == 1;
                // Unused columns, and fields of the other kind of second factor, must be 0.
                let unused = |fields: &[Field; COLUMNS], used: usize| {
                    fields[used..].iter().any(|field| term.get(*field) != 0)
                };
                let numbers = if by_halves { 2 } else { columns };
                unused(&SLOT_FIELDS, if by_limb { columns } else { 0 })
                    || unused(&NUMBER_FIELDS, if by_limb { 0 } else { numbers })
                    || (by_limb && (by_halves || head.opcode() != Opcode::Macp))
                    || (by_halves && (columns != 1 || is_whole))
            };
            !(1..=TERMS).contains(&terms)
                || !(1..=COLUMNS).contains(&columns)
                || command.terms.iter().any(is_wrong)
                || SLOT_FIELDS[columns..].iter().any(|field| head.get(*field) != 0)
                || PRIME_FIELDS[columns..].iter().any(|field| head.get(*field) != 0)
        }
        Opcode::Load => head.get(Field::Run) as u32 > log_degree,
        Opcode::Perm => {
            let exponent = head.get(Field::Exponent);
            exponent.is_multiple_of(2)
                || exponent >> (log_degree + 1) != 0
                || head.get(Field::A) == head.get(Field::X0)
        }
        _ => false,
    };
    if wrong {
        Err(Fault::Operands)
    } else {
        Ok(())
    }
}
