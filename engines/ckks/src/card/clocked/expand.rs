// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `ckks_seed` and `ckks_expand`: uniform limbs of seeds. How many words are refused is taken as the
//! share that is to be expected.

use super::queue::Issue;
use super::shape::Shape;
use super::slots::{Partition, Row};
use crate::card::instruction::Command;
use crate::card::isa::Field;

/// Words of a block of ChaCha20. Where a card makes more than one a clock, they count as one.
const BLOCK: u64 = 16;
/// Clocks from a seed's request to its address on the bus, and from its second beat to its use.
const SEED_ASK: u64 = 3;
const SEED_TAKE: u64 = 4;
/// Clocks from the start to the first block, beside those of the rounds.
const BLOCK_CLOCKS: u64 = 4;
const ROUND_CLOCKS: u64 = 80;
/// Stages that blocks go through until their words are a chunk.
const ACCEPT_STAGES: usize = 5;

/// A limb in the making.
#[derive(Clone, Copy, Debug)]
struct Job {
    result: Partition,
    /// When the next block comes.
    next: u64,
    block: f64,
    /// Words of a block that are accepted.
    accepted: f64,
    fill: f64,
    stages: [bool; ACCEPT_STAGES],
    has_chunk: bool,
    piece: u64,
    group: u64,
}

#[derive(Clone, Debug)]
pub(super) struct Expansion {
    groups: u64,
    block: f64,
    pieces: u64,
    latency: u64,
    /// Clocks from a block to the next.
    turns: u64,
    issue: Issue,
    /// When the seed is there.
    seed: Option<u64>,
    job: Option<Job>,
    offered: Option<Row>,
    pub(super) is_done: bool,
    pub(super) busy: u64,
}

impl Expansion {
    /// `words` are written at a time, `made` of them a clock.
    pub(super) fn new(degree: u64, words: u64, made: u64, latency: u64, turns: u64) -> Self {
        let block = made.max(BLOCK);
        let words = words.min(block);
        Self {
            groups: degree.div_ceil(words),
            block: block as f64,
            pieces: block / words,
            latency,
            turns,
            issue: Issue::default(),
            seed: None,
            job: None,
            offered: None,
            is_done: false,
            busy: 0,
        }
    }

    pub(super) fn is_free(&self) -> bool {
        self.issue.is_free()
    }

    /// The partition of the row that is written.
    pub(super) fn offered(&self) -> Option<Partition> {
        self.offered.map(|row| row.partition)
    }

    /// A clock's end: what begins, and whether its row is written.
    pub(super) fn step(
        &mut self,
        now: u64,
        shape: &Shape,
        commands: &[Command],
        begins: Option<usize>,
        is_written: bool,
    ) {
        let offered = self.issue.offered();
        let has_seed = self.seed.is_some_and(|at| at <= now);
        let starts = offered.filter(|_| has_seed && self.job.is_none());
        if offered.is_some() && self.seed.is_none() {
            self.seed = Some(now + SEED_ASK + self.latency + SEED_TAKE);
        }
        self.issue.step(begins, starts.is_some());

        let writes = self.offered.filter(|_| is_written);
        self.is_done = writes.is_some_and(|row| row.is_last);
        let moves = self.offered.is_none() || is_written;
        if moves {
            self.offered = None;
        }
        if self.is_done {
            self.job = None;
        } else if let Some(job) = &mut self.job {
            let takes = job.has_chunk && moves && job.group < self.groups;
            if takes {
                self.busy += 1;
                job.group += 1;
                job.piece = (job.piece + 1) % self.pieces;
                let is_last = job.group == self.groups;
                self.offered = Some(Row { partition: job.result, is_last });
            }
            if !job.has_chunk || (takes && job.piece == 0) {
                job.accept(now, self.turns);
            }
        }
        if let Some(command) = starts {
            self.seed = None;
            let head = &commands[command].head;
            self.job = Some(Job {
                result: shape.partition(head.get(Field::X0)),
                next: now + BLOCK_CLOCKS + ROUND_CLOCKS,
                block: self.block,
                accepted: self.block * shape.share(head.get(Field::P0)),
                fill: 0.0,
                stages: [false; ACCEPT_STAGES],
                has_chunk: false,
                piece: 0,
                group: 0,
            });
        }
    }
}

impl Job {
    /// A block goes on to the next stage, the last one into a chunk.
    fn accept(&mut self, now: u64, turns: u64) {
        let last = self.stages[ACCEPT_STAGES - 1];
        if last {
            self.fill += self.accepted;
        }
        self.has_chunk = last && self.fill >= self.block;
        if self.has_chunk {
            self.fill -= self.block;
        }
        self.stages.rotate_right(1);
        self.stages[0] = self.next <= now;
        if self.stages[0] {
            self.next = (self.next + turns).max(now + 1);
        }
    }
}
