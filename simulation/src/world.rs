// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A card behind a faulty link, with a clock that advances only by waiting.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use halimede_card::transport::{Connect, Transport};
use halimede_card::CardError;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::fault::{Fault, Plan};
use crate::model::{ModelCard, Reply, Shape};

/// The time of a transfer.
const EXCHANGE_TIME: Duration = Duration::from_micros(10);
/// The pause between two bursts of an endless flood.
const FLOOD_INTERVAL: Duration = Duration::from_millis(20);
/// The number of frames of such a burst.
const FLOOD_FRAMES: usize = 8;
/// The reply codes of the verify commands without a checksum.
const PUBLISHED: [u32; 2] = [0x8000_0100, 0x8000_0101];
/// The reply codes of all verify commands; the last bit selects the command.
const VERIFY: std::ops::RangeInclusive<u32> = 0x8000_0100..=0x8000_0103;
/// The offsets of a frame's command and index, and of the mask of a reply to a verify command.
const COMMAND: usize = 4;
const INDEX: usize = 8;
const MASK: usize = 16;
/// The number of bytes of a reply to a verify command before its checksum.
const VERIFY_BYTES: usize = 24;
/// The largest number of consecutive requests that a card refuses.
const MOST_REFUSED: u32 = 60;
/// The largest number of consecutive frames with a stuck wire.
const MOST_STUCK: u32 = 60;

/// Bytes in transit, with their time of arrival.
struct Parcel {
    at: Duration,
    bytes: Vec<u8>,
    /// True for an undamaged answer.
    is_good: bool,
}

/// A bit that is flipped in a number of frames.
struct Stuck {
    place: usize,
    bit: u32,
    frames: u32,
}

impl Stuck {
    /// A random bit of the index, often one of those that number the requests in flight.
    fn random(generator: &mut ChaCha8Rng) -> Self {
        let (place, bit) = match generator.gen() {
            true => (INDEX, generator.gen_range(0..4)),
            false => (generator.gen_range(INDEX..MASK), generator.gen_range(0..8)),
        };
        Self { place, bit, frames: generator.gen_range(1..=MOST_STUCK) }
    }
}

/// One direction of the link.
#[derive(Default)]
struct Lane {
    parcels: VecDeque<Parcel>,
    /// A frame that waits for the next one.
    held: Option<Parcel>,
    stalled_until: Duration,
    stuck: Option<Stuck>,
}

impl Lane {
    /// Appends a frame to those in transit.
    fn push(&mut self, mut parcel: Parcel) {
        let behind = self.parcels.back().map_or(Duration::ZERO, |last| last.at);
        parcel.at = parcel.at.max(behind);
        self.parcels.push_back(parcel);
        if let Some(held) = self.held.take() {
            self.push(held);
        }
    }

    /// Delivers all waiting frames, and ends sticking and stalls.
    fn make_peace(&mut self, now: Duration) {
        self.stuck = None;
        self.stalled_until = now;
        self.parcels.iter_mut().for_each(|parcel| parcel.at = parcel.at.min(now));
    }

    /// Flips the stuck bit of a frame; true if a wire is stuck.
    fn stick(&mut self, bytes: &mut [u8]) -> bool {
        let Some(stuck) = &mut self.stuck else { return false };
        let Some(byte) = bytes.get_mut(stuck.place) else { return false };
        *byte ^= 1 << stuck.bit;
        stuck.frames -= 1;
        if stuck.frames == 0 {
            self.stuck = None;
        }
        true
    }

    fn clear(&mut self) {
        self.parcels.clear();
        self.held = None;
    }

    /// The time of arrival of the next frame.
    fn next(&self) -> Option<Duration> {
        self.parcels.front().map(|parcel| parcel.at.max(self.stalled_until))
    }
}

