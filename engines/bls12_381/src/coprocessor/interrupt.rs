// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The messages of a context to the host: a result, or the reason why it stopped.

use super::isa::{error_word, reply, Fault, Kind, VALUE_BYTES};
use super::Slot;

/// The command word of the reply (`bls12_381_interrupt`).
const COMMAND: u32 = 0x8000_0200;
/// Bytes before the slots.
pub const HEADER_BYTES: usize = reply::PADDING.0 + reply::PADDING.1;

/// Why and where a context stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ErrorWord {
    /// The reason.
    pub fault: Fault,
    /// The code of the instruction, or 0 if none could be fetched.
    pub opcode: u8,
    /// The place of the instruction.
    pub pointer: u16,
}

impl ErrorWord {
    /// Encodes the error as in the register and the reply.
    pub fn to_word(self) -> u32 {
        let pointer_mask = (1 << error_word::POINTER.1) - 1;
        (self.fault as u32) << error_word::CODE.0
            | u32::from(self.opcode) << error_word::OPCODE.0
            | (u32::from(self.pointer) & pointer_mask) << error_word::POINTER.0
            | 1 << error_word::PRESENT.0
    }

    /// Decodes an error word; `None` if the word reports no error.
    pub fn from_word(word: u32) -> Option<Self> {
        let bits = |(low, count): (u32, u32)| word >> low & ((1 << count) - 1);
        let fault = Fault::ALL.into_iter().find(|fault| *fault as u32 == bits(error_word::CODE))?;
        let (opcode, pointer) = (bits(error_word::OPCODE), bits(error_word::POINTER));
        let is_present = bits(error_word::PRESENT) == 1;
        is_present.then_some(Self { fault, opcode: opcode as u8, pointer: pointer as u16 })
    }
}

/// The content of an interrupt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// An element and its index, sent by `SEND_INTERRUPT`.
    Element {
        /// Operand b.
        index: u16,
        /// The element's slots, all of one kind.
        slots: Vec<Slot>,
    },
    /// The context has stopped.
    Stopped(ErrorWord),
}

/// An interrupt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interrupt {
    /// The context that sends it.
    pub context: usize,
    /// The content.
    pub message: Message,
}

impl Interrupt {
    /// Returns the frame on the card's stream.
    pub fn to_bytes(&self) -> Vec<u8> {
        let (index, kind, error, slots): (u32, Kind, u8, &[Slot]) = match &self.message {
            Message::Element { index, slots } => {
                let kind = slots.first().map_or(Kind::Scalar, |slot| slot.kind);
                (u32::from(*index), kind, 0, slots)
            }
            Message::Stopped(word) => (word.to_word(), Kind::Scalar, word.fault as u8, &[]),
        };
        let length = HEADER_BYTES + slots.len() * VALUE_BYTES;
        let mut bytes = vec![0; HEADER_BYTES];
        let fields: [(usize, &[u8]); 6] = [
            (0, &(length as u32).to_le_bytes()),
            (4, &COMMAND.to_le_bytes()),
            (reply::INDEX.0, &index.to_le_bytes()),
            (reply::KIND.0, &[kind as u8]),
            (reply::ERROR.0, &[error]),
            (reply::CONTEXT.0, &[self.context as u8]),
        ];
        for (offset, field) in fields {
            bytes[offset..offset + field.len()].copy_from_slice(field);
        }
        bytes.extend(slots.iter().flat_map(|slot| slot.number.to_le_bytes()));
        bytes
    }
}
