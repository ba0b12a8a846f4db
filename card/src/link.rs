// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A synchronized transport: frames in both directions, and the recovery when synchronization is
//! lost.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::command::{require_reply, reset_frame, reset_reply, Status};
use crate::epoch::{Epochs, Index};
use crate::error::CardError;
use crate::frame::{u64_at, Decoder, Frame, FrameError};
use crate::interrupt;
use crate::output::Output;
use crate::spec::{Command, ALIGNMENT_BYTES, MAX_ALIGNMENT_BYTES, MAX_FRAME_BYTES};
use crate::transport::Transport;

/// The maximum duration of a reset, in multiples of its limit, even if bytes keep moving.
const LONGEST_RESET: u32 = 4;

/// A link to a card: its unsent output, its received input, and the numbering of requests.
pub(crate) struct Link {
    transport: Box<dyn Transport>,
    pub output: Output,
    input: Input,
    pub epochs: Epochs,
    /// The replies for sessions that do not have the link, by epoch.
    mailbox: HashMap<u32, Mailbox>,
    /// The time when the call must end, unless it makes progress before.
    deadline: Instant,
    /// How long a call goes on without progress.
    patience: Duration,
    /// How often the card has been reset. A reset loses everything in flight.
    resets: u64,
}

/// The replies for a session that does not have the link.
#[derive(Debug, Default)]
struct Mailbox {
    letters: Vec<Letter>,
    /// The number of replies that have not arrived yet.
    expected: usize,
}

/// A reply that waits for its session.
#[derive(Debug)]
pub(crate) struct Letter {
    pub command: Command,
    pub number: u64,
    pub payload: Vec<u8>,
}

/// The meaning of the next frame.
#[derive(Debug)]
pub(crate) enum Arrival<'a> {
    /// The reply to a request of the calling session.
    Own {
        /// The command that the reply answers.
        command: Command,
        /// The number of the request frame.
        number: u64,
        /// The payload, including the index and excluding the checksum, if any.
        payload: &'a [u8],
    },
    /// A reply for another session, which finds it in its mailbox, or a late reply, which no
    /// session awaits.
    Elsewhere {
        /// `true` if a session awaits the reply.
        is_asked: bool,
    },
    /// A frame that is not a reply to a request with an index.
    Control(Frame<'a>),
}

/// Received bytes, and the decoder of their frames.
#[derive(Debug)]
pub(crate) struct Input {
    bytes: Vec<u8>,
    /// The number of bytes that the decoder has consumed.
    taken: usize,
    decoder: Decoder,
}

impl Input {
    /// Returns the next frame among the received bytes.
    pub fn next_frame(&mut self) -> Result<Option<Frame<'_>>, FrameError> {
        let mut rest = &self.bytes[self.taken..];
        let length = rest.len();
        let frame = self.decoder.next_frame(&mut rest)?;
        self.taken += length - rest.len();
        Ok(frame)
    }

    /// Returns the buffer to which received bytes are appended.
    fn room(&mut self) -> &mut Vec<u8> {
        self.bytes.drain(..self.taken);
        self.taken = 0;
        &mut self.bytes
    }
}

impl Link {
    /// Makes a link over a transport whose state is unknown.
    pub fn new(mut transport: Box<dyn Transport>) -> Result<Self, CardError> {
        let decoder = Decoder::new(MAX_FRAME_BYTES);
        let epochs = Epochs::new(transport.random()?);
        let deadline = transport.now();
        Ok(Self {
            transport,
            output: Output::new(),
            input: Input { bytes: Vec::new(), taken: 0, decoder },
            epochs,
            mailbox: HashMap::new(),
            deadline,
            patience: Duration::ZERO,
            resets: 0,
        })
    }

    /// Returns the time on the link's clock.
    pub fn now(&self) -> Instant {
        self.transport.now()
    }

    /// Returns a random number.
    ///
    /// # Errors
    /// See [`Transport::random`].
    pub fn random(&mut self) -> Result<u64, CardError> {
        self.transport.random()
    }

    /// Begins a call that goes on for `patience` without progress, or continues a call until its
    /// deadline.
    pub fn begin_call(&mut self, patience: Duration, deadline: Option<Instant>) {
        self.patience = patience;
        self.deadline = deadline.unwrap_or_else(|| self.now() + patience);
    }

    /// Returns the time when the call must end.
    pub fn deadline(&self) -> Instant {
        self.deadline
    }

    /// Returns `true` once the call must end.
    pub fn is_out_of_time(&self) -> bool {
        self.now() >= self.deadline
    }

    /// Moves the deadline, because the call has made progress.
    pub fn prolong(&mut self) {
        self.deadline = self.now() + self.patience;
    }

