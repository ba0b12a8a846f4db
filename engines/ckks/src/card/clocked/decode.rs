// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `ckks_decode`: the words of a program in sequence, with the operands of each.

use std::collections::VecDeque;

use super::scoreboard::Operand;
use super::shape::Shape;
use crate::card::instruction::{Command, Instruction, SLOT_FIELDS};
use crate::card::isa::{Field, Opcode, Unit, TABLES};

/// Indices of the scoreboard's queues.
pub(super) const LOADS: usize = 0;
pub(super) const STORES: usize = 1;
pub(super) const EXPANSION: usize = 2;
pub(super) const TRANSFORMS: usize = 3;
pub(super) const PRODUCTS: usize = 4;
pub(super) const SUMS: usize = 5;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Word,
    Check,
    Region,
    Reach,
    Judge,
    Operands,
    Wait,
    Stop,
}

pub(super) struct Decoder<'c> {
    commands: &'c [Command],
    slots: usize,
    regions: usize,
    state: State,
    /// The current word: that of a command, or one of its terms.
    command: usize,
    term: Option<usize>,
    left: VecDeque<(usize, bool)>,
    /// Free entries of the table of terms, and the number of entries that each unfinished product
    /// uses.
    places: usize,
    held: VecDeque<usize>,
}

fn queue_of(opcode: Opcode) -> usize {
    match opcode.unit() {
        Unit::Memory if opcode == Opcode::Store => STORES,
        Unit::Memory => LOADS,
        Unit::Expand => EXPANSION,
        Unit::Transform => TRANSFORMS,
        Unit::Product => PRODUCTS,
        Unit::Sum | Unit::Control => SUMS,
    }
}

impl<'c> Decoder<'c> {
    pub(super) fn new(commands: &'c [Command], shape: &Shape, slots: usize) -> Self {
        Self {
            commands,
            slots,
            regions: 1 << shape.log_regions,
            state: State::Word,
            command: 0,
            term: None,
            left: VecDeque::new(),
            places: shape.term_places,
            held: VecDeque::new(),
        }
    }

    /// The number of resources in the scoreboard's table.
    pub(super) fn resources(shape: &Shape, slots: usize) -> usize {
        slots + TABLES + (1 << shape.log_regions)
    }

    pub(super) fn has_ended(&self) -> bool {
        self.state == State::Stop
    }

    /// `None` at the end of the program, which is the word after the last command.
    fn head(&self) -> Option<&'c Instruction> {
        self.commands.get(self.command).map(|command| &command.head)
    }

    fn word(&self) -> Option<&'c Instruction> {
        match self.term {
            Some(term) => Some(&self.commands[self.command].terms[term]),
            None => self.head(),
        }
    }

    fn opcode(&self) -> Opcode {
        self.word().map_or(Opcode::End, Instruction::opcode)
    }

    fn goes(&self) -> bool {
        self.state == State::Judge && (self.term.is_none() || self.places > 0)
    }

    /// Returns `true` if a term is sent to the table in this clock.
    pub(super) fn sends_term(&self) -> bool {
        self.goes() && self.term.is_some()
    }

    /// The operand that is offered in this clock.
    pub(super) fn operand(&self) -> Option<Operand> {
        if self.state != State::Operands {
            return None;
        }
        let (resource, is_written) = *self.left.front()?;
        let command = &self.commands[self.command];
        let is_last_word = self.term.map_or(0, |term| term + 1) == command.terms.len();
        let is_last = self.left.len() == 1 && is_last_word;
        let unit = queue_of(command.head.opcode());
        Some(Operand { unit, resource, is_written, last: is_last.then_some(self.command) })
    }

    /// The operands of the word, in the order in which they are offered.
    fn operands(&self) -> VecDeque<(usize, bool)> {
        let Some(word) = self.word() else { return VecDeque::new() };
        let fields = word.opcode().fields();
        let command = &self.commands[self.command];
        let columns = &SLOT_FIELDS[..command.columns()];
        let mut all = VecDeque::new();
        if self.term.is_none() && fields.contains(&Field::X0) {
            all.extend(columns.iter().map(|field| (word.get(*field), true)));
        }
        if fields.contains(&Field::Buffer) {
            let is_written = word.opcode() == Opcode::Factors;
            all.push_back((self.slots + word.table(), is_written));
        }
        if fields.contains(&Field::Segment) {
            let region = word.get(Field::Segment) % self.regions;
            let is_written = word.opcode() == Opcode::Store;
            all.push_back((self.slots + TABLES + region, is_written));
        }
        if word.get(Field::Limb) == 1 {
            all.extend(columns.iter().map(|field| (word.get(*field), false)));
        }
        for field in [Field::A, Field::B] {
            if fields.contains(&field) {
                all.push_back((word.get(field), false));
            }
        }
        all
    }

    /// Ends a clock. The flags are set if the operand is taken, if all commands that began are
    /// done, and if a product is done.
    pub(super) fn step(&mut self, is_taken: bool, is_idle: bool, product_is_done: bool) {
        let goes = self.goes();
        if goes {
            match self.opcode() {
                Opcode::Term => self.places -= 1,
                opcode if opcode.unit() == Unit::Product => {
                    self.held.push_back(self.commands[self.command].terms.len());
                }
                _ => {}
            }
        }
        if product_is_done {
            self.places += self.held.pop_front().unwrap_or(0);
        }
        let waits = matches!(self.opcode(), Opcode::End | Opcode::Fence);
        self.state = match self.state {
            State::Word => State::Check,
            State::Check if self.opcode().fields().contains(&Field::Segment) => State::Region,
            State::Check | State::Reach => State::Judge,
            State::Region => State::Reach,
            State::Judge if !goes => State::Judge,
            State::Judge if waits => State::Wait,
            State::Judge => {
                self.left = self.operands();
                State::Operands
            }
            State::Operands if is_taken => {
                self.left.pop_front();
                if self.left.is_empty() {
                    self.advance();
                    State::Word
                } else {
                    State::Operands
                }
            }
            State::Wait if is_idle && self.opcode() == Opcode::End => State::Stop,
            State::Wait if is_idle => {
                self.advance();
                State::Word
            }
            state => state,
        };
    }

    fn advance(&mut self) {
        let next = self.term.map_or(0, |term| term + 1);
        self.term = (next < self.commands[self.command].terms.len()).then_some(next);
        if self.term.is_none() {
            self.command += 1;
        }
    }
}
