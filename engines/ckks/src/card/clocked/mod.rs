// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A clock-accurate model of the card's core without data: it follows `engines/ckks/rtl` in each
//! clock, including waits for a partition of the scratchpad. Every part has the name of the module
//! that it models, and its `step` leaves the content of the registers at the end of a clock.
//!
//! [`clocks`](super::clocks()) models whole instructions and is what the compiler uses. This model
//! is slower and gives the exact clocks of a card.

mod decode;
mod expand;
mod loads;
mod memory;
mod products;
mod queue;
mod scoreboard;
mod shape;
mod slots;
mod sums;
mod transforms;

use std::collections::VecDeque;

use decode::{Decoder, EXPANSION, LOADS, PRODUCTS, STORES, SUMS, TRANSFORMS};
use expand::Expansion;
use loads::{Loads, Stores};
use memory::Memory;
use products::Products;
use scoreboard::{Scoreboard, UNITS};
use shape::Shape;
use slots::{granted, Partition, READ_PORTS, STORE_READ, SUM_READ, WRITE_PORTS};
use sums::Sums;
use transforms::Transforms;

use super::cycles::{Clocks, Span};
use super::image::Image;
use super::isa::Unit;
use super::model::Card;

/// Parameters of a core that affect its clocks, in addition to the [`Card`].
#[derive(Clone, Debug)]
pub struct CoreOptions {
    /// Words of a beat of the memory, at most the number of lanes.
    pub beat_words: usize,
    /// The number of entries in the table of terms.
    pub term_places: usize,
    /// log₂ of the number of memory regions that the scoreboard distinguishes.
    pub log_regions: u32,
    /// Double rounds of ChaCha20 in hardware: 1, 2, 5 or 10.
    pub double_rounds: u64,
    /// The number of regions in the job's table.
    pub regions: usize,
}

impl CoreOptions {
    /// The default parameters of `ckks_core`. A beat is as wide as the bandwidth of the memory per
    /// clock, and at least 16 words.
    pub fn of(card: &Card, image: &Image) -> Self {
        let words = (card.bytes_per_clock() / 4.0).ceil() as usize;
        Self {
            beat_words: words.next_power_of_two().max(PORT_WORDS as usize).min(1 << card.log_lanes),
            term_places: 64,
            log_regions: 4,
            double_rounds: 10,
            regions: image.segments,
        }
    }
}

/// The clocks of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoreClocks {
    /// The clocks from the job's start to its end. The span of a command ends when it is done. It
    /// begins when the command has begun and the previous one in its queue is done.
    pub clocks: Clocks,
    /// The number of waits for a partition by reads and writes, in clocks.
    pub conflicts: u64,
}

/// The largest number of words in a beat of one `ckks_dma`.
const PORT_WORDS: u64 = 16;
/// Clocks from a job's start to its first word, in addition to four latencies of the memory, one
/// beat of 32 bytes for every four regions, and two for every sixteen primes.
const PROLOGUE: u64 = 29;
/// Clocks from the end of the last instruction to the end of the job.
const EPILOGUE: u64 = 3;

struct Core<'c> {
    shape: Shape,
    image: &'c Image,
    memory: Memory,
    decoder: Decoder<'c>,
    scoreboard: Scoreboard,
    loads: Loads,
    stores: Stores,
    expansion: Expansion,
    transforms: Transforms,
    products: Products,
    sums: Sums,
    spans: Vec<Span>,
    /// The commands that have begun and are not done, for each queue.
    begun: [VecDeque<usize>; UNITS],
    /// The clock in which the last command was done, for each queue.
    ended: [u64; UNITS],
    conflicts: u64,
}

/// log₂ of the largest number of partitions of a core.
pub const MOST_LOG_PARTITIONS: u32 = 6;

/// Returns the clocks that a core needs for a program.
///
/// # Panics
/// Panics if the card has more partitions than [`MOST_LOG_PARTITIONS`] allows.
pub fn core_clocks(image: &Image, card: &Card, options: &CoreOptions) -> CoreClocks {
    let mut core = Core::new(image, card, options);
    let table = options.regions.div_ceil(4) as u64 + 2 * image.primes.len().div_ceil(16) as u64;
    let mut now = PROLOGUE + 4 * card.memory_latency + table;
    while !core.decoder.has_ended() {
        core.step(now);
        now += 1;
    }
    let mut busy = [0; Unit::ALL.len()];
    busy[Unit::Memory as usize] = core.loads.busy + core.stores.busy;
    busy[Unit::Expand as usize] = core.expansion.busy;
    busy[Unit::Transform as usize] = core.transforms.busy;
    busy[Unit::Product as usize] = core.products.busy;
    busy[Unit::Sum as usize] = core.sums.busy;
    let clocks = Clocks { spans: core.spans, total: now + EPILOGUE, busy };
    CoreClocks { clocks, conflicts: core.conflicts }
}

