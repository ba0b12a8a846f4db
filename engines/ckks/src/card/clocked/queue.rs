// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The connections between units: queues, and the registers in which an instruction waits for its
//! primes.

use std::collections::VecDeque;

/// A queue like `stream_fifo`: an item is offered two clocks after it was added.
#[derive(Clone, Debug)]
pub(super) struct Queue<T> {
    waiting: VecDeque<T>,
    offered: Option<T>,
    depth: usize,
}

impl<T> Queue<T> {
    pub(super) fn new(depth: usize) -> Self {
        Self { waiting: VecDeque::new(), offered: None, depth }
    }

    pub(super) fn has_room(&self) -> bool {
        self.waiting.len() < self.depth
    }

    pub(super) fn front(&self) -> Option<&T> {
        self.offered.as_ref()
    }

    /// Ends a clock.
    pub(super) fn step(&mut self, push: Option<T>, pops: bool) {
        if pops {
            self.offered = None;
        }
        if self.offered.is_none() {
            self.offered = self.waiting.pop_front();
        }
        self.waiting.extend(push);
    }
}

/// `ckks_issue`: offers an instruction to its unit three clocks after it has begun.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Issue {
    command: usize,
    held: u8,
}

const ISSUE_CLOCKS: u8 = 3;

impl Issue {
    pub(super) fn is_free(&self) -> bool {
        self.held == 0
    }

    pub(super) fn offered(&self) -> Option<usize> {
        (self.held == ISSUE_CLOCKS).then_some(self.command)
    }

    /// Ends a clock. `begins` is the instruction that begins, and `is_taken` is set if the unit
    /// took the offered one.
    pub(super) fn step(&mut self, begins: Option<usize>, is_taken: bool) {
        match (self.held, begins) {
            (0, Some(command)) => *self = Self { command, held: 1 },
            (0, None) => {}
            (ISSUE_CLOCKS, _) if is_taken => self.held = 0,
            (held, _) => self.held = (held + 1).min(ISSUE_CLOCKS),
        }
    }
}
