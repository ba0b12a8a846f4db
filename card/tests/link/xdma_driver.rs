// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A stand-in of AMD's XDMA driver in AXI4-Stream mode, with the rules that its source states
//! (dma_ip_drivers, XDMA/linux-kernel/xdma: cdev_sgdma.c, libxdma.c, cdev_events.c).
//!
//! - The stream from the card has one user at a time: another open is refused (EBUSY).
//! - A transfer has one descriptor per page of the caller's buffer. The card fills a descriptor up
//!   to the end of a packet, and starts the next packet in the next descriptor, at its page.
//! - Without `O_TRUNC` a read ends when all of its descriptors are complete.
//! - With `O_TRUNC` it also ends with the interrupt after an end of packet. The interrupt is late:
//!   packets that follow at once fill further descriptors, and the read returns the sum of all
//!   lengths. The contents of a descriptor that is not complete then are lost.
//! - A read or write that does not end within the driver's limit fails (ETIMEDOUT), and everything
//!   that it moved is lost, or sent without notice.
//! - Addresses and lengths are multiples of a beat (EINVAL); no call heeds `O_NONBLOCK`, and
//!   poll(2) tells nothing of the streams.
//! - A device of events is readable when an interrupt came after the last read.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use halimede_card::transport::{DeviceFile, Driver, OpenMode};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rustix::io::Errno;
use rustix::pipe::{pipe_with, PipeFlags};

pub const BEAT: usize = 64;
const PAGE: usize = 4096;
/// The number of reads whose lengths are kept.
const MOST_SIZES: usize = 4096;

/// The ends of the packets of the card.
#[derive(Clone, Copy, Debug)]
pub enum Packets {
    /// One packet per frame.
    Frames,
    /// Frames that follow at once share a packet of at most this number of bytes.
    Coalesced(usize),
    /// Packets of random lengths up to this number of bytes.
    Random(usize),
}

/// The properties of the driver and of the card's end.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// The driver's limit of a transfer, `c2h_timeout_ms` and `h2c_timeout_ms`.
    pub limit: Duration,
    pub packets: Packets,
    /// Addresses and lengths are multiples of this number of bytes. The engine's register of
    /// alignments sets it.
    pub alignment: usize,
    /// The number of bytes that the card's queues hold in each direction.
    pub queue_bytes: usize,
    /// The silence after which the card sends a beat of zeros.
    pub idle_beat: Option<Duration>,
    /// The card's interrupts reach the device of events.
    pub has_interrupts: bool,
    /// One of this number of calls returns EAGAIN; 0: none.
    pub again_one_in: u32,
    pub seed: u64,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            limit: Duration::from_secs(10),
            packets: Packets::Coalesced(PAGE),
            alignment: BEAT,
            queue_bytes: 256 * 1024,
            idle_beat: None,
            has_interrupts: true,
            again_one_in: 0,
            seed: 0,
        }
    }
}

/// A machine with the driver and one card.
#[derive(Clone, Debug)]
pub struct Xdma(Arc<Board>);

#[derive(Debug)]
struct Board {
    rules: Rules,
    state: Mutex<State>,
    changed: Condvar,
    /// Holds a byte while the device of events is readable.
    events: (OwnedFd, OwnedFd),
}

#[derive(Debug)]
struct State {
    to_card: VecDeque<u8>,
    from_card: VecDeque<Packet>,
    from_card_bytes: usize,
    is_reader_open: bool,
    is_reading: bool,
    mode: OpenMode,
    is_pulled: bool,
    has_event: bool,
    random: ChaCha8Rng,
    counts: Counts,
}

/// The number of calls so far.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    pub reads: usize,
    pub writes: usize,
    /// The lengths of the last reads.
    pub sizes: VecDeque<usize>,
    pub time_outs: usize,
    pub interrupts: usize,
}

#[derive(Debug)]
struct Packet {
    bytes: Vec<u8>,
    taken: usize,
    /// `false` if the card was reset within the packet: the next one continues it.
    ends: bool,
}

fn error(errno: Errno) -> io::Error {
    errno.into()
}

