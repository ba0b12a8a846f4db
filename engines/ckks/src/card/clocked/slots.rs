// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `ckks_scratchpad` and what stands before its ports: who gets which partition in a clock.

use std::collections::VecDeque;

use super::queue::Queue;

/// A partition of the scratchpad.
pub(super) type Partition = u8;

/// Read ports: of products (first factors, then a column each), sums, stores.
pub(super) const READ_PORTS: usize = 8;
pub(super) const SUM_READ: usize = 5;
pub(super) const STORE_READ: usize = 7;
/// Write ports: of products, sums, loads, expansion.
pub(super) const WRITE_PORTS: usize = 4;

/// Clocks from a row's read to its words.
pub(super) const READ: u64 = 2;

/// Of ports that want a partition, those that get it: the one of the lowest number, where the
/// transforms do not want it. Bit i of the result is port i's.
pub(super) fn granted(own: Option<Partition>, wanted: &[Option<Partition>]) -> u32 {
    let mut taken = own.map_or(0u64, |partition| 1 << partition);
    let mut granted = 0;
    for (port, partition) in wanted.iter().enumerate() {
        if let Some(partition) = partition {
            granted |= u32::from(taken >> partition & 1 == 0) << port;
            taken |= 1 << partition;
        }
    }
    granted
}

/// `ckks_gather`: rows that a unit reads together.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Gather {
    has: u32,
}

impl Gather {
    /// Asks for those rows that it does not have yet.
    pub(super) fn ask(
        &self,
        rows: &[Option<Partition>],
        is_held: bool,
        ports: &mut [Option<Partition>],
    ) {
        for (number, (port, row)) in ports.iter_mut().zip(rows).enumerate() {
            *port = row.filter(|_| !is_held && self.has >> number & 1 == 0);
        }
    }

    /// Whether it has all, with what is granted in this clock.
    pub(super) fn is_ready(&self, rows: &[Option<Partition>], is_held: bool, granted: u32) -> bool {
        let mut wanted = rows.iter().enumerate().filter(|(_, row)| row.is_some());
        !is_held && wanted.all(|(number, _)| (self.has | granted) >> number & 1 == 1)
    }

    /// A clock's end.
    pub(super) fn step(&mut self, is_ready: bool, granted: u32) {
        self.has = if is_ready { 0 } else { self.has | granted };
    }
}

/// A row that is written: its partition, and whether it ends its instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) partition: Partition,
    pub(super) is_last: bool,
}

/// `ckks_write_queue` behind a unit's pipeline: rows that come at known clocks, until they are
/// written.
#[derive(Clone, Debug)]
pub(super) struct WriteQueue {
    coming: VecDeque<(u64, Row)>,
    rows: Queue<Row>,
    level: usize,
    /// From this level on the unit reads nothing.
    most: usize,
    /// The unit must not read.
    pub(super) holds: bool,
    /// An instruction is done.
    pub(super) is_done: bool,
}

const DEPTH: usize = 32;

impl WriteQueue {
    /// `in_flight`: clocks from a read to its last write, at the most.
    pub(super) fn new(in_flight: usize) -> Self {
        Self {
            coming: VecDeque::new(),
            rows: Queue::new(DEPTH),
            level: 0,
            most: DEPTH - in_flight,
            holds: false,
            is_done: false,
        }
    }

    pub(super) fn offered(&self) -> Option<Partition> {
        self.rows.front().map(|row| row.partition)
    }

    /// A row that comes in clock `at`.
    pub(super) fn expect(&mut self, at: u64, row: Row) {
        self.coming.push_back((at, row));
    }

    /// A clock's end.
    pub(super) fn step(&mut self, now: u64, is_granted: bool) {
        let written = self.rows.front().filter(|_| is_granted).copied();
        let comes = self.coming.pop_front_if(|(at, _)| *at <= now).map(|(_, row)| row);
        self.holds = self.level >= self.most;
        self.level += usize::from(comes.is_some());
        self.level -= usize::from(written.is_some());
        self.is_done = written.is_some_and(|row| row.is_last);
        self.rows.step(comes, written.is_some());
    }
}
