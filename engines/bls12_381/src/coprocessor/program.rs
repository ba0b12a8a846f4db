// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Programs: instructions, data, and a start.

use super::instruction::Word;
use super::isa::INSTRUCTION_BYTES;
use super::Slot;

/// A program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// The instruction memory from its beginning on.
    pub instructions: Vec<Word>,
    /// Slots, each with its place.
    pub slots: Vec<(usize, Slot)>,
    /// The place of the first instruction.
    pub start: u16,
}

impl Program {
    /// Returns the bytes of the instructions.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.instructions.concat()
    }

    /// Splits bytes into instructions; `None` unless they are a whole number of instructions.
    pub fn words(bytes: &[u8]) -> Option<&[Word]> {
        let (words, rest) = bytes.as_chunks::<INSTRUCTION_BYTES>();
        rest.is_empty().then_some(words)
    }
}