impl Xdma {
    pub fn new(rules: Rules) -> Self {
        let state = State {
            to_card: VecDeque::new(),
            from_card: VecDeque::new(),
            from_card_bytes: 0,
            is_reader_open: false,
            is_reading: false,
            mode: OpenMode::Read,
            is_pulled: false,
            has_event: false,
            random: ChaCha8Rng::seed_from_u64(rules.seed),
            counts: Counts::default(),
        };
        let events = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK).unwrap();
        Self(Arc::new(Board { rules, state: Mutex::new(state), changed: Condvar::new(), events }))
    }

    /// The card's end of the stream to it.
    pub fn requests(&self) -> Requests {
        Requests(self.0.clone())
    }

    /// The card's end of the stream from it.
    pub fn replies(&self) -> Replies {
        Replies(self.0.clone())
    }

    /// Pulls the cable: every call fails from now on, also the waiting ones.
    pub fn pull(&self) {
        self.0.lock().is_pulled = true;
        self.0.changed.notify_all();
    }

    /// Resets the card: the replies in its queues are lost, except the first half of a packet.
    pub fn reset(&self) {
        let mut state = self.0.lock();
        state.from_card.truncate(1);
        if let Some(packet) = state.from_card.front_mut() {
            let rest = packet.bytes.len() - packet.taken;
            packet.bytes.truncate(packet.taken + (rest / 2).next_multiple_of(BEAT));
            packet.ends = false;
        }
        state.from_card_bytes = state.from_card.iter().map(|p| p.bytes.len() - p.taken).sum();
        drop(state);
        self.0.changed.notify_all();
    }

    /// Returns `true` if no read begins within a time.
    pub fn is_idle(&self, time: Duration) -> bool {
        let start = Instant::now();
        let reads = self.0.lock().counts.reads;
        while start.elapsed() < time {
            let state = self.0.lock();
            if state.is_reading || state.counts.reads > reads {
                return false;
            }
            drop(self.0.changed.wait_timeout(state, time / 8).unwrap());
        }
        true
    }

    pub fn counts(&self) -> Counts {
        self.0.lock().counts.clone()
    }
}

impl Driver for Xdma {
    fn open(&self, path: &Path, mode: OpenMode) -> io::Result<Box<dyn DeviceFile>> {
        let name = path.to_str().unwrap();
        let mut state = self.0.lock();
        let end = match (name.rsplit_once("xdma0_").map(|(_, end)| end), mode) {
            (Some("h2c_0"), OpenMode::Write) => End::ToCard,
            (Some("c2h_0"), OpenMode::Read | OpenMode::ReadPackets) => {
                if state.is_reader_open {
                    return Err(error(Errno::BUSY));
                }
                (state.is_reader_open, state.mode) = (true, mode);
                End::FromCard
            }
            (Some("events_1"), OpenMode::Read) => End::Events,
            _ => return Err(error(Errno::NOENT)),
        };
        Ok(Box::new(Open { board: self.0.clone(), end }))
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    ToCard,
    FromCard,
    Events,
}

/// An open device.
#[derive(Debug)]
struct Open {
    board: Arc<Board>,
    end: End,
}

impl DeviceFile for Open {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.end {
            End::FromCard => self.board.read(buffer),
            End::Events => self.board.read_event(buffer),
            End::ToCard => Err(error(Errno::INVAL)),
        }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        assert_eq!(self.end, End::ToCard);
        self.board.write(bytes)
    }

    fn pollable(&self) -> Option<BorrowedFd<'_>> {
        (self.end == End::Events).then(|| self.board.events.0.as_fd())
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        if self.end == End::FromCard {
            self.board.lock().is_reader_open = false;
        }
    }
}

impl Board {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Waits for a change. Fails once the cable is pulled or the deadline has passed.
    fn wait<'a>(
        &self,
        state: MutexGuard<'a, State>,
        deadline: Instant,
    ) -> io::Result<MutexGuard<'a, State>> {
        if state.is_pulled {
            return Err(error(Errno::IO));
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(error(Errno::TIMEDOUT));
        }
        Ok(self.changed.wait_timeout(state, left).unwrap().0)
    }

    /// The checks at the begin of a transfer.
    fn begin(&self, state: &mut State, bytes: &[u8]) -> io::Result<Instant> {
        if state.is_pulled {
            return Err(error(Errno::IO));
        }
        let alignment = self.rules.alignment;
        if !bytes.as_ptr().addr().is_multiple_of(alignment)
            || !bytes.len().is_multiple_of(alignment)
        {
            return Err(error(Errno::INVAL));
        }
        let one_in = self.rules.again_one_in;
        if one_in > 0 && state.random.gen_range(0..one_in) == 0 {
            return Err(error(Errno::AGAIN));
        }
        Ok(Instant::now() + self.rules.limit)
    }

    fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut state = self.lock();
        let deadline = self.begin(&mut state, buffer)?;
        state.counts.reads += 1;
        state.is_reading = true;
        let mut rest = buffer;
        let mut total = 0;
        while !rest.is_empty() {
            // A descriptor ends with its page.
            let room = PAGE - rest.as_ptr().addr() % PAGE;
            let count = room.min(rest.len());
            let (descriptor, others) = rest.split_at_mut(count);
            rest = others;
            let mut filled = 0;
            let is_end = loop {
                if let Some((count, is_end)) = state.take(&mut descriptor[filled..]) {
                    self.changed.notify_all();
                    filled += count;
                    if is_end || filled == descriptor.len() {
                        break is_end;
                    }
                }
                if state.from_card.is_empty() {
                    state = self.wait_for_packet(state, deadline)?;
                }
            };
            total += filled;
            if is_end && state.mode == OpenMode::ReadPackets {
                // The interrupt is late. What came meanwhile is in the next pages.
                total += state.fill_late(rest);
                self.changed.notify_all();
                break;
            }
        }
        state.counts.sizes.push_back(total);
        if state.counts.sizes.len() > MOST_SIZES {
            state.counts.sizes.pop_front();
        }
        state.is_reading = false;
        Ok(total)
    }

    /// Waits for a packet, or for the beat after a silence.
    fn wait_for_packet<'a>(
        &'a self,
        mut state: MutexGuard<'a, State>,
        deadline: Instant,
    ) -> io::Result<MutexGuard<'a, State>> {
        let silence = self.rules.idle_beat.map(|silence| Instant::now() + silence);
        let end = silence.map_or(deadline, |silence| silence.min(deadline));
        while state.from_card.is_empty() {
            state = match self.wait(state, end) {
                Err(error) if error.kind() == io::ErrorKind::TimedOut && end < deadline => {
                    let mut state = self.lock();
                    let bytes = vec![0; BEAT];
                    state.from_card_bytes += BEAT;
                    state.from_card.push_back(Packet { bytes, taken: 0, ends: true });
                    state
                }
                waited => waited.inspect_err(|_| self.timed_out())?,
            };
        }
        Ok(state)
    }

    /// Counts a failed transfer, whose failure released the lock.
    fn timed_out(&self) {
        let mut state = self.lock();
        state.counts.time_outs += 1;
        state.is_reading = false;
    }

    fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        let mut state = self.lock();
        let deadline = self.begin(&mut state, bytes)?;
        state.counts.writes += 1;
        let mut rest = bytes;
        while !rest.is_empty() {
            let room = self.rules.queue_bytes.saturating_sub(state.to_card.len());
            let (sent, others) = rest.split_at(rest.len().min(room - room % BEAT));
            rest = others;
            if sent.is_empty() {
                state = self.wait(state, deadline).inspect_err(|_| self.timed_out())?;
                continue;
            }
            state.to_card.extend(sent);
            self.changed.notify_all();
        }
        Ok(bytes.len())
    }

    fn read_event(&self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut state = self.lock();
        if buffer.len() != 4 || !state.has_event {
            // The driver would wait: the host reads only what poll(2) told.
            return Err(error(Errno::PROTO));
        }
        state.has_event = false;
        rustix::io::read(&self.events.0, &mut [0; 1])?;
        buffer.copy_from_slice(&1u32.to_le_bytes());
        Ok(4)
    }
}