impl<'c> Core<'c> {
    fn new(image: &'c Image, card: &Card, options: &CoreOptions) -> Self {
        let degree = 1usize << image.log_degree;
        let rows = card.rows(degree);
        let slots = card.slots(degree).max(image.slots);
        // A partition has room for at least one limb.
        let partitions = (1 << card.log_partitions).min(slots.next_power_of_two());
        assert!(partitions <= 1 << MOST_LOG_PARTITIONS, "{partitions} partitions are too many");
        let words = options.beat_words as u64;
        let groups = (degree as u64 / words).max(1);
        // A wider bus has several `ckks_dma`, each with separate entries.
        let pieces = (words.min(PORT_WORDS) >> card.log_radix).max(1);
        let share = |modulus: &u32| f64::from(*modulus) / (1u64 << modulus.ilog2() << 1) as f64;
        let shape = Shape {
            degree,
            partitions,
            beat_bytes: 4 * options.beat_words,
            term_places: options.term_places,
            log_regions: options.log_regions,
            shares: image.primes.iter().map(share).collect(),
        };
        let beats_per_clock = card.bytes_per_clock() / (4 * words) as f64;
        let count = image.commands.len();
        Self {
            image,
            memory: Memory::new(card.memory_latency, beats_per_clock),
            decoder: Decoder::new(&image.commands, &shape, slots),
            scoreboard: Scoreboard::new(card.queue, Decoder::resources(&shape, slots)),
            loads: Loads::new(groups, pieces),
            stores: Stores::new(groups),
            expansion: Expansion::new(
                degree as u64,
                words,
                card.expand_words as u64,
                card.memory_latency,
                10 / options.double_rounds,
            ),
            transforms: Transforms::new(rows, card.passes(degree), card.pass_latency()),
            products: Products::new(rows, card.columns),
            sums: Sums::new(rows, card.log_lanes),
            spans: vec![Span::default(); count],
            begun: Default::default(),
            ended: [0; UNITS],
            conflicts: 0,
            shape,
        }
    }

    fn step(&mut self, now: u64) {
        self.memory.begin();
        let (reads, writes) = self.serve(now);
        let done = self.done();
        let (begins, begun) = self.begin();
        for unit in 0..UNITS {
            if let Some(command) = begun[unit] {
                self.spans[command].start = now;
                self.begun[unit].push_back(command);
            }
            if done[unit] {
                if let Some(command) = self.begun[unit].pop_front() {
                    let span = &mut self.spans[command];
                    *span = Span { start: span.start.max(self.ended[unit]), free: now, end: now };
                    self.ended[unit] = now;
                }
            }
        }

        let commands = &self.image.commands[..];
        let shape = &self.shape;
        let sends_term = self.decoder.sends_term();
        let operand = self.decoder.operand().filter(|_| self.scoreboard.takes_operands());
        let is_idle = self.scoreboard.is_idle();
        let of = |unit: usize| begun[unit].map(|command| &commands[command]);
        let bit = |mask: u32, port: usize| mask >> port & 1 == 1;
        self.loads.step(now, shape, of(LOADS), &mut self.memory, bit(writes, 2));
        let is_read = bit(reads, STORE_READ);
        self.stores.step(now, shape, of(STORES), &mut self.memory, is_read);
        self.expansion.step(now, shape, commands, begun[EXPANSION], bit(writes, 3));
        self.transforms.step(now, shape, commands, begun[TRANSFORMS]);
        let served = (reads & ((1 << SUM_READ) - 1), bit(writes, 0));
        self.products.step(now, shape, commands, begun[PRODUCTS], sends_term, served);
        let served = (reads >> SUM_READ & 3, bit(writes, 1));
        self.sums.step(now, shape, commands, begun[SUMS], served);
        self.scoreboard.step(operand, begins, done);
        self.decoder.step(operand.is_some(), is_idle, done[PRODUCTS]);
    }

    /// Grants the partitions of the scratchpad. Returns the bits of the read ports and of the write
    /// ports.
    fn serve(&mut self, now: u64) -> (u32, u32) {
        let (own_read, own_write) = self.transforms.partitions(now);
        let mut wanted = [None; READ_PORTS];
        self.products.ask(&mut wanted[..SUM_READ]);
        self.sums.ask(&mut wanted[SUM_READ..STORE_READ]);
        wanted[STORE_READ] = self.stores.offered();
        let written: [Option<Partition>; WRITE_PORTS] = [
            self.products.queue.offered(),
            self.sums.queue.offered(),
            self.loads.offered(),
            self.expansion.offered(),
        ];
        let reads = granted(own_read, &wanted);
        let writes = granted(own_write, &written);
        let count = |wanted: &[Option<Partition>]| wanted.iter().flatten().count() as u32;
        let missed = count(&wanted) + count(&written) - reads.count_ones() - writes.count_ones();
        self.conflicts += u64::from(missed);
        (reads, writes)
    }

    fn done(&self) -> [bool; UNITS] {
        [
            self.loads.is_done(),
            self.stores.writer.is_done,
            self.expansion.is_done,
            self.transforms.is_done,
            self.products.queue.is_done,
            self.sums.queue.is_done,
        ]
    }

    /// Returns which queues pass their first command to their unit, and which command that is.
    fn begin(&self) -> ([bool; UNITS], [Option<usize>; UNITS]) {
        let is_free = [
            self.loads.is_free(),
            self.stores.is_free(),
            self.expansion.is_free(),
            self.transforms.is_free(),
            self.products.is_free(),
            self.sums.is_free(),
        ];
        let mut begun = [None; UNITS];
        for unit in 0..UNITS {
            begun[unit] = self.scoreboard.offered(unit).filter(|_| is_free[unit]);
        }
        (begun.map(|command| command.is_some()), begun)
    }
}
