// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A transport in step: frames out, frames in, and the way back when the step is lost.

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

/// How many times its limit a reset may take at most, things moving all the while.
const LONGEST_RESET: u32 = 4;

/// A link to a card: what has yet to be sent, what has been received, and the numbering of
/// requests.
pub(crate) struct Link {
    transport: Box<dyn Transport>,
    pub output: Output,
    input: Input,
    pub epochs: Epochs,
    /// What the sessions that are not at work wait for, by their epochs.
    mailbox: HashMap<u32, Mailbox>,
    /// When the call must end, unless something moves it forward before.
    deadline: Instant,
    /// How long a call goes on while nothing does.
    patience: Duration,
    /// How often the card has been reset: what was in flight before is lost.
    resets: u64,
}

/// What a session that is not at work gets.
#[derive(Debug, Default)]
struct Mailbox {
    letters: Vec<Letter>,
    /// Replies that have yet to come.
    expected: usize,
}

/// A reply that waits for its session.
#[derive(Debug)]
pub(crate) struct Letter {
    pub command: Command,
    pub number: u64,
    pub payload: Vec<u8>,
}

/// What the next frame is.
#[derive(Debug)]
pub(crate) enum Arrival<'a> {
    /// The reply to a request of the session that asks.
    Own {
        /// The command that it answers.
        command: Command,
        /// The request frame's number.
        number: u64,
        /// The payload, index included and the checksum, if it has one, excluded.
        payload: &'a [u8],
    },
    /// Another session's, which will find it in its mailbox, or a late one, which nobody asked for.
    Elsewhere {
        /// Whether it is awaited.
        is_asked: bool,
    },
    /// No reply to a request with an index.
    Control(Frame<'a>),
}

/// Bytes received, and the frames in them.
#[derive(Debug)]
pub(crate) struct Input {
    bytes: Vec<u8>,
    /// How many of those bytes the decoder has taken.
    taken: usize,
    decoder: Decoder,
}

impl Input {
    /// The next frame among the bytes received.
    pub fn next_frame(&mut self) -> Result<Option<Frame<'_>>, FrameError> {
        let mut rest = &self.bytes[self.taken..];
        let length = rest.len();
        let frame = self.decoder.next_frame(&mut rest)?;
        self.taken += length - rest.len();
        Ok(frame)
    }

    /// Where to append what arrives.
    fn room(&mut self) -> &mut Vec<u8> {
        self.bytes.drain(..self.taken);
        self.taken = 0;
        &mut self.bytes
    }
}

impl Link {
    /// A link over a transport of which nothing is known yet.
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

    /// The time by the link's clock.
    pub fn now(&self) -> Instant {
        self.transport.now()
    }

    /// A random number.
    ///
    /// # Errors
    /// Those of [`Transport::random`].
    pub fn random(&mut self) -> Result<u64, CardError> {
        self.transport.random()
    }

    /// Begins a call that goes on for `patience` while nothing moves it forward, or goes on with
    /// one until its deadline.
    pub fn begin_call(&mut self, patience: Duration, deadline: Option<Instant>) {
        self.patience = patience;
        self.deadline = deadline.unwrap_or_else(|| self.now() + patience);
    }

    /// When the call must end.
    pub fn deadline(&self) -> Instant {
        self.deadline
    }

    /// True once the call must end.
    pub fn is_out_of_time(&self) -> bool {
        self.now() >= self.deadline
    }

    /// Something has moved the call forward.
    pub fn prolong(&mut self) {
        self.deadline = self.now() + self.patience;
    }

    /// What is left of a limit that began at `since`, within the call.
    pub fn left(&self, since: Instant, limit: Duration) -> Duration {
        let now = self.now();
        let left = limit.saturating_sub(now.saturating_duration_since(since));
        left.min(self.deadline.saturating_duration_since(now))
    }

    /// Closes the link: nothing is sent or received any more.
    pub fn close(&mut self) -> Box<dyn Transport> {
        std::mem::replace(&mut self.transport, Box::new(Closed))
    }

    /// Goes on with another link to the same card, on which there has been no session. What was in
    /// flight is lost as by a reset, and no session of the earlier link is taken for one of the new.
    pub fn go_on_with(&mut self, other: Self) {
        self.epochs.end_all();
        let (epochs, resets) = (self.epochs.clone(), self.resets + other.resets);
        *self = Self { epochs, resets, ..other };
    }

    /// The transport.
    pub fn transport(&self) -> &dyn Transport {
        &*self.transport
    }