impl State {
    /// Moves bytes of the oldest packet. Returns their number, and whether the packet ends.
    fn take(&mut self, buffer: &mut [u8]) -> Option<(usize, bool)> {
        let packet = self.from_card.front_mut()?;
        let rest = &packet.bytes[packet.taken..];
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        packet.taken += count;
        self.from_card_bytes -= count;
        let (is_all, ends) = (packet.taken == packet.bytes.len(), packet.ends);
        if is_all {
            self.from_card.pop_front();
        }
        Some((count, is_all && ends))
    }

    /// Fills the descriptors that remain with the packets that wait. Returns the sum of the
    /// lengths.
    fn fill_late(&mut self, mut rest: &mut [u8]) -> usize {
        let mut total = 0;
        while !rest.is_empty() {
            let count = rest.len().min(PAGE);
            let (descriptor, others) = rest.split_at_mut(count);
            rest = others;
            let Some((filled, _)) = self.take(descriptor) else { break };
            total += filled;
        }
        total
    }
}

/// The card's end of the stream to it. A read returns 0 after the cable was pulled.
pub struct Requests(Arc<Board>);

impl Read for Requests {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut state = self.0.lock();
        while state.to_card.is_empty() && !state.is_pulled {
            state = self.0.changed.wait(state).unwrap();
        }
        if state.is_pulled {
            return Ok(0);
        }
        let count = state.to_card.len().min(buffer.len());
        for (place, byte) in buffer.iter_mut().zip(state.to_card.drain(..count)) {
            *place = byte;
        }
        self.0.changed.notify_all();
        Ok(count)
    }
}

/// The card's end of the stream from it. Each write is a burst, after which the card is idle.
pub struct Replies(Arc<Board>);

impl Write for Replies {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut state = self.0.lock();
        let mut rest = bytes;
        while !rest.is_empty() {
            let count = match self.0.rules.packets {
                Packets::Frames => frame_bytes(rest),
                Packets::Coalesced(most) => rest.len().min(most),
                Packets::Random(most) => {
                    let beats = state.random.gen_range(1..=most / BEAT);
                    rest.len().min(beats * BEAT)
                }
            };
            let (packet, others) = rest.split_at(count);
            rest = others;
            while state.from_card_bytes > self.0.rules.queue_bytes && !state.is_pulled {
                state = self.0.changed.wait(state).unwrap();
            }
            if state.is_pulled {
                return Err(error(Errno::PIPE));
            }
            state.from_card_bytes += count;
            state.from_card.push_back(Packet { bytes: packet.to_vec(), taken: 0, ends: true });
            if self.0.rules.has_interrupts && !state.has_event {
                state.has_event = true;
                state.counts.interrupts += 1;
                rustix::io::write(&self.0.events.1, &[1]).unwrap();
            }
            self.0.changed.notify_all();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The length of the first frame, with its padding.
fn frame_bytes(bytes: &[u8]) -> usize {
    let length = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
    length.next_multiple_of(BEAT).clamp(BEAT, bytes.len())
}
