// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A card whose streams are rings in mapped memory (`card/rtl/axi4_stream_bridge.sv`), behind any
//! bus on which a processor reads and writes the card's memory.
//!
//! Each side writes lines into a ring, and then the position up to which the lines are valid. A
//! position is a number of bytes modulo 2³² that only rises. So a repeated write does no harm, a
//! late read only sees an older position, and the order of the stores between two positions does
//! not matter.
//!
//! No interrupt is used: the host reads the card's positions until one of them rises.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::bus::{Bus, ControlWord, WINDOW_BYTES};
use super::memory::LINE_BYTES;
use super::{RegisterWindow, Resources, Transport, CHUNK_BYTES};
use crate::error::CardError;

/// The word that identifies a bridge: "RING".
const BRIDGE_ID: u32 = u32::from_le_bytes(*b"RING");
/// The word that is read if nothing answers.
const NOTHING: u32 = u32::MAX;

/// The time for which positions are read without a pause: a reply of a short job comes within it.
const SPIN: Duration = Duration::from_micros(50);
/// The shortest and the longest pause between two reads after that.
const SHORTEST_PAUSE: Duration = Duration::from_micros(20);
const LONGEST_PAUSE: Duration = Duration::from_millis(1);

/// A card behind a bridge.
#[derive(Debug)]
pub struct Mapped<B = Resources> {
    bus: B,
    registers: Option<RegisterWindow>,
    /// The name of the card in messages.
    path: PathBuf,
    /// The bytes of the rings.
    request_bytes: u32,
    reply_bytes: u32,
    /// The host's positions.
    consumed: u32,
    published: u32,
    replies: Vec<u8>,
}

/// The bytes that can be moved, in whole lines.
struct Status {
    ready: usize,
    room: usize,
}

impl Mapped {
    /// Opens a PCI function: its address, such as `0000:34:00.0`, or the path of a folder with the
    /// files `resource0` and `resource4`. Waits at most `limit` for an earlier user.
    ///
    /// # Errors
    /// [`CardError::NotFound`] if the function does not exist, [`CardError::Io`] if its resources
    /// cannot be mapped, are in use, or have no bridge behind them.
    pub fn open(function: &str, limit: Duration) -> Result<Self, CardError> {
        let folder = Resources::folder(function);
        let bus = Resources::open(&folder, limit)?;
        let registers = Resources::registers(&folder)?;
        Self::from_bus(bus, registers, &folder)
    }
}

impl<B: Bus> Mapped<B> {
    /// Uses a bus. The path is its name in messages.
    ///
    /// # Errors
    /// [`CardError::Io`] if no bridge answers on the bus.
    pub fn from_bus(
        mut bus: B,
        registers: Option<RegisterWindow>,
        path: &Path,
    ) -> Result<Self, CardError> {
        let [request_bytes, identifier] = bus.read_control(ControlWord::RequestBytes);
        let [reply_bytes, _] = bus.read_control(ControlWord::ReplyBytes);
        let [consumed, published] = bus.read_control(ControlWord::Consumed);
        let is_ring = |bytes: u32| {
            bytes.is_power_of_two() && (2 * LINE_BYTES..=WINDOW_BYTES).contains(&(bytes as usize))
        };
        let path = path.to_owned();
        let replies = Vec::new();
        let mut opened =
            Self { bus, registers, path, request_bytes, reply_bytes, consumed, published, replies };
        match identifier {
            BRIDGE_ID if is_ring(request_bytes) && is_ring(reply_bytes) => {}
            BRIDGE_ID => {
                let sizes = format!("its rings have {request_bytes} and {reply_bytes} bytes");
                return Err(opened.failure("read the status of", sizes));
            }
            NOTHING => return Err(opened.nothing_answers()),
            other => {
                let reason = format!(
                    "it has no card bridge behind it (expected {BRIDGE_ID:#010x}, got \
                     {other:#010x}): load the card's image"
                );
                return Err(opened.failure("read the status of", reason));
            }
        }
        opened.status()?;
        Ok(opened)
    }

    fn failure(&self, action: &'static str, reason: String) -> CardError {
        let error = io::Error::new(io::ErrorKind::InvalidData, reason);
        CardError::io(action, &self.path, error)
    }

