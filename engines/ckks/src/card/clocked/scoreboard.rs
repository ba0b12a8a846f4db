// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `ckks_scoreboard`: the queues of the units, and the condition for the first command of each to
//! begin.

use std::collections::VecDeque;

/// Queues: loads, stores, expansion, transforms, products, sums.
pub(super) const UNITS: usize = 6;

/// A resource that an instruction uses. The last one of an instruction includes the instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operand {
    pub(super) unit: usize,
    pub(super) resource: usize,
    pub(super) is_written: bool,
    pub(super) last: Option<usize>,
}

/// The users of a resource, by the numbers of their instructions in the queue of their unit.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    writer: usize,
    written: u32,
    read: [u32; UNITS],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Take,
    Read,
    Update,
    Written,
    Readers,
    Push,
}

#[derive(Clone, Debug)]
pub(super) struct Scoreboard {
    depth: usize,
    state: State,
    operand: Operand,
    number: u32,
    waits: [u32; UNITS],
    taken: [u32; UNITS],
    done: [u32; UNITS],
    is_free: [bool; UNITS],
    queues: [VecDeque<(usize, [u32; UNITS])>; UNITS],
    table: Vec<Entry>,
}

impl Scoreboard {
    pub(super) fn new(depth: usize, resources: usize) -> Self {
        Self {
            depth,
            state: State::Take,
            operand: Operand { unit: 0, resource: 0, is_written: false, last: None },
            number: 0,
            waits: [0; UNITS],
            taken: [0; UNITS],
            done: [0; UNITS],
            is_free: [false; UNITS],
            queues: Default::default(),
            table: vec![Entry::default(); resources],
        }
    }

    pub(super) fn takes_operands(&self) -> bool {
        self.state == State::Take
    }

    /// Returns `true` if all instructions that were taken are done.
    pub(super) fn is_idle(&self) -> bool {
        self.state == State::Take && self.taken == self.done
    }

    /// The command that a unit may begin.
    pub(super) fn offered(&self, unit: usize) -> Option<usize> {
        let first = self.queues[unit].front();
        first.filter(|_| self.is_free[unit]).map(|(command, _)| *command)
    }

    /// Ends a clock. The arguments are the operand that is taken, the units that begin, and those
    /// that are done with a command.
    pub(super) fn step(
        &mut self,
        operand: Option<Operand>,
        begins: [bool; UNITS],
        done: [bool; UNITS],
    ) {
        let pushes = self.state == State::Push && self.queues[self.operand.unit].len() < self.depth;
        let is_met = self.queues.each_ref().map(|queue| {
            queue.front().is_some_and(|(_, waits)| {
                waits.iter().zip(&self.done).all(|(wanted, done)| done >= wanted)
            })
        });
        for (is_free, (is_met, begins)) in self.is_free.iter_mut().zip(is_met.iter().zip(begins)) {
            *is_free = *is_met && !begins;
        }
        for (queue, begins) in self.queues.iter_mut().zip(begins) {
            if begins {
                queue.pop_front();
            }
        }
        for (count, done) in self.done.iter_mut().zip(done) {
            *count += u32::from(done);
        }
        self.state = match self.state {
            State::Take => match operand {
                Some(operand) => {
                    self.number = self.taken[operand.unit] + 1;
                    self.operand = operand;
                    State::Read
                }
                None => State::Take,
            },
            State::Read => State::Update,
            State::Update => {
                self.update();
                State::Written
            }
            State::Written => State::Readers,
            State::Readers if self.operand.last.is_some() => State::Push,
            State::Readers => State::Take,
            State::Push if pushes => {
                let unit = self.operand.unit;
                self.queues[unit].extend(self.operand.last.map(|command| (command, self.waits)));
                self.taken[unit] += 1;
                self.waits = [0; UNITS];
                State::Take
            }
            State::Push => State::Push,
        };
    }

    /// Computes the waits of the operand, and records its use for later operands.
    fn update(&mut self) {
        let (unit, number) = (self.operand.unit, self.number);
        let entry = &mut self.table[self.operand.resource];
        for (other, waits) in self.waits.iter_mut().enumerate() {
            let is_own = other == unit;
            if entry.writer == other && !(is_own && entry.written == number) {
                *waits = (*waits).max(entry.written);
            }
            if self.operand.is_written {
                let read = entry.read[other];
                *waits = (*waits).max(if is_own && read == number { number - 1 } else { read });
            }
        }
        if self.operand.is_written {
            *entry = Entry { writer: unit, written: number, read: [0; UNITS] };
        } else {
            entry.read[unit] = number;
        }
    }
}
