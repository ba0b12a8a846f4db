// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The cycle model: when each instruction of a stream begins and ends on a card.
//!
//! The rules are those of `engines/ckks/card/README.md`. Words are taken from the stream one a
//! clock, and go to the queue of their unit as long as it has room. The first of a queue begins when
//! its unit is free and what it waits for is done. A unit is free again before its results are
//! written. The transform unit has two transforms at a time, whose passes take turns.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};

use super::image::Image;
use super::instruction::Command;
use super::isa::{Field, Opcode, Unit, TABLES, TRANSFER_BYTES};
use super::memory_map::limb_bytes;
use super::model::{Card, Occupation};

/// The clocks of a command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// When it begins.
    pub start: u64,
    /// From when on its unit takes another.
    pub free: u64,
    /// From when on it is done.
    pub end: u64,
}

/// The clocks of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clocks {
    /// Those of each command.
    pub spans: Vec<Span>,
    /// When all are done.
    pub total: u64,
    /// Those in which each unit works, by its code.
    pub busy: [u64; Unit::ALL.len()],
}

/// Bytes that a command moves.
pub(super) fn bytes_of(command: &Command, degree: usize) -> usize {
    match command.head.opcode() {
        Opcode::Load => limb_bytes(degree, 1 << command.head.get(Field::Run)),
        Opcode::Store => limb_bytes(degree, 1),
        Opcode::Factors => command.head.get(Field::Transfers) * TRANSFER_BYTES,
        Opcode::Expand => TRANSFER_BYTES,
        _ => 0,
    }
}

/// What decides the clocks of a command.
pub(super) fn occupation(command: &Command, degree: usize) -> Occupation {
    let opcode = command.head.opcode();
    let terms = match opcode {
        Opcode::Subscale => 2,
        _ => command.terms.len().max(1),
    };
    Occupation { opcode, terms, columns: command.columns(), bytes: bytes_of(command, degree) }
}

/// For each command, those that must be done before it begins.
pub(super) fn waits(commands: &[Command], slots: usize) -> Vec<Vec<u32>> {
    let mut writer = vec![None; slots];
    let mut readers: Vec<Vec<u32>> = vec![Vec::new(); slots];
    let mut tables: [Vec<u32>; TABLES] = Default::default();
    let mut loaded: [Option<u32>; TABLES] = [None; TABLES];
    let mut stores: HashMap<usize, u32> = HashMap::new();
    let mut fence: Option<u32> = None;
    let mut since_fence = Vec::new();
    let mut all = Vec::with_capacity(commands.len());
    for (number, command) in (0u32..).zip(commands) {
        let mut waits: Vec<u32> = fence.into_iter().collect();
        let head = &command.head;
        for slot in command.reads() {
            waits.extend(writer[slot]);
            readers[slot].push(number);
        }
        for slot in command.writes() {
            waits.extend(writer[slot]);
            waits.extend(readers[slot].drain(..).filter(|reader| *reader != number));
            writer[slot] = Some(number);
        }
        let buffer = head.table();
        match head.opcode() {
            Opcode::Ntt | Opcode::Intt => {
                waits.extend(loaded[buffer]);
                tables[buffer].push(number);
            }
            Opcode::Factors => {
                waits.append(&mut tables[buffer]);
                waits.extend(loaded[buffer]);
                loaded[buffer] = Some(number);
            }
            Opcode::Load => waits.extend(stores.get(&head.get(Field::Segment))),
            Opcode::Store => drop(stores.insert(head.get(Field::Segment), number)),
            Opcode::Fence => {
                waits.append(&mut since_fence);
                fence = Some(number);
            }
            _ => {}
        }
        since_fence.push(number);
        waits.sort_unstable();
        waits.dedup();
        all.push(waits);
    }
    all
}

/// Queues: one a unit, and one more for stores, which share the memory with loads.
const QUEUES: usize = Unit::ALL.len() + 1;

/// The queue that a command goes to.
fn queue_of(command: &Command) -> usize {
    match command.head.opcode() {
        Opcode::Store => QUEUES - 1,
        opcode => opcode.unit() as usize,
    }
}

/// A transform in its unit.
#[derive(Clone, Copy, Debug)]
struct Job {
    command: usize,
    passes: u64,
    /// When the rows of its last pass are written.
    ready: u64,
    is_inverse: bool,
}

#[derive(Default)]
struct TransformUnit {
    jobs: [Option<Job>; 2],
    next: usize,
    is_inverse: bool,
    /// When no pass is being issued, and when none is inside.
    free: u64,
    empty: u64,
}

struct Model<'c> {
    card: &'c Card,
    degree: usize,
    commands: &'c [Command],
    waits: Vec<Vec<u32>>,
    is_done: Vec<bool>,
    spans: Vec<Span>,
    queues: Vec<VecDeque<usize>>,
    free: Vec<u64>,
    transform: TransformUnit,
    dispatched: usize,
    dispatch_free: u64,
    /// Clocks in which something may change; with a command, it is done then.
    events: BinaryHeap<Reverse<(u64, Option<usize>)>>,
    busy: [u64; Unit::ALL.len()],
}

