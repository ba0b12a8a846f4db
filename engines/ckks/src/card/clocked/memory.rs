// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The card's memory and its masters: `ckks_memory_read`, `ckks_memory_write`.

use std::collections::VecDeque;

use super::queue::Queue;

/// Beats of a burst, and the number of bursts in flight that the memory accepts.
const BURST: u64 = 64;
const MEMORY_BURSTS: usize = 8;

/// The memory behind a port: at most one beat per clock, limited by its bandwidth.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    latency: u64,
    beats_per_clock: f64,
    tokens: f64,
}

impl Memory {
    pub(super) fn new(latency: u64, beats_per_clock: f64) -> Self {
        Self { latency, beats_per_clock: beats_per_clock.min(1.0), tokens: 0.0 }
    }

    /// Begins a clock.
    pub(super) fn begin(&mut self) {
        self.tokens = (self.tokens + self.beats_per_clock).min(2.0);
    }

    fn spends(&mut self) -> bool {
        let has = self.tokens >= 1.0;
        self.tokens -= f64::from(u8::from(has));
        has
    }
}

/// Reads runs of beats as a stream.
#[derive(Clone, Debug)]
pub(super) struct Reader {
    /// Beats of the run that no burst has requested.
    run: Option<u64>,
    is_asked: Option<(u64, bool)>,
    open: VecDeque<(u64, bool, u64)>,
    asked: usize,
    free: u64,
    pub(super) beats: Queue<bool>,
}

const READ_QUEUE: u64 = 512;
const OPEN_READS: usize = 32;

impl Reader {
    pub(super) fn new() -> Self {
        Self {
            run: None,
            is_asked: None,
            open: VecDeque::new(),
            asked: 0,
            free: READ_QUEUE,
            beats: Queue::new(READ_QUEUE as usize),
        }
    }

    /// The burst to request in this clock: its beats, and whether it ends the run.
    fn asks(&self) -> Option<(u64, bool)> {
        let takes = self.is_asked.is_none() || self.open.len() < MEMORY_BURSTS;
        let left = self.run.filter(|_| takes && self.asked < OPEN_READS)?;
        let beats = left.min(BURST);
        (beats <= self.free).then_some((beats, beats == left))
    }

    pub(super) fn takes_runs(&self) -> bool {
        self.run.is_none() || self.asks().is_some_and(|(_, is_last)| is_last)
    }

    /// Ends a clock. `run` is a run that begins, and `pops` is set if a beat is taken.
    pub(super) fn step(&mut self, now: u64, memory: &mut Memory, run: Option<u64>, pops: bool) {
        let asks = self.asks();
        let has_room = self.open.len() < MEMORY_BURSTS;
        let is_due = self.open.front().is_some_and(|(.., due)| *due <= now);
        let comes = is_due && memory.spends();
        let mut beat = None;
        if comes {
            if let Some((left, is_last, _)) = self.open.front_mut() {
                *left -= 1;
                beat = Some(*left == 0 && *is_last);
                if *left == 0 {
                    self.open.pop_front();
                    self.asked -= 1;
                }
            }
        }
        if let Some((beats, is_last)) = self.is_asked.take_if(|_| has_room) {
            self.open.push_back((beats, is_last, now + memory.latency));
        }
        self.free += u64::from(pops);
        if let Some((beats, is_last)) = asks {
            self.is_asked = asks;
            self.asked += 1;
            self.free -= beats;
            self.run = self.run.filter(|_| !is_last).map(|left| left - beats);
        }
        self.run = self.run.or(run);
        self.beats.step(beat, pops);
    }
}

/// Writes runs of beats.
#[derive(Clone, Debug)]
pub(super) struct Writer {
    queue: Queue<()>,
    run: Option<u64>,
    /// Beats in the queue that belong to no burst.
    spare: u64,
    bursts: Queue<(u64, bool)>,
    /// The number of written beats of the oldest burst.
    written: u64,
    answers: VecDeque<(u64, bool)>,
    open: usize,
    pub(super) is_done: bool,
}

const OPEN_WRITES: usize = 16;

impl Writer {
    pub(super) fn new() -> Self {
        Self {
            queue: Queue::new(2 * BURST as usize),
            run: None,
            spare: 0,
            bursts: Queue::new(OPEN_WRITES),
            written: 0,
            answers: VecDeque::new(),
            open: 0,
            is_done: false,
        }
    }

    fn asks(&self) -> Option<(u64, bool)> {
        let left = self.run.filter(|_| self.open < OPEN_WRITES && self.bursts.has_room())?;
        let beats = left.min(BURST);
        (beats <= self.spare).then_some((beats, beats == left))
    }

    pub(super) fn takes_runs(&self) -> bool {
        self.run.is_none() || self.asks().is_some_and(|(_, is_last)| is_last)
    }

    pub(super) fn has_room(&self) -> bool {
        self.queue.has_room()
    }

    /// Ends a clock. `run` is a run that begins, and `push` is set if a beat is added.
    pub(super) fn step(&mut self, now: u64, memory: &mut Memory, run: Option<u64>, push: bool) {
        let asks = self.asks();
        let answer = self.answers.pop_front_if(|(due, _)| *due <= now);
        self.open -= usize::from(answer.is_some());
        self.is_done = answer.is_some_and(|(_, is_last)| is_last);

        let burst = self.bursts.front().copied().filter(|_| self.queue.front().is_some());
        let writes = burst.filter(|_| memory.spends());
        let mut ends = false;
        if let Some((beats, is_last)) = writes {
            self.written += 1;
            ends = self.written == beats;
            if ends {
                self.written = 0;
                self.answers.push_back((now + memory.latency / 2, is_last));
            }
        }
        self.queue.step(push.then_some(()), writes.is_some());
        self.bursts.step(asks, ends);
        self.spare += u64::from(push);
        if let Some((beats, is_last)) = asks {
            self.spare -= beats;
            self.open += 1;
            self.run = self.run.filter(|_| !is_last).map(|left| left - beats);
        }
        self.run = self.run.or(run);
    }
}
