// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A card behind the shell of an AWS F2 instance. Its streams are windows of an AXI4 bus
//! (`card/rtl/axi4_stream_bridge.sv`), which the XDMA driver's character devices read and write at
//! offsets.
//!
//! `<prefix>_h2c_0` writes the bus, `<prefix>_c2h_0` reads it, `<prefix>_user` is the register
//! window, and `<prefix>_events_1` signals that replies are ready. The last two may be missing.
//!
//! The host first reads how many bytes it may read and write, so no transfer waits for the card. If
//! the driver does not finish a transfer, the shell ends it after 5 s.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::event::PollFlags;

use super::polled::wait;
use super::xdma::with_suffix;
use super::{RegisterWindow, Transport, CHUNK_BYTES};
use crate::error::CardError;

/// The bytes of a line: one beat of the bus and of the card's streams.
const LINE_BYTES: usize = 64;

/// The address to which requests are written.
const REQUESTS: u64 = 0;
/// The address from which the ring of replies is read.
const REPLIES: u64 = 0x1_0000;
/// The address from which the status is read, and to which consumed replies are written.
const CONTROL: u64 = 0x2_0000;
/// The minimum size of the window at each of these addresses, in bytes.
const WINDOW_BYTES: usize = 0x1_0000;

/// The word of the status that identifies a bridge: "AXI4".
const BRIDGE_ID: u32 = u32::from_le_bytes(*b"AXI4");
/// The word that the shell reads if nothing answers.
const NOTHING: u32 = u32::MAX;

/// The shortest and the longest pause between two reads of the status when nothing can move and no
/// device signals replies.
const SHORTEST_PAUSE: Duration = Duration::from_micros(20);
const LONGEST_PAUSE: Duration = Duration::from_millis(1);

/// The bus of a bridge.
pub trait Bus: Send {
    /// Fills the buffer, from an address on.
    ///
    /// # Errors
    /// An error of the operating system.
    fn read(&mut self, address: u64, buffer: &mut [u8]) -> io::Result<()>;

    /// Writes all bytes, from an address on.
    ///
    /// # Errors
    /// An error of the operating system.
    fn write(&mut self, address: u64, bytes: &[u8]) -> io::Result<()>;

    /// Returns `true` if `wait` returns when replies are ready.
    fn tells_of_replies(&self) -> bool;

    /// Waits, at most for `limit`.
    ///
    /// # Errors
    /// An error of the operating system.
    fn wait(&mut self, limit: Duration) -> io::Result<()>;
}

/// A card behind an AXI4 bridge.
#[derive(Debug)]
pub struct F2<B = Devices> {
    bus: B,
    registers: Option<RegisterWindow>,
    /// The name of the card in messages.
    path: PathBuf,
    replies: Vec<u8>,
}

/// The number of bytes that can be moved, in whole lines.
struct Status {
    ready: usize,
    first: u64,
    room: usize,
}

impl F2 {
    /// Opens the devices of a prefix such as `/dev/xdma0`.
    ///
    /// # Errors
    /// [`CardError::NotFound`] if the devices do not exist, [`CardError::Io`] if they cannot be
    /// opened or have no bridge behind them.
    pub fn open(prefix: &Path) -> Result<Self, CardError> {
        let bus = Devices::open(prefix)?;
        let window = with_suffix(prefix, "_user");
        let registers = if window.exists() { Some(RegisterWindow::open(window)?) } else { None };
        Self::from_bus(bus, registers, prefix)
    }
}

impl<B: Bus> F2<B> {
    /// Uses a bus. The path is its name in messages.
    ///
    /// # Errors
    /// [`CardError::Io`] if no bridge answers on the bus.
    pub fn from_bus(
        bus: B,
        registers: Option<RegisterWindow>,
        path: &Path,
    ) -> Result<Self, CardError> {
        let mut opened = Self { bus, registers, path: path.to_owned(), replies: Vec::new() };
        opened.status()?;
        // An earlier user of the bus may have left a partial line.
        opened.control(0, true)?;
        Ok(opened)
    }

    fn status(&mut self) -> Result<Status, CardError> {
        let mut line = [0; LINE_BYTES];
        self.bus
            .read(CONTROL, &mut line)
            .map_err(|error| CardError::io("read the status of", &self.path, error))?;
        let word = |index: usize| {
            let bytes = &line[4 * index..4 * index + 4];
            bytes.iter().rev().fold(0u32, |word, &byte| word << 8 | u32::from(byte))
        };
        let (ready, first, room) = (word(0), word(1), word(2));
        let whole = |bytes: u32| {
            let bytes = bytes as usize;
            bytes.is_multiple_of(LINE_BYTES) && bytes <= WINDOW_BYTES
        };
        let reason = match word(3) {
            BRIDGE_ID if whole(ready) && whole(first) && whole(room) => {
                let (ready, first, room) = (ready as usize, u64::from(first), room as usize);
                return Ok(Status { ready, first, room });
            }
            BRIDGE_ID => "its status is inconsistent",
            NOTHING => "nothing answers on its bus: load the card's image (fpga-load-local-image)",
            _ => "it has no card bridge behind it: load the card's image, or use xdma:",
        };
        let error = io::Error::new(io::ErrorKind::InvalidData, reason);
        Err(CardError::io("read the status of", &self.path, error))
    }

