// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `ckks_dma`: loads limbs and tables of factors from memory, and stores limbs.

use std::collections::VecDeque;

use super::memory::{Memory, Reader, Writer};
use super::queue::Queue;
use super::shape::Shape;
use super::slots::{Partition, Row, READ};
use crate::card::cycles::bytes_of;
use crate::card::instruction::Command;
use crate::card::isa::{Field, Opcode};

/// The number of loads that are requested before the first one is processed.
const AHEAD: usize = 8;

#[derive(Clone, Copy, Debug)]
enum Job {
    Limb { result: Partition, run: u64 },
    Table,
}

/// The limb whose beats are being processed.
#[derive(Clone, Copy, Debug)]
struct Limb {
    result: Partition,
    run: u64,
    group: u64,
}

#[derive(Clone, Debug)]
pub(super) struct Loads {
    groups: u64,
    /// Table entries in a beat.
    pieces: u64,
    reader: Reader,
    asked: Option<u64>,
    ahead: Queue<Job>,
    limb: Option<Limb>,
    /// The current piece of the table's beat.
    table: Option<u64>,
    /// The stages from a beat to its write.
    stages: [Option<Row>; 3],
    order: Queue<bool>,
    limb_done: bool,
    table_done: bool,
    limbs: u64,
    tables: u64,
    pub(super) busy: u64,
}

impl Loads {
    pub(super) fn new(groups: u64, pieces: u64) -> Self {
        Self {
            groups,
            pieces,
            reader: Reader::new(),
            asked: None,
            ahead: Queue::new(AHEAD),
            limb: None,
            table: None,
            stages: [None; 3],
            order: Queue::new(AHEAD),
            limb_done: false,
            table_done: false,
            limbs: 0,
            tables: 0,
            busy: 0,
        }
    }

    pub(super) fn is_free(&self) -> bool {
        (self.asked.is_none() || self.reader.takes_runs()) && self.ahead.has_room()
    }

    /// The partition of the row to be written.
    pub(super) fn offered(&self) -> Option<Partition> {
        self.stages[2].map(|row| row.partition)
    }

    pub(super) fn is_done(&self) -> bool {
        self.order.front().is_some_and(|is_table| match is_table {
            true => self.tables > 0,
            false => self.limbs > 0,
        })
    }

    /// Ends a clock. `begins` is the command that begins, and `is_written` is set if the row is
    /// written.
    pub(super) fn step(
        &mut self,
        now: u64,
        shape: &Shape,
        begins: Option<&Command>,
        memory: &mut Memory,
        is_written: bool,
    ) {
        let is_idle = self.limb.is_none() && self.table.is_none() && self.order.has_room();
        let job = self.ahead.front().copied().filter(|_| is_idle);
        let beat = self.reader.beats.front().copied();
        let moves = self.stages[2].is_none() || is_written;
        let tells = self.is_done();
        if tells {
            match self.order.front() {
                Some(true) => self.tables -= 1,
                _ => self.limbs -= 1,
            }
        }
        self.order.step(job.map(|job| matches!(job, Job::Table)), tells);
        self.limbs += u64::from(self.limb_done);
        self.tables += u64::from(self.table_done);
        self.limb_done = self.stages[2].is_some_and(|row| is_written && row.is_last);

        let (row, takes_limb) = self.take_group(beat.is_some() && moves);
        let takes_table = self.take_entry(beat);
        if moves {
            self.stages = [row, self.stages[0], self.stages[1]];
        }
        match job {
            Some(Job::Limb { result, run }) => self.limb = Some(Limb { result, run, group: 0 }),
            Some(Job::Table) => self.table = Some(0),
            None => {}
        }
        let run = self.asked.filter(|_| self.reader.takes_runs());
        if run.is_some() {
            self.asked = None;
        }
        self.busy += u64::from(takes_limb || takes_table);
        self.reader.step(now, memory, run, takes_limb || takes_table);
        self.ahead.step(begins.map(|command| job_of(command, shape)), job.is_some());
        if let Some(command) = begins {
            self.asked = Some(shape.beats(bytes_of(command, shape.degree)));
        }
    }

    /// Takes the next group of the limb. The flag is set if the group is the last one from its
    /// beat.
    fn take_group(&mut self, may: bool) -> (Option<Row>, bool) {
        let Some(limb) = self.limb.as_mut().filter(|_| may) else { return (None, false) };
        let is_last = limb.group + 1 == self.groups;
        let ends_beat = (limb.group + 1).is_multiple_of(limb.run) || is_last;
        limb.group += 1;
        let row = Row { partition: limb.result, is_last };
        if is_last {
            self.limb = None;
        }
        (Some(row), ends_beat)
    }

    /// Takes the next entry of a table. Returns `true` if it is the last one of its beat.
    fn take_entry(&mut self, beat: Option<bool>) -> bool {
        self.table_done = false;
        let Some((piece, is_last)) = self.table.as_mut().zip(beat) else { return false };
        *piece += 1;
        if *piece < self.pieces {
            return false;
        }
        *piece = 0;
        if is_last {
            self.table = None;
            self.table_done = true;
        }
        true
    }
}

fn job_of(command: &Command, shape: &Shape) -> Job {
    match command.head.opcode() {
        Opcode::Factors => Job::Table,
        _ => Job::Limb {
            result: shape.partition(command.head.get(Field::X0)),
            run: 1 << command.head.get(Field::Run),
        },
    }
}

/// Groups on the way from the slots to the memory's queue.
const GROUPS: usize = 8;

#[derive(Clone, Debug)]
pub(super) struct Stores {
    groups: u64,
    job: Option<(Partition, u64)>,
    offered: Option<Partition>,
    inside: usize,
    coming: VecDeque<u64>,
    queue: Queue<()>,
    pub(super) writer: Writer,
    pub(super) busy: u64,
}

impl Stores {
    pub(super) fn new(groups: u64) -> Self {
        Self {
            groups,
            job: None,
            offered: None,
            inside: 0,
            coming: VecDeque::new(),
            queue: Queue::new(GROUPS),
            writer: Writer::new(),
            busy: 0,
        }
    }

    pub(super) fn is_free(&self) -> bool {
        self.job.is_none() && self.writer.takes_runs()
    }

    /// The partition of the row to be read.
    pub(super) fn offered(&self) -> Option<Partition> {
        self.offered
    }

    /// Ends a clock. `begins` is the command that begins, and `is_read` is set if the row is read.
    pub(super) fn step(
        &mut self,
        now: u64,
        shape: &Shape,
        begins: Option<&Command>,
        memory: &mut Memory,
        is_read: bool,
    ) {
        let moves = self.offered.is_none() || is_read;
        let pops = self.queue.front().is_some() && self.writer.has_room();
        let comes = self.coming.pop_front_if(|at| *at <= now).is_some();
        if is_read {
            self.coming.push_back(now + READ);
        }
        if moves {
            self.offered = None;
        }
        let has_room = self.inside < GROUPS;
        self.inside -= usize::from(pops);
        if let Some((source, group)) = self.job.as_mut().filter(|_| moves && has_room) {
            self.offered = Some(*source);
            self.inside += 1;
            *group += 1;
            if *group == self.groups {
                self.job = None;
            }
        }
        self.busy += u64::from(pops);
        self.queue.step(comes.then_some(()), pops);
        let source = begins.map(|command| shape.partition(command.head.get(Field::A)));
        self.job = self.job.or(source.map(|source| (source, 0)));
        let run = begins.map(|command| shape.beats(bytes_of(command, shape.degree)));
        self.writer.step(now, memory, run, pops);
    }
}
