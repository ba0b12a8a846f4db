// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The card as a device: opened by a reset, then batch after batch, and back in step after a
//! failure.

use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use halimede_arith::job::{Batch, DeviceError, Execute};

use crate::command::{parse_register_reply, write_register_read, write_register_write, Status};
use crate::error::CardError;
use crate::flow::Limits;
use crate::link::Link;
use crate::session::{Attempt, CardSession};
use crate::spec::{Command, Register, HEADER_BYTES, MAX_FRAME_BYTES};
use crate::transport::Transport;
use crate::wire::WireOperation;

/// A command that no card will ever have: the reply codes lie from here on.
const UNDECODABLE_COMMAND: u32 = 0xFFFF_FFFF;

/// Longest time limit that is of any use; sums of a few of them do not overflow.
const LONGEST_TIME_LIMIT: Duration = Duration::from_secs(24 * 3600);

/// How a card is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CardOptions {
    /// Longest time in which the link takes nothing and no reply comes while one is awaited.
    /// Longer than a card needs for a window of requests, and no longer than a user will wait to
    /// hear that it died; at most a day.
    pub time_limit: Duration,
    /// Most requests of a session in flight, at least 1; a card's own queues hold back what does
    /// not fit. Fewer where the link has a limit ([`Transport::window_bytes`]).
    pub window: usize,
}

impl Default for CardOptions {
    fn default() -> Self {
        Self { time_limit: Duration::from_secs(10), window: 512 }
    }
}

/// An open card.
///
/// A failure in a batch is followed by a reset, so that the next batch works; where that fails
/// too, the card is given up and answers every further call with the reason.
pub struct Card {
    name: String,
    options: CardOptions,
    /// [`Transport::window_bytes`].
    window_bytes: Option<usize>,
    status: Status,
    state: Mutex<State>,
}

struct State {
    link: Link,
    /// Why the card has been given up.
    given_up: Option<String>,
}

impl fmt::Debug for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Card").field("name", &self.name).field("status", &self.status).finish()
    }
}

impl Card {
    /// Resets the card at the other end of the transport and asks what it is. `name` is how the
    /// user named it, for messages.
    ///
    /// # Errors
    /// [`CardError`] where it does not answer or speaks another version of the protocol.
    pub fn open(
        name: impl Into<String>,
        transport: Box<dyn Transport>,
        options: CardOptions,
    ) -> Result<Self, CardError> {
        let options = CardOptions {
            time_limit: options.time_limit.min(LONGEST_TIME_LIMIT),
            window: options.window.max(1),
        };
        let mut link = Link::new(transport)?;
        link.resynchronise(options.time_limit)?;
        let status = link.status(options.time_limit)?;
        let window_bytes = link.transport().window_bytes();
        let state = Mutex::new(State { link, given_up: None });
        Ok(Self { name: name.into(), options, window_bytes, status, state })
    }

    /// How the user named it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the card is: its status when it was opened.
    pub fn opening_status(&self) -> &Status {
        &self.status
    }

    /// The card's status now.
    ///
    /// # Errors
    /// [`CardError`].
    pub fn status(&self) -> Result<Status, CardError> {
        self.control(Link::status)
    }

    /// Resets the engines and empties their queues.
    ///
    /// # Errors
    /// [`CardError`].
    pub fn reset(&self) -> Result<(), CardError> {
        self.control(Link::resynchronise)
    }

    /// A register's value, through the register window where the link has one.
    ///
    /// # Errors
    /// [`CardError`].
    pub fn read_register(&self, register: Register) -> Result<u32, CardError> {
        let address = register.address();
        self.control(|link, limit| {
            if let Some(window) = link.transport().register_window() {
                return window.read(address);
            }
            write_register_read(link.output.begin(Command::RegisterRead.code()), address)?;
            link.transact(Command::RegisterRead, limit, |frame| {
                parse_register_reply(frame.payload, address)
            })
        })
    }

    /// Writes a register, through the register window where the link has one.
    ///
    /// # Errors
    /// [`CardError::Register`] where the register cannot be written, else as for any other command.
    pub fn write_register(&self, register: Register, value: u32) -> Result<(), CardError> {
        let address = register.address();
        if !register.is_writable() {
            return Err(CardError::Register { address, reason: "read only".into() });
        }
        self.control(|link, limit| {
            if let Some(window) = link.transport().register_window() {
                return window.write(address, value);
            }
            let frame = link.output.begin(Command::RegisterWrite.code());
            write_register_write(frame, address, value)?;
            link.transact(Command::RegisterWrite, limit, |frame| {
                parse_register_reply(frame.payload, address).map(drop)
            })
        })
    }

