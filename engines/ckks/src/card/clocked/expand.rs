// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `ckks_seed` and `ckks_expand`: uniform limbs from seeds. The model uses the expected share of
//! rejected words.

use super::queue::Issue;
use super::shape::Shape;
use super::slots::{Partition, Row};
use crate::card::instruction::Command;
use crate::card::isa::Field;

/// Words of a block of ChaCha20. If a card computes several blocks per clock, they count as one.
const BLOCK: u64 = 16;
/// Clocks from a seed's request to its address on the bus, and from its second beat to its use.
const SEED_ASK: u64 = 3;
const SEED_TAKE: u64 = 4;
/// Clocks from the start to the first block, in addition to those of the rounds.
const BLOCK_CLOCKS: u64 = 4;
const ROUND_CLOCKS: u64 = 80;
/// Stages that blocks pass through until their words are in a chunk.
const ACCEPT_STAGES: usize = 5;

/// A limb that is being expanded.
#[derive(Clone, Copy, Debug)]
struct Job {
    result: Partition,
    /// The clock of the next block.
    next: u64,
    block: f64,
    /// The expected number of accepted words in a block.
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
    /// Clocks from one block to the next.
    turns: u64,
    issue: Issue,
    /// The clock in which the seed is available.
    seed: Option<u64>,
    job: Option<Job>,
    offered: Option<Row>,
    pub(super) is_done: bool,
    pub(super) busy: u64,
}

impl Expansion {
    /// `words` are written at a time, and `made` of them are generated per clock.
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

    /// The partition of the row to be written.
    pub(super) fn offered(&self) -> Option<Partition> {
        self.offered.map(|row| row.partition)
    }

    /// Ends a clock. `begins` is the command that begins, and `is_written` is set if the row is
    /// written.
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
    /// Moves a block to the next stage, and the last stage into a chunk.
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
