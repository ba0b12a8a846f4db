// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `ckks_scratchpad` and the arbiters of its ports, which grant partitions in each clock.

use std::collections::VecDeque;

use super::queue::Queue;

/// A partition of the scratchpad.
pub(super) type Partition = u8;

/// The number of read ports: of products (first factors, then one for each column), sums, stores.
pub(super) const READ_PORTS: usize = 8;
pub(super) const SUM_READ: usize = 5;
pub(super) const STORE_READ: usize = 7;
/// The number of write ports: of products, sums, loads, expansion.
pub(super) const WRITE_PORTS: usize = 4;

/// Clocks from the read of a row to its words.
pub(super) const READ: u64 = 2;

/// Returns the ports that get the partition that they request: the port with the lowest number,
/// unless the transforms use the partition. Bit i is for port i.
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
    /// Requests the rows that the unit does not have yet.
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

    /// Returns `true` if all rows are available, including those that are granted in this clock.
    pub(super) fn is_ready(&self, rows: &[Option<Partition>], is_held: bool, granted: u32) -> bool {
        let mut wanted = rows.iter().enumerate().filter(|(_, row)| row.is_some());
        !is_held && wanted.all(|(number, _)| (self.has | granted) >> number & 1 == 1)
    }

    /// Ends a clock.
    pub(super) fn step(&mut self, is_ready: bool, granted: u32) {
        self.has = if is_ready { 0 } else { self.has | granted };
    }
}

/// A row to be written: its partition, and whether it ends its instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) partition: Partition,
    pub(super) is_last: bool,
}

/// `ckks_write_queue` after a unit's pipeline: holds rows, which arrive at known clocks, until they
/// are written.
#[derive(Clone, Debug)]
pub(super) struct WriteQueue {
    coming: VecDeque<(u64, Row)>,
    rows: Queue<Row>,
    level: usize,
    /// From this level on the unit must not read.
    most: usize,
    /// Set if the unit must not read.
    pub(super) holds: bool,
    /// Set if an instruction is done.
    pub(super) is_done: bool,
}

const DEPTH: usize = 32;

impl WriteQueue {
    /// `in_flight` is the largest number of clocks from a read to its last write.
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

    /// Adds a row that arrives in clock `at`.
    pub(super) fn expect(&mut self, at: u64, row: Row) {
        self.coming.push_back((at, row));
    }

    /// Ends a clock.
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