    /// Sends and receives what can be, waiting at most `limit` for the first of it; true if
    /// anything moved.
    ///
    /// # Errors
    /// Those of the transport; [`CardError::Interrupted`] where the thread's work is not wanted any
    /// more.
    pub fn exchange(&mut self, limit: Duration) -> Result<bool, CardError> {
        let limit = interrupt::within(limit)?;
        let room = self.input.room();
        let before = room.len();
        let sent = self.transport.exchange(self.output.unsent(), room, limit)?;
        let moved = sent > 0 || room.len() > before;
        self.output.took(sent);
        Ok(moved)
    }

    /// How often the card has been reset.
    pub fn resets(&self) -> u64 {
        self.resets
    }

    /// An epoch for a session.
    ///
    /// # Errors
    /// [`CardError::Unexpected`] where there are thousands of them.
    pub fn begin_session(&mut self) -> Result<u32, CardError> {
        self.epochs
            .begin()
            .ok_or_else(|| CardError::Unexpected("there are too many sessions on one card".into()))
    }

    /// A session that stops working still expects this number of replies.
    pub fn expect_replies(&mut self, epoch: u32, expected: usize) {
        self.mailbox.entry(epoch).or_default().expected = expected;
    }

    /// What has come for a session while it was not at work.
    pub fn take_letters(&mut self, epoch: u32) -> Vec<Letter> {
        self.mailbox.remove(&epoch).unwrap_or_default().letters
    }

    /// The session has ended: its replies are late from now on.
    pub fn end_session(&mut self, epoch: u32) {
        self.epochs.end(epoch);
        self.mailbox.remove(&epoch);
    }

    /// What has come next, seen from the session of this epoch; `None` where nothing has.
    ///
    /// # Errors
    /// [`CardError::Frame`] where it is no frame or has been changed on its way,
    /// [`CardError::Unexpected`] where it answers no request, or nothing that is in flight.
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
                // No more letters are kept than replies were asked for.
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

    /// Sends the frames that have been put into the output and waits for the reply to the last,
    /// which is `command`; `read` is given it. Replies to requests of sessions go to these.
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

    /// Asks the card for its status, and learns from it how wide the stream's beats are.
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

    /// Brings a card back in step from whatever state the two streams are in.
    ///
    /// A card in step answers a reset once it has taken what was sent before. One that waits for
    /// the rest of a frame takes the reset for payload: then a whole frame's worth of idle beats
    /// is sent before the next reset. Where bytes can be lost, the card's beats may begin at any
    /// of eight places: a card may begin anew where the line is silent, as it is while the first
    /// reset is waited for, so another follows; then each place is tried. Each reset
    /// has another nonce, and everything before the reply that carries it is discarded.
    ///
    /// Frames are padded for the widest beats until the card's status tells how wide they are.
    ///
    /// `limit` is how long all of that may take, but for the time that the link needs for the
    /// bytes, where nothing moves.
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
            // One byte more than whole beats shifts the place of all that follows by one.
            let slip = usize::from(place > 0);
            if self.reset(MAX_FRAME_BYTES + slip, wait)? {
                return Ok(());
            }
        }
        Err(timed_out(Command::ResetFpga, limit))
    }

    /// Sends `zeros` zero bytes and a reset; false where its reply does not come.
    fn reset(&mut self, zeros: usize, limit: Duration) -> Result<bool, CardError> {
        let nonce = self.transport.random()?;
        self.input.room().clear();
        self.input.decoder.seek(&reset_reply(nonce)?);
        self.output.abandon();
        self.output.append(&vec![0; zeros]);
        self.output.append(&reset_frame(nonce, MAX_ALIGNMENT_BYTES)?);

        // A card that is busy with what was sent before shows so by its replies; one that sends
        // garbage for ever is not waited for.
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

/// A link that was closed.
struct Closed;

impl Transport for Closed {
    fn exchange(&mut self, _: &[u8], _: &mut Vec<u8>, _: Duration) -> Result<usize, CardError> {
        Err(CardError::hung_up())
    }
}

/// The command that a frame answers, where its reply carries an index; those of the control
/// commands carry none.
fn indexed_command(frame: &Frame<'_>) -> Option<Command> {
    let mut indexed = Command::ALL
        .iter()
        .filter(|command| command.capability().is_some() && !command.is_reserved());
    indexed.find(|command| command.reply_code() == frame.command).copied()
}

/// A reply to nothing that was asked.
pub(crate) fn not_in_flight(index: u64) -> CardError {
    CardError::Unexpected(format!("a reply with index {index:#x}, which is not in flight"))
}

fn timed_out(command: Command, limit: Duration) -> CardError {
    CardError::TimedOut { awaited: format!("reply to {}", command.name()), limit }
}