    /// Sends a frame that no card can decode and checks that exactly its header comes back as
    /// ignored, and that the stream stays in step.
    ///
    /// # Errors
    /// [`CardError`] where anything else happens.
    pub fn check_ignore(&self) -> Result<(), CardError> {
        const PAYLOAD: [u8; 13] = *b"undecodable!\n";
        self.control(|link, limit| {
            let mut frame = link.output.begin(UNDECODABLE_COMMAND);
            frame.bytes(&PAYLOAD);
            frame.finish(MAX_FRAME_BYTES)?;
            match link.transact(Command::GetFpgaStatus, limit, |_| Ok(())) {
                Err(CardError::Ignored { length, command: UNDECODABLE_COMMAND })
                    if length as usize == HEADER_BYTES + PAYLOAD.len() => {}
                Err(other) => return Err(other),
                Ok(()) => {
                    return Err(CardError::Unexpected("a status that was not asked for".into()));
                }
            }
            link.status(limit).map(drop)
        })
    }

    /// Opens a session: batches whose replies are awaited later, so that the card need never wait
    /// for one batch to end before the next begins. A card has any number of sessions at once.
    pub fn session<Op: WireOperation>(&self) -> CardSession<'_, Op> {
        CardSession::new(self)
    }

    /// Does what it can of a batch: every request that the card supports, as far as it gets.
    pub fn attempt<Op: WireOperation>(&self, requests: &[Op::Request]) -> Attempt<Op::Reply> {
        Attempt::of::<Op>(self, requests)
    }

    /// Most requests of a session in flight.
    pub fn window(&self) -> usize {
        self.options.window
    }

    /// Refuses a batch of which the card cannot do every request; nothing is sent.
    ///
    /// # Errors
    /// [`DeviceError::Unsupported`], which names the first such request and what it needs.
    pub fn require_supported<Op: WireOperation>(
        &self,
        requests: &[Op::Request],
    ) -> Result<(), DeviceError> {
        for (index, request) in requests.iter().enumerate() {
            if let Err(reason) = Op::begin(request, &self.status) {
                let (device, reason) = (self.name.clone(), format!("request {index}: {reason}"));
                return Err(DeviceError::Unsupported { device, operation: Op::NAME, reason });
            }
        }
        Ok(())
    }

    /// The limits of a session.
    pub(crate) fn limits(&self) -> Limits {
        let CardOptions { time_limit, window } = self.options;
        Limits { time: time_limit, window, window_bytes: self.window_bytes }
    }

    /// Runs a control command; a failure loses the step and is followed by a reset.
    pub(crate) fn control<T>(
        &self,
        command: impl FnOnce(&mut Link, Duration) -> Result<T, CardError>,
    ) -> Result<T, CardError> {
        self.lock().control(self.options.time_limit, command)
    }

    /// Tells the link that a session has ended, without a word to the card.
    pub(crate) fn end_session(&self, epoch: u32) {
        self.lock().link.end_session(epoch);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned: PoisonError<_>| {
            // A panic in the middle of a batch: the next command finds the step again by a reset.
            let mut state = poisoned.into_inner();
            state.recover(&CardError::hung_up(), self.options.time_limit / 2);
            self.state.clear_poison();
            state
        })
    }
}

impl State {
    /// An error where the card has been given up.
    fn in_use(&self) -> Result<(), CardError> {
        match &self.given_up {
            Some(reason) => Err(CardError::GivenUp { reason: reason.clone() }),
            None => Ok(()),
        }
    }

    fn control<T>(
        &mut self,
        limit: Duration,
        command: impl FnOnce(&mut Link, Duration) -> Result<T, CardError>,
    ) -> Result<T, CardError> {
        self.in_use()?;
        let result = command(&mut self.link, limit);
        match &result {
            // A refusal is an answer: the step is kept.
            Ok(_) | Err(CardError::Register { .. }) => {}
            Err(error) => self.recover(error, limit / 2),
        }
        result
    }

    /// Resets the card after a failure, or gives it up.
    fn recover(&mut self, failure: &CardError, limit: Duration) {
        tracing::warn!(%failure, "the card failed; it is reset");
        if let Err(error) = self.link.resynchronise(limit) {
            tracing::warn!(%error, "the card could not be reset; it is given up");
            self.given_up.get_or_insert_with(|| failure.to_string());
        }
    }
}

impl<Op: WireOperation> Execute<Op> for Card {
    fn execute(&self, requests: &[Op::Request]) -> Result<Batch<Op::Reply>, DeviceError> {
        self.require_supported::<Op>(requests)?;
        self.attempt::<Op>(requests).into_batch(&self.name)
    }
}