    /// Returns the rest of a limit that began at `since`, within the call.
    pub fn left(&self, since: Instant, limit: Duration) -> Duration {
        let now = self.now();
        let left = limit.saturating_sub(now.saturating_duration_since(since));
        left.min(self.deadline.saturating_duration_since(now))
    }

    /// Closes the link: nothing is sent or received any more.
    pub fn close(&mut self) -> Box<dyn Transport> {
        std::mem::replace(&mut self.transport, Box::new(Closed))
    }

    /// Continues with another link to the same card, which has had no session. Everything in flight
    /// is lost, as in a reset. Sessions of the earlier link are never confused with sessions of the
    /// new one.
    pub fn go_on_with(&mut self, other: Self) {
        self.epochs.end_all();
        let (epochs, resets) = (self.epochs.clone(), self.resets + other.resets);
        *self = Self { epochs, resets, ..other };
    }

    /// Returns the transport.
    pub fn transport(&self) -> &dyn Transport {
        &*self.transport
    }

    /// Sends and receives as much as possible, and waits at most `limit` for the first byte.
    /// Returns `true` if anything moved.
    ///
    /// # Errors
    /// An error of the transport, or [`CardError::Interrupted`] if the work of the thread was
    /// interrupted.
    pub fn exchange(&mut self, limit: Duration) -> Result<bool, CardError> {
        let limit = interrupt::within(limit)?;
        let room = self.input.room();
        let before = room.len();
        let sent = self.transport.exchange(self.output.unsent(), room, limit)?;
        let moved = sent > 0 || room.len() > before;
        self.output.took(sent);
        Ok(moved)
    }

    /// Returns how often the card has been reset.
    pub fn resets(&self) -> u64 {
        self.resets
    }

    /// Returns an epoch for a new session.
    ///
    /// # Errors
    /// [`CardError::Unexpected`] if there are thousands of sessions.
    pub fn begin_session(&mut self) -> Result<u32, CardError> {
        self.epochs
            .begin()
            .ok_or_else(|| CardError::Unexpected("too many sessions on one card".into()))
    }

    /// Registers the number of replies that a session still awaits when it releases the link.
    pub fn expect_replies(&mut self, epoch: u32, expected: usize) {
        self.mailbox.entry(epoch).or_default().expected = expected;
    }

    /// Returns the replies that arrived for a session while it did not have the link.
    pub fn take_letters(&mut self, epoch: u32) -> Vec<Letter> {
        self.mailbox.remove(&epoch).unwrap_or_default().letters
    }

    /// Ends a session: its replies are late from now on.
    pub fn end_session(&mut self, epoch: u32) {
        self.epochs.end(epoch);
        self.mailbox.remove(&epoch);
    }

