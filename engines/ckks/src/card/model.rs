// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A card: its size, and the clocks of its units.

use super::isa::{Opcode, Unit, SLOTS, TRANSFER_BYTES};

/// The size of a card's units, and the speed of its memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Card {
    /// log₂ of the number of lanes: the residues of a row. A unit processes one row per clock.
    pub log_lanes: u32,
    /// log₂ of the radix of the transforms: the number of stages in a pass.
    pub log_radix: u32,
    /// The number of sums that share their first factors.
    pub columns: usize,
    /// The number of factor tables that the transform unit holds: 2 or 4.
    pub tables: usize,
    /// Clocks in which the card computes a factor table itself, or 0 if it loads tables.
    pub table_clocks: u64,
    /// The size of the scratchpad in bytes.
    pub scratchpad_bytes: usize,
    /// log₂ of the number of partitions of the scratchpad. Each reads one row and writes one row
    /// per clock.
    pub log_partitions: u32,
    /// The clock rate in MHz.
    pub clock_mhz: f64,
    /// The bandwidth of the memory in bytes per second.
    pub bytes_per_second: f64,
    /// Clocks from the request of a transfer to its first word.
    pub memory_latency: u64,
    /// Words per clock of the generator that expands seeds, or 0 if the card has none.
    pub expand_words: usize,
    /// The number of instructions that a queue holds.
    pub queue: usize,
}

/// Clocks of a unit's stages, as in `engines/ckks/rtl`.
const RADIX_STAGE: u64 = 13;
const TRANSFORM_ENDS: u64 = 8;
const COLUMNS_LATENCY: u64 = 14;
const READ: u64 = 2;
const ADD_LATENCY: u64 = 2;
/// Clocks from an instruction's start to its first row, and from its last row to its end.
const START: u64 = 2;

impl Card {
    /// The size of the published accelerator with the units of this design: 512 lanes, which do not
    /// fit its U280, at 450 MHz and 460 GB/s.
    pub fn published(scratchpad_bytes: usize) -> Self {
        Self {
            log_lanes: 9,
            log_radix: 4,
            columns: 3,
            tables: 2,
            table_clocks: 0,
            scratchpad_bytes,
            log_partitions: 2,
            clock_mhz: 450.0,
            bytes_per_second: 460e9,
            memory_latency: 128,
            expand_words: 0,
            queue: 64,
        }
    }

    /// A small card for simulations: its memory has 64 bytes per clock, and its scratchpad fits all
    /// limbs of its programs.
    pub fn small(log_lanes: u32) -> Self {
        Self {
            log_lanes,
            log_partitions: 4,
            clock_mhz: 200.0,
            bytes_per_second: 64.0 * 200e6,
            expand_words: 16.min(1 << log_lanes),
            ..Self::published(4 << 20)
        }
    }

    /// The number of slots for limbs of N residues.
    pub fn slots(&self, degree: usize) -> usize {
        (self.scratchpad_bytes / (4 * degree)).min(SLOTS)
    }

    /// The number of bytes that the memory moves per clock.
    pub fn bytes_per_clock(&self) -> f64 {
        self.bytes_per_second / (self.clock_mhz * 1e6)
    }

    /// Converts clocks to milliseconds.
    pub fn milliseconds(&self, clocks: u64) -> f64 {
        clocks as f64 / (self.clock_mhz * 1e3)
    }

    /// The number of rows of a limb.
    pub fn rows(&self, degree: usize) -> u64 {
        (degree >> self.log_lanes).max(1) as u64
    }

    /// The number of passes of a transform.
    pub fn passes(&self, degree: usize) -> u64 {
        u64::from(degree.trailing_zeros().div_ceil(self.log_radix))
    }

    /// Clocks of a pass in addition to its rows.
    pub(super) fn pass_latency(&self) -> u64 {
        RADIX_STAGE * u64::from(self.log_radix) + TRANSFORM_ENDS
    }

    /// Clocks of a transfer of this number of bytes.
    pub(super) fn transfer(&self, bytes: usize) -> u64 {
        let bytes = bytes.next_multiple_of(TRANSFER_BYTES);
        (bytes as f64 / self.bytes_per_clock()).ceil() as u64
    }

    /// The number of words of a factor table: see `engines/ckks/card/README.md`.
    pub fn table_words(&self, degree: usize) -> usize {
        let log_degree = degree.trailing_zeros();
        let passes = 1..=log_degree.div_ceil(self.log_radix);
        let entries = passes.map(|pass| 1 << log_degree.saturating_sub(pass * self.log_radix));
        entries.map(|entries: usize| entries << self.log_radix).sum()
    }

    /// Returns the clocks in which an instruction occupies its unit, and the further clocks until
    /// its results can be read.
    pub fn clocks(&self, work: &Occupation, degree: usize) -> (u64, u64) {
        let rows = self.rows(degree);
        match work.opcode.unit() {
            Unit::Control => (0, 0),
            Unit::Memory if work.opcode == Opcode::Factors && self.table_clocks > 0 => {
                (1, self.memory_latency + self.table_clocks)
            }
            Unit::Memory => {
                let is_load = work.opcode == Opcode::Load;
                let moves = self.transfer(work.bytes);
                (if is_load { moves.max(rows) } else { moves }, self.memory_latency)
            }
            Unit::Expand => ((degree / self.expand_words.max(1)) as u64, self.memory_latency),
            // Two transforms are in the unit at a time.
            Unit::Transform => {
                let passes = self.passes(degree);
                (
                    passes * rows.max(self.pass_latency() / 2),
                    passes * rows / 2 + self.pass_latency(),
                )
            }
            Unit::Product => {
                let takes = rows * work.terms.max(work.columns) as u64;
                (takes, START + READ + COLUMNS_LATENCY + work.columns as u64)
            }
            Unit::Sum => match work.opcode {
                Opcode::Perm => {
                    let setup = u64::from(self.log_lanes) + 1;
                    (rows + setup, START + READ + 2 + u64::from(self.log_lanes))
                }
                _ => (rows, START + READ + ADD_LATENCY),
            },
        }
    }
}

/// The properties of an instruction that determine its clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occupation {
    /// The operation of the instruction.
    pub opcode: Opcode,
    /// The number of products in a sum.
    pub terms: usize,
    /// The number of results.
    pub columns: usize,
    /// The number of bytes moved to or from memory.
    pub bytes: usize,
}
