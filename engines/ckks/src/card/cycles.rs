// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The cycle model: when each instruction of a stream begins and ends on a card.
//!
//! It follows the rules of `engines/ckks/card/README.md`. Words are taken from the stream one per
//! clock, and added to the queue of their unit if it has room. The first instruction of a queue
//! begins when its unit is free and its dependencies are done. A unit is free again before its
//! results are written. The transform unit processes two transforms at a time, whose passes
//! alternate.

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
    /// The clock in which the command begins.
    pub start: u64,
    /// The clock from which on the unit accepts another command.
    pub free: u64,
    /// The clock from which on the command is done.
    pub end: u64,
}

/// The clocks of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clocks {
    /// The span of each command.
    pub spans: Vec<Span>,
    /// The clock in which all commands are done.
    pub total: u64,
    /// The number of clocks in which each unit works, indexed by its code.
    pub busy: [u64; Unit::ALL.len()],
}

/// The number of bytes that a command moves.
pub(super) fn bytes_of(command: &Command, degree: usize) -> usize {
    match command.head.opcode() {
        Opcode::Load => limb_bytes(degree, 1 << command.head.get(Field::Run)),
        Opcode::Store => limb_bytes(degree, 1),
        Opcode::Factors => command.head.get(Field::Transfers) * TRANSFER_BYTES,
        Opcode::Expand => TRANSFER_BYTES,
        _ => 0,
    }
}

/// Returns the properties of a command that determine its clocks.
pub(super) fn occupation(command: &Command, degree: usize) -> Occupation {
    let opcode = command.head.opcode();
    let terms = match opcode {
        Opcode::Subscale => 2,
        _ => command.terms.len().max(1),
    };
    Occupation { opcode, terms, columns: command.columns(), bytes: bytes_of(command, degree) }
}

/// Returns, for each command, the commands that must be done before it begins.
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

/// The number of queues: one for each unit, and one more for stores, which share the memory with
/// loads.
const QUEUES: usize = Unit::ALL.len() + 1;

/// The queue of a command.
fn queue_of(command: &Command) -> usize {
    match command.head.opcode() {
        Opcode::Store => QUEUES - 1,
        opcode => opcode.unit() as usize,
    }
}

/// A transform in the unit.
#[derive(Clone, Copy, Debug)]
struct Job {
    command: usize,
    passes: u64,
    /// The clock in which the rows of its last pass are written.
    ready: u64,
    is_inverse: bool,
}

#[derive(Default)]
struct TransformUnit {
    jobs: [Option<Job>; 2],
    next: usize,
    is_inverse: bool,
    /// The clocks from which on no pass is being issued, and none is in the unit.
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
    /// Clocks in which the state may change. A command in an event is done then.
    events: BinaryHeap<Reverse<(u64, Option<usize>)>>,
    busy: [u64; Unit::ALL.len()],
}

/// Returns the clocks of a program on a card.
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

    /// Processes all changes in a clock.
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
        // A queue may have room again.
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

    /// Returns the first command of a queue if it can begin.
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

    /// Moves a transform to the unit if it has room.
    fn accept(&mut self, command: usize, now: u64) -> bool {
        for job in &mut self.transform.jobs {
            // Remove a transform whose rows are all written.
            job.take_if(|job| job.passes == 0 && job.ready <= now);
        }
        let Some(room) = self.transform.jobs.iter().position(Option::is_none) else { return false };
        let is_inverse = self.commands[command].head.opcode() == Opcode::Intt;
        let passes = self.card.passes(self.degree);
        self.spans[command].start = now;
        self.transform.jobs[room] = Some(Job { command, passes, ready: now, is_inverse });
        true
    }

    /// Begins a pass if the transform unit can.
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
