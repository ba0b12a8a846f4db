// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The encoding of instructions in memory: eight bytes, little-endian. The code is byte 0, the
//! operands a, b and c are bytes 1–2, 3–4 and 5–6. Byte 7 has no meaning.

use super::isa::{Opcode, Operand, INSTRUCTION_BYTES};

/// The eight bytes of an instruction.
pub type Word = [u8; INSTRUCTION_BYTES];

/// An instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Instruction {
    /// The operation.
    pub opcode: Opcode,
    /// Operands a, b and c.
    pub operands: [u16; 3],
}

impl Instruction {
    /// Creates an instruction with its operands.
    pub fn new(opcode: Opcode, operands: [u16; 3]) -> Self {
        Self { opcode, operands }
    }

    /// Returns the instruction's bytes.
    pub fn encode(&self) -> Word {
        let [[a0, a1], [b0, b1], [c0, c1]] = self.operands.map(u16::to_le_bytes);
        [self.opcode as u8, a0, a1, b0, b1, c0, c1, 0]
    }

    /// Decodes an instruction; `None` if the code is unknown.
    pub fn decode(word: Word) -> Option<Self> {
        let [code, a0, a1, b0, b1, c0, c1, _] = word;
        let operands = [[a0, a1], [b0, b1], [c0, c1]].map(u16::from_le_bytes);
        Opcode::of_code(code).map(|opcode| Self { opcode, operands })
    }

    /// Returns `true` if a disassembled line reproduces these bytes: [`Self::encode`] gives them,
    /// and operands without a meaning are 0.
    pub(crate) fn is_plain(&self, word: Word) -> bool {
        let parts = self.opcode.operands().into_iter().zip(self.operands);
        let has_plain_operands =
            parts.into_iter().all(|(operand, number)| operand != Operand::None || number == 0);
        has_plain_operands && self.encode() == word
    }

    /// Returns the operand of this kind, if the instruction has one.
    pub(crate) fn operand(&self, wanted: Operand) -> Option<u16> {
        let mut parts = self.opcode.operands().into_iter().zip(self.operands);
        parts.find(|(operand, _)| *operand == wanted).map(|(_, number)| number)
    }
}