    fn nothing_answers(&self) -> CardError {
        let reason = "nothing answers on its bus: load the card's image (fpga-load-local-image), \
                      and enable the function's memory (write 1 to its file `enable`)";
        self.failure("read the status of", reason.into())
    }

    fn status(&mut self) -> Result<Status, CardError> {
        let [produced, taken] = self.bus.read_control(ControlWord::Produced);
        if [produced, taken] == [NOTHING; 2] {
            return Err(self.nothing_answers());
        }
        let ready = produced.wrapping_sub(self.consumed);
        let waiting = self.published.wrapping_sub(taken);
        let is_whole = ((ready | waiting) as usize).is_multiple_of(LINE_BYTES);
        if !is_whole || ready > self.reply_bytes || waiting > self.request_bytes {
            let reason = format!(
                "its positions are inconsistent: it has produced up to {produced} and taken up to \
                 {taken}, the host has consumed up to {} and written up to {} (rings of {} and {} \
                 bytes); was the card reset?",
                self.consumed, self.published, self.reply_bytes, self.request_bytes
            );
            return Err(self.failure("read the status of", reason));
        }
        let room = self.request_bytes - waiting;
        Ok(Status { ready: ready as usize, room: room as usize })
    }

    /// Moves the ready replies to `incoming`.
    fn receive(&mut self, status: &Status, incoming: &mut Vec<u8>) -> Result<(), CardError> {
        let count = status.ready.min(CHUNK_BYTES);
        self.replies.resize(count, 0);
        // A ring has at most 2¹⁶ bytes.
        let first = (self.consumed & (self.reply_bytes - 1)) as usize;
        let (until_end, rest) =
            self.replies.split_at_mut(count.min(self.reply_bytes as usize - first));
        self.bus.read_replies(first, until_end);
        if !rest.is_empty() {
            self.bus.read_replies(0, rest);
        }
        // A card that has gone meanwhile has left lines of ones.
        if self.replies.chunks_exact(LINE_BYTES).any(|line| line.iter().all(|&byte| byte == 0xFF)) {
            self.status()?;
        }
        self.consumed = self.consumed.wrapping_add(count as u32);
        self.bus.write_control(ControlWord::Consumed, self.consumed);
        incoming.extend_from_slice(&self.replies);
        Ok(())
    }

    /// Writes the lines that fit, and returns the number of bytes.
    fn send(&mut self, status: &Status, outgoing: &[u8]) -> usize {
        let count = status.room.min(outgoing.len());
        let lines = &outgoing[..count - count % LINE_BYTES];
        let first = (self.published & (self.request_bytes - 1)) as usize;
        let (until_end, rest) =
            lines.split_at(lines.len().min(self.request_bytes as usize - first));
        self.bus.write_requests(first, until_end);
        if !rest.is_empty() {
            self.bus.write_requests(0, rest);
        }
        // A ring has at most 2¹⁶ bytes.
        self.published = self.published.wrapping_add(lines.len() as u32);
        self.bus.write_control(ControlWord::Published, self.published);
        lines.len()
    }
}

impl<B: Bus> Transport for Mapped<B> {
    fn exchange(
        &mut self,
        outgoing: &[u8],
        incoming: &mut Vec<u8>,
        limit: Duration,
    ) -> Result<usize, CardError> {
        let start = Instant::now();
        let mut pause = SHORTEST_PAUSE;
        loop {
            let status = self.status()?;
            if status.ready > 0 {
                self.receive(&status, incoming)?;
            }
            let sends = status.room > 0 && outgoing.len() >= LINE_BYTES;
            let sent = if sends { self.send(&status, outgoing) } else { 0 };
            let waited = start.elapsed();
            let left = limit.saturating_sub(waited);
            if sent > 0 || status.ready > 0 || left.is_zero() {
                return Ok(sent);
            }
            if waited > SPIN {
                std::thread::sleep(pause.min(left));
                pause = (2 * pause).min(LONGEST_PAUSE);
            }
        }
    }

    fn register_window(&self) -> Option<&RegisterWindow> {
        self.registers.as_ref()
    }
}