    /// Removes `bytes` of replies from the ring. `forget` drops the pieces of a partial line.
    fn control(&mut self, bytes: usize, forget: bool) -> Result<(), CardError> {
        let mut words = [0; 8];
        // The ring is shorter than 2³² bytes.
        words[..4].copy_from_slice(&(bytes as u32).to_le_bytes());
        words[4] = u8::from(forget);
        self.bus
            .write(CONTROL, &words)
            .map_err(|error| CardError::io("write to", &self.path, error))
    }

    /// Moves the ready replies to `incoming`.
    fn receive(&mut self, status: &Status, incoming: &mut Vec<u8>) -> Result<(), CardError> {
        let count = status.ready.min(CHUNK_BYTES);
        self.replies.resize(count, 0);
        self.bus
            .read(REPLIES + status.first, &mut self.replies)
            .map_err(|error| CardError::io("read from", &self.path, error))?;
        // The bytes stay in the ring until here: a failed read has lost nothing.
        self.control(count, false)?;
        incoming.extend_from_slice(&self.replies);
        Ok(())
    }

    /// Writes as much as fits, and returns the number of bytes.
    fn send(&mut self, status: &Status, outgoing: &[u8]) -> Result<usize, CardError> {
        let count = status.room.min(outgoing.len()).min(WINDOW_BYTES);
        let lines = &outgoing[..count - count % LINE_BYTES];
        self.bus
            .write(REQUESTS, lines)
            .map_err(|error| CardError::io("write to", &self.path, error))?;
        Ok(lines.len())
    }
}

impl<B: Bus> Transport for F2<B> {
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
            let sent = if sends { self.send(&status, outgoing)? } else { 0 };
            let left = limit.saturating_sub(start.elapsed());
            if sent > 0 || status.ready > 0 || left.is_zero() {
                return Ok(sent);
            }
            // No device signals new room for requests.
            let told = outgoing.is_empty() && self.bus.tells_of_replies();
            let most = if told { left } else { pause.min(left) };
            self.bus.wait(most).map_err(|error| CardError::io("wait for", &self.path, error))?;
            pause = (2 * pause).min(LONGEST_PAUSE);
        }
    }

    fn register_window(&self) -> Option<&RegisterWindow> {
        self.registers.as_ref()
    }
}

/// The character devices of the XDMA driver.
#[derive(Debug)]
pub struct Devices {
    to_card: File,
    from_card: File,
    /// Becomes readable when replies are ready.
    events: Option<File>,
}

impl Devices {
    fn open(prefix: &Path) -> Result<Self, CardError> {
        let (to_card, from_card) = (with_suffix(prefix, "_h2c_0"), with_suffix(prefix, "_c2h_0"));
        for path in [&to_card, &from_card] {
            if !path.exists() {
                return Err(CardError::NotFound {
                    what: path.display().to_string(),
                    hint: "load the xdma driver and give the prefix of its devices, \
                           such as f2:/dev/xdma0"
                        .into(),
                });
            }
        }
        let open = |options: &OpenOptions, path: &Path| {
            options.open(path).map_err(|error| CardError::io("open", path, error))
        };
        let events = with_suffix(prefix, "_events_1");
        Ok(Self {
            to_card: open(OpenOptions::new().write(true), &to_card)?,
            from_card: open(OpenOptions::new().read(true), &from_card)?,
            events: match events.exists() {
                true => Some(open(OpenOptions::new().read(true), &events)?),
                false => None,
            },
        })
    }
}

impl Bus for Devices {
    fn read(&mut self, address: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.from_card.read_exact_at(buffer, address)
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> io::Result<()> {
        self.to_card.write_all_at(bytes, address)
    }

    fn tells_of_replies(&self) -> bool {
        self.events.is_some()
    }

    fn wait(&mut self, limit: Duration) -> io::Result<()> {
        let Some(events) = &mut self.events else {
            std::thread::sleep(limit);
            return Ok(());
        };
        if wait(&*events, PollFlags::IN, limit)?.is_some() {
            // The number of interrupts since the last read. The read clears it.
            events.read_exact(&mut [0; 4])?;
        }
        Ok(())
    }
}