/// The clocks of a program on a card.
pub fn clocks(image: &Image, card: &Card) -> Clocks {
    let count = image.commands.len();
    let mut model = Model {
        card,
        degree: 1 << image.log_degree,
        commands: &image.commands,
        waits: waits(&image.commands, image.slots),
        is_done: vec![false; count],
        spans: vec![Span::default(); count],
        queues: vec![VecDeque::new(); QUEUES],
        free: vec![0; Unit::ALL.len()],
        transform: TransformUnit::default(),
        dispatched: 0,
        dispatch_free: 0,
        events: BinaryHeap::from([Reverse((0, None))]),
        busy: [0; Unit::ALL.len()],
    };
    while let Some(Reverse((now, done))) = model.events.pop() {
        if let Some(command) = done {
            model.is_done[command] = true;
        }
        let more = |Reverse((at, _)): &Reverse<(u64, Option<usize>)>| *at == now;
        if !model.events.peek().is_some_and(more) {
            model.step(now);
        }
    }
    let total = model.spans.iter().map(|span| span.end).max().unwrap_or(0);
    Clocks { spans: model.spans, total, busy: model.busy }
}

impl Model<'_> {
    fn wake(&mut self, at: u64) {
        self.events.push(Reverse((at, None)));
    }

    /// All that happens in a clock.
    fn step(&mut self, now: u64) {
        self.dispatch(now);
        for queue in 0..QUEUES {
            while let Some(command) = self.ready(queue, now) {
                let unit = self.commands[command].head.opcode().unit();
                if unit == Unit::Transform {
                    if !self.accept(command, now) {
                        break;
                    }
                } else {
                    self.start(command, unit, now);
                }
                self.queues[queue].pop_front();
            }
        }
        self.issue(now);
        // Room in a queue.
        self.dispatch(now);
    }

    fn dispatch(&mut self, now: u64) {
        while self.dispatched < self.commands.len() && self.dispatch_free <= now {
            let command = &self.commands[self.dispatched];
            let queue = &mut self.queues[queue_of(command)];
            if queue.len() >= self.card.queue {
                return;
            }
            queue.push_back(self.dispatched);
            self.dispatched += 1;
            self.dispatch_free = now + command.words() as u64;
            self.wake(self.dispatch_free);
        }
    }

    /// The first of a queue, if it can begin.
    fn ready(&mut self, queue: usize, now: u64) -> Option<usize> {
        let command = *self.queues[queue].front()?;
        let unit = self.commands[command].head.opcode().unit();
        let is_ready = self.free[unit as usize] <= now
            && self.waits[command].iter().all(|before| self.is_done[*before as usize]);
        is_ready.then_some(command)
    }

    fn start(&mut self, command: usize, unit: Unit, now: u64) {
        let work = occupation(&self.commands[command], self.degree);
        let (takes, latency) = self.card.clocks(&work, self.degree);
        let (free, end) = (now + takes, now + takes + latency);
        self.spans[command] = Span { start: now, free, end };
        self.free[unit as usize] = free;
        self.busy[unit as usize] += takes;
        self.events.push(Reverse((end, Some(command))));
        self.wake(free);
    }

    /// Takes a transform into its unit, if that has room.
    fn accept(&mut self, command: usize, now: u64) -> bool {
        for job in &mut self.transform.jobs {
            // One whose rows are all written.
            job.take_if(|job| job.passes == 0 && job.ready <= now);
        }
        let Some(room) = self.transform.jobs.iter().position(Option::is_none) else { return false };
        let is_inverse = self.commands[command].head.opcode() == Opcode::Intt;
        let passes = self.card.passes(self.degree);
        self.spans[command].start = now;
        self.transform.jobs[room] = Some(Job { command, passes, ready: now, is_inverse });
        true
    }

    /// Begins a pass, if the transform unit can.
    fn issue(&mut self, now: u64) {
        if self.transform.free > now {
            return;
        }
        let rows = self.card.rows(self.degree);
        let unit = &mut self.transform;
        for which in [unit.next, 1 - unit.next] {
            let Some(mut job) = unit.jobs[which] else { continue };
            let is_turn = job.is_inverse == unit.is_inverse || unit.empty <= now;
            if job.passes == 0 || job.ready > now || !is_turn {
                continue;
            }
            let written = now + rows + self.card.pass_latency();
            job.ready = written;
            job.passes -= 1;
            unit.jobs[which] = Some(job);
            unit.is_inverse = job.is_inverse;
            unit.next = 1 - which;
            unit.free = now + rows;
            unit.empty = written;
            self.busy[Unit::Transform as usize] += rows;
            if job.passes == 0 {
                let span = &mut self.spans[job.command];
                (span.free, span.end) = (now + rows, written + 1);
                self.events.push(Reverse((written + 1, Some(job.command))));
            }
            self.wake(now + rows);
            self.wake(written);
            return;
        }
    }
}
