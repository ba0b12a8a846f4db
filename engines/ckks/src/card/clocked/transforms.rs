// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `ckks_transform`: two transforms at a time, whose passes alternate, with one row per clock.

use std::collections::VecDeque;

use super::queue::Issue;
use super::shape::Shape;
use super::slots::Partition;
use crate::card::instruction::Command;
use crate::card::isa::{Field, Opcode};

/// Clocks from the issue of a row to its read.
const READ_AT: u64 = 2;

#[derive(Clone, Copy, Debug)]
struct Job {
    is_inverse: bool,
    source: Partition,
    base: Partition,
    /// The number of passes that have not begun.
    passes: u64,
    /// Set if a pass is in the unit.
    waits: bool,
    is_first: bool,
}

/// A pass whose rows use a partition in consecutive clocks.
#[derive(Clone, Copy, Debug)]
struct Span {
    from: u64,
    to: u64,
    partition: Partition,
}

#[derive(Clone, Debug)]
pub(super) struct Transforms {
    rows: u64,
    passes: u64,
    /// Clocks from the issue of a row to its write.
    write_at: u64,
    issue: Issue,
    jobs: [Option<Job>; 2],
    next: usize,
    is_inverse: bool,
    /// The last clock of the pass that is being issued.
    until: Option<u64>,
    /// The passes in the unit, oldest first: the index of their transform, and the clock of their
    /// last write.
    inside: VecDeque<(usize, u64)>,
    reads: VecDeque<Span>,
    writes: VecDeque<Span>,
    pub(super) is_done: bool,
    pub(super) busy: u64,
}

impl Transforms {
    pub(super) fn new(rows: u64, passes: u64, write_at: u64) -> Self {
        Self {
            rows,
            passes,
            write_at,
            issue: Issue::default(),
            jobs: [None; 2],
            next: 0,
            is_inverse: false,
            until: None,
            inside: VecDeque::new(),
            reads: VecDeque::new(),
            writes: VecDeque::new(),
            is_done: false,
            busy: 0,
        }
    }

    pub(super) fn is_free(&self) -> bool {
        self.issue.is_free()
    }

    /// The partitions that are read and written in this clock.
    pub(super) fn partitions(&self, now: u64) -> (Option<Partition>, Option<Partition>) {
        let at = |spans: &VecDeque<Span>| {
            spans.front().filter(|span| span.from <= now).map(|span| span.partition)
        };
        (at(&self.reads), at(&self.writes))
    }

    /// Ends a clock. `begins` is the command that begins.
    pub(super) fn step(
        &mut self,
        now: u64,
        shape: &Shape,
        commands: &[Command],
        begins: Option<usize>,
    ) {
        let room = self.jobs.iter().position(Option::is_none);
        let taken = self.issue.offered().zip(room);
        self.issue.step(begins, taken.is_some());
        self.busy += u64::from(self.until.is_some());

        let ends = self.until == Some(now);
        let is_empty = self.inside.is_empty() && self.until.is_none();
        let is_ready = |job: &Option<Job>| {
            job.is_some_and(|job| {
                !job.waits && job.passes > 0 && (job.is_inverse == self.is_inverse || is_empty)
            })
        };
        let ready = self.jobs.each_ref().map(is_ready);
        let choice = if ready[self.next] { self.next } else { 1 - self.next };
        let starts = (self.until.is_none() || ends) && ready[choice];
        if ends {
            self.until = None;
        }

        // The pass whose last row is written in this clock.
        let whole = self.inside.pop_front_if(|(_, last)| *last == now);
        self.is_done = false;
        if let Some((which, _)) = whole {
            if let Some(job) = &mut self.jobs[which] {
                job.waits = false;
                job.is_first = false;
                self.is_done = job.passes == 0;
            }
            if self.is_done {
                self.jobs[which] = None;
            }
        }
        for spans in [&mut self.reads, &mut self.writes] {
            spans.pop_front_if(|span| span.to <= now);
        }
        if starts {
            self.start(choice, now + 1);
        }
        if let Some((command, room)) = taken {
            let head = &commands[command].head;
            self.jobs[room] = Some(Job {
                is_inverse: head.opcode() == Opcode::Intt,
                source: shape.partition(head.get(Field::A)),
                base: shape.partition(head.get(Field::X0)),
                passes: self.passes,
                waits: false,
                is_first: true,
            });
        }
    }

    /// Starts a pass whose first row is issued in clock `first`.
    fn start(&mut self, which: usize, first: u64) {
        let Some(job) = &mut self.jobs[which] else { return };
        job.waits = true;
        job.passes -= 1;
        self.is_inverse = job.is_inverse;
        self.next = 1 - which;
        let last = first + self.rows - 1;
        self.until = Some(last);
        let span =
            |after: u64, partition| Span { from: first + after, to: last + after, partition };
        self.reads.push_back(span(READ_AT, if job.is_first { job.source } else { job.base }));
        self.writes.push_back(span(self.write_at, job.base));
        self.inside.push_back((which, last + self.write_at));
    }
}
