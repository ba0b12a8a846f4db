// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The card's core clock by clock, without data: what `engines/ckks/rtl` does in each clock, down to
//! who waits for a partition of the scratchpad. Every part is named after the module that it
//! follows; what a register holds at the end of a clock is what its `step` leaves.
//!
//! [`clocks`](super::clocks()) looks at whole instructions and is what the compiler asks; this is
//! slower and is what a card takes.

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

/// What the clocks of a core depend on beside the [`Card`].
#[derive(Clone, Debug)]
pub struct CoreOptions {
    /// Words of a beat of the memory: at most the lanes.
    pub beat_words: usize,
    /// Places of the table of terms.
    pub term_places: usize,
    /// log₂ of the regions of memory that the scoreboard tells apart.
    pub log_regions: u32,
    /// Double rounds of ChaCha that the card has: 1, 2, 5 or 10.
    pub double_rounds: u64,
    /// Regions in the job's table.
    pub regions: usize,
}

impl CoreOptions {
    /// As `ckks_core` is built where nothing else is asked for; beats as wide as the memory gives
    /// bytes in a clock, and 16 words at least.
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
    /// From the job's start to its end. A command's span is from when it has begun, and the one before
    /// it in its queue is done, until it is done.
    pub clocks: Clocks,
    /// Reads and writes that waited a clock for a partition.
    pub conflicts: u64,
}

/// Words of a beat of one `ckks_dma`, at the most.
const PORT_WORDS: u64 = 16;
/// Clocks from a job's start to its first word, beside four latencies of the memory, a beat of 32
/// bytes for each four regions, and two for each sixteen primes.
const PROLOGUE: u64 = 29;
/// Clocks from the last instruction's end to the job's.
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
    /// Of each queue: what has begun and is not done.
    begun: [VecDeque<usize>; UNITS],
    /// Of each queue: when the last one was done.
    ended: [u64; UNITS],
    conflicts: u64,
}

/// log₂ of the partitions that a core has at the most.
pub const MOST_LOG_PARTITIONS: u32 = 6;

/// The clocks that a core takes for a program.
///
/// # Panics
/// Where the card has more partitions than [`MOST_LOG_PARTITIONS`] says.
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
        // A partition has room for a limb at least.
        let partitions = (1 << card.log_partitions).min(slots.next_power_of_two());
        assert!(partitions <= 1 << MOST_LOG_PARTITIONS, "{partitions} partitions");
        let words = options.beat_words as u64;
        let groups = (degree as u64 / words).max(1);
        // A wider bus has several of `ckks_dma`, each with entries of its own.
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

    /// Who gets the partitions of the scratchpad: bits of read and of write ports.
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

    /// Which queues give their first command to their unit, and which command that is.
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
