// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One program in flight: its memories, its pointer and its state.

use std::collections::BTreeSet;
use std::ops::Range;

use super::execute::{execute, Effect};
use super::memory::Memory;
use crate::coprocessor::instruction::Word;
use crate::coprocessor::interrupt::{ErrorWord, Message};
use crate::coprocessor::isa::{Fault, Opcode, INSTRUCTIONS, SLOTS};
use crate::coprocessor::{Instruction, Program, Slot};

/// The state of a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// The next instruction will be executed.
    Running,
    /// The next instruction is `NOOP_WAIT`.
    Waiting,
    /// The context stopped with an error.
    Stopped(ErrorWord),
}

/// An executed instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retired {
    /// The place of the instruction.
    pub pointer: u16,
    /// The instruction.
    pub instruction: Instruction,
    /// The slots that the instruction wrote.
    pub written: Range<usize>,
    /// The place of the next instruction.
    pub next: u16,
}

/// The clocks that the authors of the published coprocessor state for the executed instructions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PublishedClocks {
    /// The sum of the stated clocks.
    pub clocks: u64,
    /// The number of executed instructions without stated clocks.
    pub others: u64,
}

/// A context.
#[derive(Clone, Debug, Default)]
pub struct Context {
    pub(super) memory: Memory,
    pointer: u16,
    error: Option<ErrorWord>,
    limit: u32,
    retired: u32,
    clocks: PublishedClocks,
    breakpoints: BTreeSet<u16>,
}

impl Context {
    /// Loads a program's instructions and data, and sets the pointer to its start.
    pub fn load(&mut self, program: &Program) {
        for (place, word) in program.instructions.iter().enumerate() {
            self.write_instruction(place, *word);
        }
        for (place, slot) in &program.slots {
            self.write_slot(*place, *slot);
        }
        self.start(program.start);
    }

    /// Sets the pointer: the context continues there, even after an error.
    pub fn start(&mut self, pointer: u16) {
        self.pointer = pointer;
        self.error = None;
        self.retired = 0;
        self.clocks = PublishedClocks::default();
    }

    /// Writes an instruction; has no effect beyond the memory.
    pub fn write_instruction(&mut self, place: usize, word: Word) {
        if let Some(instruction) = self.memory.instruction_mut(place) {
            *instruction = word;
        }
    }

    /// Writes a slot; has no effect beyond the memory.
    pub fn write_slot(&mut self, place: usize, slot: Slot) {
        if let Some(written) = self.memory.slot_mut(place) {
            *written = slot;
        }
    }

    /// Returns the bytes of an instruction, or `None` beyond the memory.
    pub fn instruction(&self, place: usize) -> Option<Word> {
        self.memory.instruction(place)
    }

    /// Returns all slots.
    pub fn slots(&self) -> &[Slot; SLOTS] {
        self.memory.slots()
    }

    /// Returns the place of the next instruction.
    pub fn pointer(&self) -> u16 {
        self.pointer
    }

    /// Returns the maximum number of instructions after a start; 0 means no limit.
    pub fn limit(&self) -> u32 {
        self.limit
    }

    /// Sets the limit.
    pub fn set_limit(&mut self, limit: u32) {
        self.limit = limit;
    }

    /// Returns the number of instructions executed since the last start, and their published
    /// clocks.
    pub fn retired(&self) -> (u32, PublishedClocks) {
        (self.retired, self.clocks)
    }

    /// Sets or removes a breakpoint: [`Machine::run`](super::Machine::run) stops before this place.
    pub fn set_breakpoint(&mut self, place: u16, is_set: bool) {
        match is_set {
            true => self.breakpoints.insert(place),
            false => self.breakpoints.remove(&place),
        };
    }

    pub(super) fn is_at_breakpoint(&self) -> bool {
        self.breakpoints.contains(&self.pointer)
    }

    /// Returns the state.
    pub fn state(&self) -> State {
        if let Some(error) = self.error {
            return State::Stopped(error);
        }
        match self.memory.instruction(self.pointer.into()) {
            Some([code, ..]) if code == Opcode::NoopWait as u8 => State::Waiting,
            _ => State::Running,
        }
    }

    /// Executes one instruction of a running context. Returns the executed instruction and the
    /// message to the host, if any.
    pub(super) fn step(&mut self, has_extension: bool) -> (Option<Retired>, Option<Message>) {
        match self.next(has_extension) {
            Ok((retired, message)) => (Some(retired), message),
            Err(error) => {
                self.error = Some(error);
                (None, Some(Message::Stopped(error)))
            }
        }
    }

    fn next(&mut self, has_extension: bool) -> Result<(Retired, Option<Message>), ErrorWord> {
        let pointer = self.pointer;
        let stopped = |fault, opcode| ErrorWord { fault, opcode, pointer };
        if self.limit != 0 && self.retired >= self.limit {
            return Err(stopped(Fault::Limit, 0));
        }
        let word = self.memory.instruction(pointer.into());
        let word = word.ok_or(stopped(Fault::Pointer, 0))?;
        let instruction = Instruction::decode(word)
            .filter(|instruction| has_extension || !instruction.opcode.is_extension());
        let instruction = instruction.ok_or(stopped(Fault::Opcode, word[0]))?;
        let (effect, access) =
            execute(&mut self.memory, &instruction).map_err(|fault| stopped(fault, word[0]))?;
        let clocks = access.last_read().and_then(|kind| access.opcode.published_clocks(kind));
        self.clocks.clocks += u64::from(clocks.unwrap_or(0));
        self.clocks.others += u64::from(clocks.is_none());
        self.retired = self.retired.saturating_add(1);
        let (next, message) = match effect {
            Effect::Next => (pointer + 1, None),
            Effect::Jump(target) => (target, None),
            Effect::Send { index, slots } => (pointer + 1, Some(Message::Element { index, slots })),
        };
        debug_assert!(usize::from(next) <= INSTRUCTIONS);
        self.pointer = next;
        Ok((Retired { pointer, instruction, written: access.written, next }, message))
    }
}
