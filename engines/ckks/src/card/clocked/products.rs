// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `ckks_product_unit`: the terms of each row, one per clock, and their sums.

use super::queue::Issue;
use super::shape::Shape;
use super::slots::{Gather, Partition, Row, WriteQueue, READ, SUM_READ};
use crate::card::instruction::{Command, SLOT_FIELDS};
use crate::card::isa::{Field, Opcode, COLUMNS};

/// Clocks from the last words of a row to its first sum, and from that to its write.
const COLUMNS_LATENCY: u64 = 14;
const WRITE: u64 = 1;
/// Ports for first factors, and one for the second factors of each column.
const PORTS: usize = 1 + COLUMNS;
type Rows = [Option<Partition>; PORTS];

/// The reads of one term in one row.
#[derive(Clone, Copy, Debug)]
struct Term {
    rows: Rows,
    is_last: bool,
    is_last_row: bool,
    columns: usize,
    results: [Partition; COLUMNS],
}

/// The instruction whose rows are being read.
#[derive(Clone, Debug)]
struct Job {
    terms: Vec<Rows>,
    columns: usize,
    results: [Partition; COLUMNS],
    term: usize,
    row: u64,
}

#[derive(Clone, Debug)]
pub(super) struct Products {
    rows: u64,
    issue: Issue,
    /// Remaining implicit terms of an instruction without terms in the program.
    own: u8,
    job: Option<Job>,
    pause: usize,
    /// The stages between the counters of a job and the ports.
    fetched: Option<Term>,
    offered: Option<Term>,
    gather: Gather,
    pub(super) queue: WriteQueue,
    pub(super) busy: u64,
}

impl Products {
    pub(super) fn new(rows: u64, columns: usize) -> Self {
        Self {
            rows,
            issue: Issue::default(),
            own: 0,
            job: None,
            pause: 0,
            fetched: None,
            offered: None,
            gather: Gather::default(),
            queue: WriteQueue::new(COLUMNS_LATENCY as usize + columns + 6),
            busy: 0,
        }
    }

    pub(super) fn is_free(&self) -> bool {
        self.issue.is_free()
    }

    pub(super) fn ask(&self, ports: &mut [Option<Partition>]) {
        let rows = self.offered.map_or([None; PORTS], |term| term.rows);
        self.gather.ask(&rows, self.queue.holds, &mut ports[..SUM_READ]);
    }

    /// Ends a clock. `begins` is the command that begins, `sends_term` is set if a term is sent to
    /// the table, and the last argument has the ports that were served.
    pub(super) fn step(
        &mut self,
        now: u64,
        shape: &Shape,
        commands: &[Command],
        begins: Option<usize>,
        sends_term: bool,
        (read, is_written): (u32, bool),
    ) {
        let job = self.issue.offered().filter(|_| self.own == 0 && self.job.is_none());
        self.issue.step(begins, job.is_some());
        self.own = match begins {
            Some(command) => match commands[command].head.opcode() {
                Opcode::Mul | Opcode::Scale => 1,
                Opcode::Subscale => 2,
                _ => 0,
            },
            None => self.own.saturating_sub(u8::from(!sends_term)),
        };

        let rows = self.offered.map_or([None; PORTS], |term| term.rows);
        let is_ready = self.gather.is_ready(&rows, self.queue.holds, read);
        let read = if self.queue.holds { 0 } else { read };
        self.gather.step(is_ready, read);
        let moves = self.offered.is_none() || is_ready;
        if let Some(term) = self.offered.filter(|term| is_ready && term.is_last) {
            let first = now + READ + COLUMNS_LATENCY + WRITE;
            for (at, column) in (first..).zip(0..term.columns) {
                let is_last = term.is_last_row && column + 1 == term.columns;
                self.queue.expect(at, Row { partition: term.results[column], is_last });
            }
        }
        if moves {
            self.offered = self.fetched.take();
            self.busy += u64::from(self.job.is_some());
            self.advance();
        }
        if let Some(command) = job {
            self.job = Some(job_of(&commands[command], shape));
        }
        self.queue.step(now, is_written);
    }

    /// Moves to the next term, unless a pause is due.
    fn advance(&mut self) {
        if self.pause > 0 {
            self.pause -= 1;
            return;
        }
        let Some(job) = &mut self.job else { return };
        let terms = job.terms.len();
        let is_last = job.term + 1 == terms;
        let is_last_row = job.row + 1 == self.rows;
        self.fetched = Some(Term {
            rows: job.terms[job.term],
            is_last,
            is_last_row,
            columns: job.columns,
            results: job.results,
        });
        job.term = if is_last { 0 } else { job.term + 1 };
        job.row += u64::from(is_last);
        if is_last && is_last_row {
            self.pause = job.columns - 1;
            self.job = None;
        } else if is_last {
            self.pause = job.columns.saturating_sub(terms);
        }
    }
}

fn job_of(command: &Command, shape: &Shape) -> Job {
    let head = &command.head;
    let columns = command.columns();
    let slot = |slot: usize| Some(shape.partition(slot));
    let row = |a: usize, seconds: &[usize]| {
        let mut rows = [None; PORTS];
        rows[0] = slot(a);
        for (row, second) in rows[1..].iter_mut().zip(seconds) {
            *row = slot(*second);
        }
        rows
    };
    let terms = match head.opcode() {
        Opcode::Mul => vec![row(head.get(Field::A), &[head.get(Field::B)])],
        Opcode::Scale => vec![row(head.get(Field::A), &[])],
        Opcode::Subscale => vec![row(head.get(Field::A), &[]), row(head.get(Field::B), &[])],
        _ => {
            let seconds = |term: &crate::card::Instruction| -> Vec<usize> {
                let used = if term.get(Field::Limb) == 1 { columns } else { 0 };
                SLOT_FIELDS[..used].iter().map(|field| term.get(*field)).collect()
            };
            command.terms.iter().map(|term| row(term.get(Field::A), &seconds(term))).collect()
        }
    };
    let mut results = [0; COLUMNS];
    for (result, field) in results.iter_mut().zip(&SLOT_FIELDS[..columns]) {
        *result = shape.partition(head.get(*field));
    }
    Job { terms, columns, results, term: 0, row: 0 }
}