/// The state of a [`World`].
pub struct State {
    generator: ChaCha8Rng,
    plan: Plan,
    card: ModelCard,
    now: Duration,
    /// Bytes of an incomplete frame from the host.
    partial: Vec<u8>,
    to_card: Lane,
    from_card: Lane,
    /// A frame that the card sends without end.
    flood: Option<Vec<u8>>,
    /// The number of requests that the card will ignore.
    refused: u32,
    /// True if it ignores them without a reply.
    is_mute: bool,
    is_closed: bool,
    interrupt: Option<(Duration, Arc<AtomicBool>)>,
    /// The number of faults so far.
    pub faults: u64,
    /// The number of answers that reached the host undamaged.
    pub answers: u64,
    /// The time of the last progress: an undamaged answer, or more bytes accepted than in any try
    /// since.
    pub last_progress: Duration,
    /// The bytes accepted in this try since the last answer, and in the best try.
    taken: usize,
    most_taken: usize,
    /// The number of resets in this call since the last answer.
    pub resets: usize,
    /// The begin of the call, and its time limit without progress.
    call: (Duration, Duration),
}

/// The simulated world: clock, link and card. Clones share one world.
#[derive(Clone)]
pub struct World {
    state: Arc<Mutex<State>>,
    beginning: Instant,
}

impl World {
    /// Creates a world from a seed.
    pub fn new(seed: u64, shape: Shape, plan: Plan) -> Self {
        let state = State {
            generator: ChaCha8Rng::seed_from_u64(seed),
            plan,
            card: ModelCard::new(shape),
            now: Duration::ZERO,
            partial: Vec::new(),
            to_card: Lane::default(),
            from_card: Lane::default(),
            flood: None,
            refused: 0,
            is_mute: false,
            is_closed: false,
            interrupt: None,
            faults: 0,
            answers: 0,
            last_progress: Duration::ZERO,
            taken: 0,
            most_taken: 0,
            resets: 0,
            call: (Duration::ZERO, Duration::MAX),
        };
        Self { state: Arc::new(Mutex::new(state)), beginning: Instant::now() }
    }

    /// The state.
    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The time since the beginning.
    pub fn elapsed(&self) -> Duration {
        self.state().now
    }

    /// Begins a call; the world panics if the call does not end.
    pub fn begin_call(&self, longest: Duration) {
        let mut state = self.state();
        state.resets = 0;
        // The previous call may belong to another session.
        (state.taken, state.most_taken) = (0, 0);
        state.call = (state.now, longest);
    }

    /// Sets the flag after this time.
    pub fn interrupt_after(&self, time: Duration, flag: &Arc<AtomicBool>) {
        let mut state = self.state();
        state.interrupt = Some((state.now + time, flag.clone()));
    }

    /// Ends all faults.
    pub fn make_peace(&self) {
        let mut state = self.state();
        state.plan = Plan::peace();
        state.interrupt = None;
        state.refused = 0;
        let now = state.now;
        state.to_card.make_peace(now);
        state.from_card.make_peace(now);
    }
}

