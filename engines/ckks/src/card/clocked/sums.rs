// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `ckks_sum_unit`: sums and differences, alternating with automorphisms.

use super::queue::Issue;
use super::shape::Shape;
use super::slots::{Gather, Partition, Row, WriteQueue, READ};
use crate::card::instruction::Command;
use crate::card::isa::{Field, Opcode};

const ADD_LATENCY: u64 = 2;
/// The largest number of instructions in the unit.
const MOST_INSIDE: usize = 15;
const PORTS: usize = 2;
type Rows = [Option<Partition>; PORTS];

/// A row to be read.
#[derive(Clone, Copy, Debug)]
struct Line {
    rows: Rows,
    result: Row,
    latency: u64,
}

#[derive(Clone, Copy, Debug)]
struct Job {
    rows: Rows,
    result: Partition,
    row: u64,
    /// Clocks before the first row.
    setup: u64,
    latency: u64,
}

#[derive(Clone, Debug)]
pub(super) struct Sums {
    rows: u64,
    log_lanes: u64,
    issue: Issue,
    inside: usize,
    was_perm: bool,
    job: Option<Job>,
    offered: Option<Line>,
    gather: Gather,
    pub(super) queue: WriteQueue,
    pub(super) busy: u64,
}

impl Sums {
    pub(super) fn new(rows: u64, log_lanes: u32) -> Self {
        Self {
            rows,
            log_lanes: log_lanes.into(),
            issue: Issue::default(),
            inside: 0,
            was_perm: false,
            job: None,
            offered: None,
            gather: Gather::default(),
            queue: WriteQueue::new(2 + log_lanes.max(ADD_LATENCY as u32) as usize + 4),
            busy: 0,
        }
    }

    pub(super) fn is_free(&self) -> bool {
        self.issue.is_free()
    }

    pub(super) fn ask(&self, ports: &mut [Option<Partition>]) {
        let rows = self.offered.map_or([None; PORTS], |line| line.rows);
        self.gather.ask(&rows, self.queue.holds, ports);
    }

    /// Ends a clock. `begins` is the command that begins, and the last argument has the ports that
    /// were served.
    pub(super) fn step(
        &mut self,
        now: u64,
        shape: &Shape,
        commands: &[Command],
        begins: Option<usize>,
        (read, is_written): (u32, bool),
    ) {
        let rows = self.offered.map_or([None; PORTS], |line| line.rows);
        let is_ready = self.gather.is_ready(&rows, self.queue.holds, read);
        self.gather.step(is_ready, read);
        let moves = self.offered.is_none() || is_ready;
        if let Some(line) = self.offered.filter(|_| is_ready) {
            self.queue.expect(now + line.latency, line.result);
        }

        let may =
            |perm: bool| (self.inside == 0 || perm == self.was_perm) && self.inside != MOST_INSIDE;
        let is_perm = |command: usize| commands[command].head.opcode() == Opcode::Perm;
        let job = self.issue.offered().filter(|command| {
            let perm = is_perm(*command);
            may(perm) && self.job.is_none() && (moves || !perm)
        });
        self.issue.step(begins, job.is_some());
        if moves {
            self.offered = None;
        }
        self.advance(moves);
        self.busy += u64::from(moves && self.offered.is_some());
        self.inside -= usize::from(self.queue.is_done);
        if let Some(command) = job {
            self.inside += 1;
            self.was_perm = is_perm(command);
            self.job = Some(self.job_of(&commands[command], shape));
        }
        self.queue.step(now, is_written);
    }

    fn advance(&mut self, moves: bool) {
        let Some(job) = &mut self.job else { return };
        if job.setup > 0 {
            job.setup -= 1;
            return;
        }
        if !moves {
            return;
        }
        job.row += 1;
        let is_last = job.row == self.rows;
        self.offered = Some(Line {
            rows: job.rows,
            result: Row { partition: job.result, is_last },
            latency: job.latency,
        });
        if is_last {
            self.job = None;
        }
    }

    fn job_of(&self, command: &Command, shape: &Shape) -> Job {
        let head = &command.head;
        let is_perm = head.opcode() == Opcode::Perm;
        let slot = |field| {
            let is_there = head.opcode().fields().contains(&field);
            is_there.then(|| shape.partition(head.get(field)))
        };
        Job {
            rows: [slot(Field::A), slot(Field::B)],
            result: shape.partition(head.get(Field::X0)),
            row: 0,
            setup: if is_perm { self.log_lanes + 1 } else { 0 },
            latency: READ + if is_perm { self.log_lanes } else { ADD_LATENCY },
        }
    }
}
