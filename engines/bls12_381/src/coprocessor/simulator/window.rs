// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The host's view of the contexts' registers and memories: words of 32 bits.

use super::{Context, Machine, State};
use crate::coprocessor::instruction::Word;
use crate::coprocessor::isa::{
    register, window, INSTRUCTIONS, INSTRUCTION_BYTES, KIND_EXTENSION, SLOTS, SLOT_BYTES,
    VALUE_BYTES, VERSION,
};
use crate::coprocessor::Slot;

const WORD_BYTES: usize = 4;
const INSTRUCTIONS_AT: usize = window::INSTRUCTIONS as usize;
const DATA_AT: usize = window::DATA as usize;
/// The word of a slot whose lowest bit is the highest bit of the kind.
const EXTENSION_AT: usize = KIND_EXTENSION / 8;

/// Words that wait for the word that commits them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Staged {
    instruction: [u8; WORD_BYTES],
    data: [[u8; WORD_BYTES]; VALUE_BYTES / WORD_BYTES],
    is_high: bool,
}

/// The target of an address in a window.
enum Location {
    Register(u32),
    Instruction { place: usize, byte: usize },
    Data { place: usize, byte: usize },
    Nothing,
}

fn place_of(address: u32) -> Location {
    let offset = address as usize;
    let within = |start: usize, count: usize, bytes: usize| {
        (start..start + count * bytes)
            .contains(&offset)
            .then(|| ((offset - start) / bytes, (offset - start) % bytes))
    };
    if offset < INSTRUCTIONS_AT {
        return Location::Register(address);
    }
    if let Some((place, byte)) = within(INSTRUCTIONS_AT, INSTRUCTIONS, INSTRUCTION_BYTES) {
        return Location::Instruction { place, byte };
    }
    match within(DATA_AT, SLOTS, SLOT_BYTES) {
        Some((place, byte)) => Location::Data { place, byte },
        None => Location::Nothing,
    }
}

/// Returns the context of an address, and the offset of its word in the window.
fn context_of(address: u32) -> (usize, u32) {
    let offset = address % window::BYTES;
    ((address / window::BYTES) as usize, offset - offset % WORD_BYTES as u32)
}

impl Machine {
    /// Reads a word. Unused addresses read as 0.
    pub fn read_word(&self, address: u32) -> u32 {
        let (number, address) = context_of(address);
        let Some(context) = self.contexts().get(number) else { return 0 };
        match place_of(address) {
            Location::Register(offset) => self.read_register(context, offset),
            Location::Instruction { place, byte } => {
                context.instruction(place).map_or(0, |word| word_at(&word, byte))
            }
            Location::Data { place, byte } => {
                let (bytes, is_high) = context.slots()[place].to_window();
                match byte == EXTENSION_AT {
                    true => u32::from(is_high),
                    false => word_at(&bytes, byte),
                }
            }
            Location::Nothing => 0,
        }
    }

    fn read_register(&self, context: &Context, offset: u32) -> u32 {
        let has_extension = u32::from(self.has_extension());
        match offset {
            register::INSTRUCTION_OFFSET => window::INSTRUCTIONS,
            register::DATA_OFFSET => window::DATA,
            register::INSTRUCTION_SIZE => (INSTRUCTIONS * INSTRUCTION_BYTES) as u32,
            register::DATA_SIZE => (SLOTS * SLOT_BYTES) as u32,
            register::INSTRUCTION_POINTER => context.pointer().into(),
            register::CAPABILITY if self.has_extension() => {
                (VERSION as u32) << 24 | (self.contexts().len() as u32) << 8 | has_extension
            }
            register::ERROR => match context.state() {
                State::Stopped(error) => error.to_word(),
                _ => 0,
            },
            register::INSTRUCTION_LIMIT => context.limit(),
            register::RETIRED => context.retired().0,
            _ => 0,
        }
    }

    /// Writes a word. Writes to read-only addresses have no effect.
    pub fn write_word(&mut self, address: u32, value: u32) {
        let (number, address) = context_of(address);
        let has_extension = self.has_extension();
        let (Some(context), Some(staged)) =
            (self.contexts.get_mut(number), self.windows.get_mut(number))
        else {
            return;
        };
        match place_of(address) {
            Location::Register(offset) => write_register(context, offset, value),
            Location::Instruction { place, byte } => match byte as u32 {
                window::INSTRUCTION_COMMIT => {
                    let mut word = Word::default();
                    word[..WORD_BYTES].copy_from_slice(&staged.instruction);
                    word[WORD_BYTES..].copy_from_slice(&value.to_le_bytes());
                    context.write_instruction(place, word);
                }
                _ => staged.instruction = value.to_le_bytes(),
            },
            Location::Data { byte: EXTENSION_AT, .. } => {
                staged.is_high = has_extension && value & 1 == 1
            }
            Location::Data { place, byte } => {
                if let Some(word) = staged.data.get_mut(byte / WORD_BYTES) {
                    *word = value.to_le_bytes();
                }
                if byte as u32 == window::DATA_COMMIT {
                    let mut bytes = [0; VALUE_BYTES];
                    bytes.copy_from_slice(staged.data.as_flattened());
                    if let Some(slot) = Slot::from_window(bytes, staged.is_high) {
                        context.write_slot(place, slot);
                    }
                    staged.is_high = false;
                }
            }
            Location::Nothing => {}
        }
    }
}

fn word_at(bytes: &[u8], at: usize) -> u32 {
    let word = bytes.get(at..at + WORD_BYTES).and_then(|word| word.try_into().ok());
    word.map_or(0, u32::from_le_bytes)
}

fn write_register(context: &mut Context, offset: u32, value: u32) {
    match offset {
        register::INSTRUCTION_OFFSET => {
            if value & 1 == 1 {
                context.memory.clear_instructions();
            }
            if value >> 1 & 1 == 1 {
                context.memory.clear_slots();
            }
        }
        register::INSTRUCTION_POINTER => context.start(value.min(u16::MAX.into()) as u16),
        register::INSTRUCTION_LIMIT => context.set_limit(value),
        _ => {}
    }
}
