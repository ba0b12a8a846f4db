// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A program as it is loaded: instructions, data, and where it starts.

use super::instruction::Word;
use super::isa::INSTRUCTION_BYTES;
use super::Slot;

/// A program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// The instruction memory from its beginning on.
    pub instructions: Vec<Word>,
    /// Slots by their places.
    pub slots: Vec<(usize, Slot)>,
    /// The place of the first instruction.
    pub start: u16,
}

impl Program {
    /// The bytes of the instructions.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.instructions.concat()
    }

    /// The instructions in these bytes; none where they are no whole number of instructions.
    pub fn words(bytes: &[u8]) -> Option<&[Word]> {
        let (words, rest) = bytes.as_chunks::<INSTRUCTION_BYTES>();
        rest.is_empty().then_some(words)
    }
}