impl State {
    /// Lets time pass.
    fn advance(&mut self, to: Duration) {
        self.now = self.now.max(to);
        if self.interrupt.as_ref().is_some_and(|(at, _)| *at <= self.now) {
            if let Some((_, flag)) = self.interrupt.take() {
                flag.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Opens a new connection: frames in transit are lost, the card's state is kept.
    fn connect(&mut self) {
        self.is_closed = false;
        self.partial.clear();
        self.to_card.clear();
        self.from_card.clear();
    }

    /// Takes bytes from the host.
    fn accept(&mut self, bytes: &[u8]) {
        self.partial.extend_from_slice(bytes);
        let beat = self.card.stream_bytes();
        let mut partial = std::mem::take(&mut self.partial);
        let mut taken = 0;
        while partial.len() >= taken + beat {
            let rest = &partial[taken..];
            let size = match word(rest, 0) as usize {
                // Idle beats, which the host sends to synchronize the stream.
                0 => rest.iter().take_while(|byte| **byte == 0).count() / beat * beat,
                size @ 8..=65_536 => size.next_multiple_of(beat),
                _ => beat,
            };
            if rest.len() < size || size == 0 {
                break;
            }
            let is_idle = rest[0] == 0 && word(rest, 0) == 0;
            let frame = rest[..size].to_vec();
            taken += size;
            self.send(frame, is_idle);
        }
        partial.drain(..taken);
        self.partial = partial;
        self.deliver_to_card();
    }

    /// Sends a frame to the card.
    fn send(&mut self, mut bytes: Vec<u8>, is_idle: bool) {
        let is_reset = word(&bytes, 4) == 0 && !is_idle;
        if is_reset {
            // A reset ends a flood.
            self.flood = None;
            self.resets += 1;
            self.taken = 0;
        } else if !is_idle {
            self.taken += bytes.len();
            if self.taken > self.most_taken {
                (self.most_taken, self.last_progress) = (self.taken, self.now);
            }
        }
        let fault = if is_idle { None } else { self.plan.strike(&mut self.generator) };
        let mut at = self.now + if is_reset { self.plan.reset } else { Duration::ZERO };
        if let Some(fault) = fault {
            self.faults += 1;
            match fault {
                Fault::Drop => return,
                Fault::Stick => self.to_card.stuck = Some(Stuck::random(&mut self.generator)),
                Fault::Refuse => {
                    self.refused = match self.generator.gen_ratio(1, 8) {
                        true => u32::MAX,
                        false => self.generator.gen_range(1..=MOST_REFUSED),
                    };
                    self.is_mute = self.generator.gen();
                }
                Fault::Corrupt | Fault::Mistake => {
                    let most = if is_published(&bytes) { MASK } else { bytes.len() };
                    self.flip(&mut bytes, most, None);
                }
                Fault::Duplicate => {
                    self.to_card.push(Parcel { at, bytes: bytes.clone(), is_good: true });
                }
                Fault::Reorder if self.to_card.held.is_none() => {
                    self.to_card.held = Some(Parcel { at, bytes, is_good: true });
                    return;
                }
                Fault::Reorder => {}
                Fault::Delay => at += self.plan.delay(&mut self.generator),
                Fault::Stall => {
                    let delay = self.plan.delay(&mut self.generator);
                    self.to_card.stalled_until = self.now + delay;
                }
                Fault::Cut => self.cut(&mut bytes),
                Fault::Flood => self.begin_flood(None),
                Fault::Reset => self.reset_card(),
                Fault::HangUp => self.is_closed = true,
            }
        }
        self.to_card.stick(&mut bytes);
        self.to_card.push(Parcel { at, bytes, is_good: true });
    }

    /// Delivers the arrived bytes to the card.
    fn deliver_to_card(&mut self) {
        while self.to_card.next().is_some_and(|at| at <= self.now) {
            let Some(parcel) = self.to_card.parcels.pop_front() else { return };
            let (length, command) = (word(&parcel.bytes, 0), word(&parcel.bytes, COMMAND));
            let is_refused = self.refused > 0 && (0x100..0x8000_0000).contains(&command);
            self.refused -= u32::from(is_refused);
            let replies = match is_refused {
                true if self.is_mute => vec![],
                true => vec![self.card.ignore(length, command)],
                false => self.card.take(&parcel.bytes),
            };
            for reply in replies {
                self.reply(reply);
            }
        }
    }

    /// Sends a reply to the host.
    fn reply(&mut self, Reply { mut bytes, is_answer }: Reply) {
        let mut at = self.now;
        let length = bytes.len().min(word(&bytes, 0) as usize);
        let sent = bytes[..length].to_vec();
        let fault = self.plan.strike(&mut self.generator);
        if fault.is_some() {
            self.faults += 1;
        }
        match fault {
            None => {}
            Some(Fault::Drop) => return,
            Some(Fault::Stick) => {
                self.from_card.stuck = Some(Stuck::random(&mut self.generator));
            }
            Some(Fault::Mistake) if VERIFY.contains(&word(&bytes, COMMAND)) => mistake(&mut bytes),
            Some(Fault::Corrupt | Fault::Mistake | Fault::Refuse) => {
                let spared = PUBLISHED.contains(&word(&bytes, 4)).then_some(MASK);
                let most = bytes.len();
                self.flip(&mut bytes, most, spared);
            }
            Some(Fault::Duplicate) => {
                self.from_card.push(Parcel { at, bytes: bytes.clone(), is_good: is_answer });
            }
            Some(Fault::Reorder) if self.from_card.held.is_none() => {
                self.from_card.held = Some(Parcel { at, bytes, is_good: is_answer });
                return;
            }
            Some(Fault::Reorder) => {}
            Some(Fault::Delay) => at += self.plan.delay(&mut self.generator),
            Some(Fault::Stall) => {
                let delay = self.plan.delay(&mut self.generator);
                self.from_card.stalled_until = self.now + delay;
            }
            Some(Fault::Cut) => self.cut(&mut bytes),
            Some(Fault::Flood) => self.begin_flood(Some(bytes.clone())),
            Some(Fault::Reset) => {
                self.reset_card();
                return;
            }
            Some(Fault::HangUp) => self.is_closed = true,
        }
        self.from_card.stick(&mut bytes);
        // The host accepts a reply with damaged padding, and any verdict without a checksum.
        let is_whole = bytes.starts_with(&sent) || PUBLISHED.contains(&word(&sent, COMMAND));
        let is_good = is_answer && is_whole;
        self.from_card.push(Parcel { at, bytes, is_good });
    }

    fn reset_card(&mut self) {
        self.card.reset();
        self.from_card.clear();
        self.flood = None;
    }

    /// Begins a flood of unsolicited replies: statuses, or this reply again.
    fn begin_flood(&mut self, reply: Option<Vec<u8>>) {
        let frame = match reply {
            Some(reply) if self.generator.gen() => reply,
            _ => self.card.status().bytes,
        };
        if self.generator.gen() {
            self.flood = Some(frame);
            return;
        }
        let at = self.now;
        for _ in 0..self.generator.gen_range(1..200) {
            self.from_card.push(Parcel { at, bytes: frame.clone(), is_good: false });
        }
    }

    /// Flips some bits of the first `most` bytes, but none in the spared byte.
    fn flip(&mut self, bytes: &mut [u8], most: usize, spared: Option<usize>) {
        for _ in 0..self.generator.gen_range(1..=self.plan.most_flips) {
            let place = self.generator.gen_range(0..most.min(bytes.len()));
            if Some(place) != spared {
                bytes[place] ^= 1 << self.generator.gen_range(0..8);
            }
        }
    }

    /// Removes some of a frame's last beats.
    fn cut(&mut self, bytes: &mut Vec<u8>) {
        let beat = self.card.stream_bytes();
        let beats = bytes.len() / beat;
        bytes.truncate(self.generator.gen_range(0..beats.max(1)) * beat);
    }

    /// Delivers the arrived bytes to the host; true if there are any.
    fn deliver_to_host(&mut self, incoming: &mut Vec<u8>) -> bool {
        let before = incoming.len();
        while self.from_card.next().is_some_and(|at| at <= self.now) {
            let Some(parcel) = self.from_card.parcels.pop_front() else { break };
            incoming.extend_from_slice(&parcel.bytes);
            if word(&parcel.bytes, COMMAND) >= *VERIFY.start() {
                self.resets = 0;
            }
            if parcel.is_good {
                self.answers += 1;
                self.last_progress = self.now;
                (self.taken, self.most_taken) = (0, 0);
            }
        }
        incoming.len() > before
    }

    /// Implements [`Transport::exchange`].
    fn exchange(
        &mut self,
        outgoing: &[u8],
        incoming: &mut Vec<u8>,
        limit: Duration,
    ) -> Result<usize, CardError> {
        let deadline = self.now + limit;
        let (start, longest) = self.call;
        let since = self.now - start.max(self.last_progress).min(self.now);
        assert!(since <= longest, "a call continues after {since:?} without progress");
        loop {
            self.deliver_to_card();
            let mut taken = 0;
            if !outgoing.is_empty() && self.to_card.stalled_until <= self.now && !self.is_closed {
                taken = match self.generator.gen_ratio(3, 4) {
                    true => outgoing.len(),
                    false => self.generator.gen_range(1..=outgoing.len()),
                };
                self.accept(&outgoing[..taken]);
            }
            if self.deliver_to_host(incoming) || taken > 0 {
                self.advance(self.now + EXCHANGE_TIME);
                return Ok(taken);
            }
            if self.is_closed {
                return Err(CardError::HungUp { diagnosis: "simulated".into() });
            }
            let mut next = [self.to_card.next(), self.from_card.next()].into_iter().flatten().min();
            if !outgoing.is_empty() {
                next = next.into_iter().chain([self.to_card.stalled_until]).min();
            }
            if let Some(frame) = &self.flood {
                let at = self.now + FLOOD_INTERVAL;
                if next.is_none_or(|next| next > at) {
                    let bytes = frame.repeat(FLOOD_FRAMES);
                    self.from_card.push(Parcel { at, bytes, is_good: false });
                    next = Some(at);
                }
            }
            match next {
                Some(next) if next <= deadline => self.advance(next),
                _ => {
                    self.advance(deadline);
                    return Ok(0);
                }
            }
        }
    }
}

/// Turns the reply to a verify command into a reply to the other one, with another verdict.
fn mistake(bytes: &mut [u8]) {
    bytes[COMMAND] ^= 1;
    bytes[MASK] ^= 1;
    if word(bytes, 0) as usize > VERIFY_BYTES {
        let checksum = crc32c::crc32c(&bytes[..VERIFY_BYTES]);
        bytes[VERIFY_BYTES..][..4].copy_from_slice(&checksum.to_le_bytes());
    }
}

/// True for a verify request without a checksum.
fn is_published(frame: &[u8]) -> bool {
    matches!(word(frame, 4), 0x100 | 0x101)
}

fn word(bytes: &[u8], offset: usize) -> u32 {
    let word = bytes.get(offset..offset + 4).and_then(|bytes| bytes.try_into().ok());
    u32::from_le_bytes(word.unwrap_or_default())
}

/// A connection to the world's card.
struct Link(World);

impl Transport for Link {
    fn exchange(
        &mut self,
        outgoing: &[u8],
        incoming: &mut Vec<u8>,
        limit: Duration,
    ) -> Result<usize, CardError> {
        self.0.state().exchange(outgoing, incoming, limit)
    }

    fn now(&self) -> Instant {
        self.0.beginning + self.0.elapsed()
    }

    fn random(&mut self) -> Result<u64, CardError> {
        Ok(self.0.state().generator.gen())
    }
}

impl Connect for World {
    fn connect(&mut self, limit: Duration) -> Result<Box<dyn Transport>, CardError> {
        let mut state = self.state();
        let State { plan, generator, .. } = &mut *state;
        match plan.strike(generator) {
            // Nobody accepts the connection.
            Some(Fault::Stall | Fault::Delay) => {
                state.faults += 1;
                let to = state.now + limit;
                state.advance(to);
                return Err(CardError::TimedOut { awaited: "connection".into(), limit });
            }
            _ => state.connect(),
        }
        drop(state);
        Ok(Box::new(Link(self.clone())))
    }

    fn now(&self) -> Instant {
        self.beginning + self.elapsed()
    }
}