    /// Returns the next frame as seen from the session of this epoch; `None` if no whole frame has
    /// arrived.
    ///
    /// # Errors
    /// [`CardError::Frame`] if the bytes are not a frame or were damaged, [`CardError::Unexpected`]
    /// if the frame answers no request, or none in flight.
    pub fn next_arrival(&mut self, own: Option<u32>) -> Result<Option<Arrival<'_>>, CardError> {
        let Some(frame) = self.input.next_frame()? else { return Ok(None) };
        let Some(command) = indexed_command(&frame) else {
            return Ok(Some(Arrival::Control(frame)));
        };
        require_reply(&frame, command)?;
        let payload = if command.is_checked() { frame.checked_payload()? } else { frame.payload };
        let index = u64_at(payload, 0);
        match self.epochs.classify(index) {
            Index::Live { epoch, number } if own == Some(epoch) => {
                Ok(Some(Arrival::Own { command, number, payload }))
            }
            Index::Live { epoch, number } => {
                let letter = Letter { command, number, payload: payload.to_vec() };
                let mailbox = self.mailbox.entry(epoch).or_default();
                // At most the awaited number of letters is kept.
                mailbox.expected =
                    mailbox.expected.checked_sub(1).ok_or_else(|| not_in_flight(index))?;
                mailbox.letters.push(letter);
                Ok(Some(Arrival::Elsewhere { is_asked: true }))
            }
            Index::Stale => {
                tracing::debug!(index, "late reply skipped");
                Ok(Some(Arrival::Elsewhere { is_asked: false }))
            }
            Index::Foreign => Err(not_in_flight(index)),
        }
    }

    /// Sends the frames in the output and waits for the reply to the last of them, `command`.
    /// `read` receives that reply. Replies to the requests of sessions go to their mailboxes.
    pub fn transact<T>(
        &mut self,
        command: Command,
        limit: Duration,
        read: impl FnOnce(&Frame<'_>) -> Result<T, CardError>,
    ) -> Result<T, CardError> {
        let start = self.now();
        let whole = limit + self.transport.transfer_time(self.output.backlog());
        loop {
            while let Some(arrival) = self.next_arrival(None)? {
                if let Arrival::Control(frame) = arrival {
                    require_reply(&frame, command)?;
                    return read(&frame);
                }
            }
            let left = self.left(start, whole);
            if left.is_zero() {
                return Err(timed_out(command, limit));
            }
            self.exchange(left)?;
        }
    }

    /// Reads the card's status, and adapts the output to the width of the card's stream.
    pub fn status(&mut self, limit: Duration) -> Result<Status, CardError> {
        self.request_status()?;
        let status =
            self.transact(Command::GetFpgaStatus, limit, |frame| Ok(Status::of_reply(frame)?))?;
        self.output.set_alignment(status.require_alignment()?);
        Ok(status)
    }

    /// Puts a `get_fpga_status` into the output.
    pub fn request_status(&mut self) -> Result<(), CardError> {
        Ok(self.output.begin(Command::GetFpgaStatus.code()).finish(MAX_FRAME_BYTES)?)
    }

    /// Resynchronizes a card, whatever the state of both streams.
    ///
    /// A synchronized card answers a reset once it has consumed everything sent before. A card that
    /// waits for the rest of a frame takes the reset for payload; a whole frame of idle beats is
    /// then sent before the next reset. If bytes can be lost, the card's beats may begin at any of
    /// eight offsets. A card may also restart its framing while the line is silent, as it is during
    /// the wait for the first reset, so a second reset follows. Then each offset is tried. Each
    /// reset has a new nonce, and everything before the reply with that nonce is discarded.
    ///
    /// Frames are padded for the widest beats until the card's status reports its beat size.
    ///
    /// `limit` is the time limit without progress, plus the time that the link needs for the bytes.
    pub fn resynchronize(&mut self, limit: Duration) -> Result<(), CardError> {
        self.resets += 1;
        self.epochs.end_all();
        self.mailbox.clear();
        let (resets, places) =
            if self.transport.can_slip() { (2, ALIGNMENT_BYTES) } else { (1, 1) };
        let first_wait = limit / 4 / resets;
        let wait = (limit - limit / 4) / places as u32;
        for _ in 0..resets {
            if self.reset(0, first_wait)? {
                return Ok(());
            }
        }
        for place in 0..places {
            // One extra byte after whole beats shifts all following bytes by one.
            let slip = usize::from(place > 0);
            if self.reset(MAX_FRAME_BYTES + slip, wait)? {
                return Ok(());
            }
        }
        Err(timed_out(Command::ResetFpga, limit))
    }

    /// Sends `zeros` zero bytes and a reset. Returns `false` if the reply to the reset does not
    /// arrive.
    fn reset(&mut self, zeros: usize, limit: Duration) -> Result<bool, CardError> {
        let nonce = self.transport.random()?;
        self.input.room().clear();
        self.input.decoder.seek(&reset_reply(nonce)?);
        self.output.abandon();
        self.output.append(&vec![0; zeros]);
        self.output.append(&reset_frame(nonce, MAX_ALIGNMENT_BYTES)?);

        // A card that is busy with earlier requests shows it by its replies. A card that sends
        // garbage forever must not keep the reset waiting.
        let transfer_time = self.transport.transfer_time(self.output.backlog());
        let limit = limit + transfer_time;
        self.deadline += transfer_time;
        let start = self.now();
        let mut last_move = start;
        while self.input.next_frame()?.is_none() {
            let left = self.left(last_move, limit);
            if left.is_zero() || self.left(start, limit * LONGEST_RESET).is_zero() {
                return Ok(false);
            }
            if self.exchange(left)? {
                last_move = self.now();
            }
        }
        Ok(true)
    }
}

/// The transport of a closed link.
struct Closed;

impl Transport for Closed {
    fn exchange(&mut self, _: &[u8], _: &mut Vec<u8>, _: Duration) -> Result<usize, CardError> {
        Err(CardError::hung_up())
    }
}

/// Returns the command that a frame answers, if its reply has an index. Replies to control commands
/// have none.
fn indexed_command(frame: &Frame<'_>) -> Option<Command> {
    let mut indexed = Command::ALL
        .iter()
        .filter(|command| command.capability().is_some() && !command.is_reserved());
    indexed.find(|command| command.reply_code() == frame.command).copied()
}

/// The error for a reply to no request in flight.
pub(crate) fn not_in_flight(index: u64) -> CardError {
    CardError::Unexpected(format!("a reply with index {index:#x}, which is not in flight"))
}

fn timed_out(command: Command, limit: Duration) -> CardError {
    CardError::TimedOut { awaited: format!("reply to {}", command.name()), limit }
}
