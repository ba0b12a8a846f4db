// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The card as a device: opened by a reset, then batch after batch, and back in step after a
//! failure.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use halimede_arith::job::interrupt::never;
use halimede_arith::job::{Columns, Unsupported};

use crate::codec::{Batch, Codec};
use crate::command::{parse_register_reply, write_register_read, write_register_write, Status};
use crate::error::CardError;
use crate::link::Link;
use crate::opening::Opening;
use crate::spec::{Command, Register, HEADER_BYTES, MAX_FRAME_BYTES};
use crate::transport::{Connect, Transport};

/// A command that no card will ever have: the reply codes lie from here on.
const UNDECODABLE_COMMAND: u32 = 0xFFFF_FFFF;

/// Longest time limit that is of any use; sums of a few of them do not overflow.
const LONGEST_TIME_LIMIT: Duration = Duration::from_secs(24 * 3600);

/// Time limits that a call may take without any progress, its retries aside: one for an answer, and
/// one for the resets.
const LIMITS_A_CALL: u32 = 2;

/// How long the reset after an interrupt may take; it is left to the next call otherwise.
const INTERRUPTED_RESET: Duration = Duration::from_millis(300);

/// Limits of a session, at least one request in flight.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SessionLimits {
    /// Longest time in which nothing is taken and no reply comes.
    pub time: Duration,
    /// How long a call goes on while nothing moves it forward, all its tries and resets together.
    pub patience: Duration,
    /// Most requests in flight.
    pub window: usize,
    /// Most bytes of them, where the link has such a limit. A request with more goes alone.
    pub window_bytes: Option<usize>,
}

/// Options of a card.
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
/// too, the card is given up and answers every further call with the reason, until it is opened
/// again ([`Card::reopen`]).
pub struct Card {
    name: String,
    options: CardOptions,
    /// [`Transport::window_bytes`].
    window_bytes: Option<usize>,
    /// A random number.
    seed: u64,
    opening: Opening,
    state: Mutex<State>,
    /// The same as the state's: who asks does not wait for a batch.
    given_up: GivenUp,
}

/// Why the card has been given up, if it was.
#[derive(Clone, Debug, Default)]
struct GivenUp(Arc<Mutex<Option<CardFailure>>>);

struct State {
    link: Link,
    /// A call ran out of time before the card was back in step: the next one resets it first.
    is_out_of_step: bool,
    given_up: GivenUp,
}

/// Why a card was given up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardFailure {
    /// The failure.
    pub reason: String,
    /// Whether the card has answered wrongly, rather than not at all: it is not opened again.
    pub is_distrusted: bool,
}

impl fmt::Debug for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Card").field("name", &self.name).field("opening", &self.opening).finish()
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
        Self::open_within(name, transport, options, options.patience(0))
    }

    /// [`Self::open`] within this time.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_within(
        name: impl Into<String>,
        transport: Box<dyn Transport>,
        options: CardOptions,
        limit: Duration,
    ) -> Result<Self, CardError> {
        let options = CardOptions {
            time_limit: options.time_limit.min(LONGEST_TIME_LIMIT),
            window: options.window.max(1),
        };
        let mut link = Link::new(transport)?;
        let seed = link.random()?;
        link.begin_call(limit.min(options.patience(0)), None);
        link.resynchronize(options.time_limit)?;
        let status = link.status(options.time_limit)?;
        let read = |address| read_address(&mut link, options.time_limit, address);
        let opening = Opening::read(status, read)?;
        let window_bytes = link.transport().window_bytes();
        let given_up = GivenUp::default();
        let state = State { link, is_out_of_step: false, given_up: given_up.clone() };
        let (name, state) = (name.into(), Mutex::new(state));
        Ok(Self { name, options, window_bytes, seed, opening, state, given_up })
    }

    /// The name that the user gave.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The status of the card when it was opened.
    pub fn opening_status(&self) -> &Status {
        self.opening.status()
    }

    /// The card when it was opened.
    pub fn opening(&self) -> &Opening {
        &self.opening
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
        self.control(Link::resynchronize)
    }

    /// How often the card was reset since it was opened, by [`Self::reset`] or behind a failure.
    pub fn resets(&self) -> u64 {
        self.lock().link.resets()
    }

    /// A register's value, through the register window where the link has one.
    ///
    /// # Errors
    /// [`CardError`].
    pub fn read_register(&self, register: Register) -> Result<u32, CardError> {
        self.read_address(register.address())
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
        self.write_address(address, value)
    }

    /// The value of the register at a byte address.
    pub(crate) fn read_address(&self, address: u32) -> Result<u32, CardError> {
        self.control(|link, limit| read_address(link, limit, address))
    }

    /// Writes the register at a byte address.
    pub(crate) fn write_address(&self, address: u32, value: u32) -> Result<(), CardError> {
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

    /// A random number that the card's link does not show, to choose samples by.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Most requests of a session in flight.
    pub fn window(&self) -> usize {
        self.options.window
    }

    /// The requests of a batch that the card cannot do.
    pub fn unsupported<C: Codec>(&self, batch: Batch<'_, C>) -> Vec<Unsupported> {
        let lacks = |(request, row)| {
            let reason = C::supports(row, self.opening.status()).err()?;
            Some(Unsupported { request, reason })
        };
        batch.rows().enumerate().filter_map(lacks).collect()
    }

    /// The limits of a session whose calls have this number of retries.
    pub(crate) fn limits(&self, retries: usize) -> SessionLimits {
        let CardOptions { time_limit, window } = self.options;
        let patience = self.options.patience(retries);
        SessionLimits { time: time_limit, patience, window, window_bytes: self.window_bytes }
    }

    /// Gives up a card that answers wrongly: every further call ends with this reason.
    pub fn give_up(&self, reason: &str) {
        let mut failure = self.given_up.lock();
        if failure.as_ref().is_none_or(|failure| !failure.is_distrusted) {
            tracing::warn!(reason, card = self.name, "the card is given up");
            let reason = reason.to_owned();
            *failure = Some(CardFailure { reason, is_distrusted: true });
        }
    }

    /// Why the card was given up, where it was. A batch under way is not waited for.
    pub fn failure(&self) -> Option<CardFailure> {
        self.given_up.lock().clone()
    }

    /// Opens a card that was given up again, over a new link; its sessions and executors go on with
    /// that. Calls meanwhile are answered with the reason as before. A card that was not given up
    /// stays as it is.
    ///
    /// # Errors
    /// [`CardError::GivenUp`] where the card has answered wrongly, [`CardError::Unexpected`] where
    /// another card answers; those of opening. The card stays given up then.
    pub fn reopen(&self, link: &mut dyn Connect) -> Result<(), CardError> {
        let closed = match self.failure() {
            None => return Ok(()),
            Some(CardFailure { reason, is_distrusted: true }) => {
                return Err(CardError::GivenUp { reason });
            }
            Some(_) => self.lock().link.close(),
        };
        // Who serves one link at a time is free for the next one.
        drop(closed);
        let patience = self.options.patience(0);
        let transport = link.connect(self.options.time_limit)?;
        let opened = Self::open_within(self.name.as_str(), transport, self.options, patience)?;
        if !self.is_like(&opened) {
            let reason = "another card answers than the one that was given up: open it anew";
            return Err(CardError::Unexpected(reason.into()));
        }
        let opened = opened.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut state = self.lock();
        let mut failure = self.given_up.lock();
        if let Some(CardFailure { reason, is_distrusted: true }) = failure.clone() {
            return Err(CardError::GivenUp { reason });
        }
        state.link.go_on_with(opened.link);
        (*failure, state.is_out_of_step) = (None, false);
        Ok(())
    }

    /// Whether another card has the same build and the same engines.
    fn is_like(&self, other: &Self) -> bool {
        self.opening.is_like(&other.opening) && self.window_bytes == other.window_bytes
    }

    /// Runs a control command; a failure loses the step and is followed by a reset.
    pub(crate) fn control<T>(
        &self,
        command: impl FnOnce(&mut Link, Duration) -> Result<T, CardError>,
    ) -> Result<T, CardError> {
        self.control_until(self.options.patience(0), None, command).0
    }

    /// The same as part of a call that ends by the deadline, where it has one. Gives also when the
    /// call must end: whoever carries on with it keeps to that, also where the failure of an
    /// earlier call was still to be mended and took all of the time.
    pub(crate) fn control_until<T>(
        &self,
        patience: Duration,
        deadline: Option<Instant>,
        command: impl FnOnce(&mut Link, Duration) -> Result<T, CardError>,
    ) -> (Result<T, CardError>, Instant) {
        let mut state = self.lock();
        state.link.begin_call(patience, deadline);
        let outcome = state.control(self.options.time_limit, command);
        (outcome, state.link.deadline())
    }

    /// Asks something about the time by the link's clock.
    pub(crate) fn at_the_time<T>(&self, ask: impl FnOnce(Instant) -> T) -> T {
        ask(self.lock().link.now())
    }

    /// Tells the link that a session has ended, without a word to the card.
    pub(crate) fn end_session(&self, epoch: u32) {
        self.lock().link.end_session(epoch);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned: PoisonError<_>| {
            // A panic in the middle of a batch: the next command finds the step again by a reset.
            let mut state = poisoned.into_inner();
            state.is_out_of_step = true;
            self.state.clear_poison();
            state
        })
    }
}

/// See [`Card::read_register`].
fn read_address(link: &mut Link, limit: Duration, address: u32) -> Result<u32, CardError> {
    if let Some(window) = link.transport().register_window() {
        return window.read(address);
    }
    write_register_read(link.output.begin(Command::RegisterRead.code()), address)?;
    link.transact(Command::RegisterRead, limit, |frame| {
        parse_register_reply(frame.payload, address)
    })
}

impl CardOptions {
    /// How long a call with `retries` retries goes on without progress: one time limit
    /// a try, and one for the resets.
    pub fn patience(&self, retries: usize) -> Duration {
        let limits = LIMITS_A_CALL.saturating_add(u32::try_from(retries).unwrap_or(u32::MAX));
        self.time_limit.saturating_mul(limits).min(LONGEST_TIME_LIMIT * LIMITS_A_CALL)
    }
}

impl GivenUp {
    fn lock(&self) -> MutexGuard<'_, Option<CardFailure>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// An error where the card has been given up.
    fn in_use(&self) -> Result<(), CardError> {
        match &*self.given_up.lock() {
            Some(failure) => Err(CardError::GivenUp { reason: failure.reason.clone() }),
            None => Ok(()),
        }
    }

    fn control<T>(
        &mut self,
        limit: Duration,
        command: impl FnOnce(&mut Link, Duration) -> Result<T, CardError>,
    ) -> Result<T, CardError> {
        self.in_use()?;
        if self.is_out_of_step {
            let late = CardError::TimedOut { awaited: "reset".into(), limit };
            self.recover(&late, limit / 2)?;
            self.in_use()?;
            if self.is_out_of_step {
                return Err(late);
            }
        }
        let result = command(&mut self.link, limit);
        match &result {
            // A refusal is an answer: the step is kept.
            Ok(_) | Err(CardError::Register { .. }) => {}
            Err(error) => self.recover(error, limit / 2)?,
        }
        result
    }

    /// Resets the card after a failure, or gives it up. Where the call has to end before either is
    /// clear, the next one goes on with it.
    ///
    /// # Errors
    /// [`CardError::Interrupted`].
    fn recover(&mut self, failure: &CardError, limit: Duration) -> Result<(), CardError> {
        tracing::warn!(%failure, "the card failed; it is reset");
        let reset = if matches!(failure, CardError::Interrupted) {
            self.link.begin_call(limit.min(INTERRUPTED_RESET), None);
            never(|| self.link.resynchronize(limit))
        } else {
            self.link.resynchronize(limit)
        };
        self.is_out_of_step = match &reset {
            Err(CardError::TimedOut { .. }) => self.link.is_out_of_time(),
            Err(CardError::Interrupted) => true,
            _ => false,
        };
        match reset {
            Ok(()) => Ok(()),
            Err(error) if self.is_out_of_step => {
                tracing::warn!(%error, "the next call resets the card");
                match error {
                    CardError::Interrupted => Err(error),
                    _ => Ok(()),
                }
            }
            Err(error) => {
                tracing::warn!(%error, "the card could not be reset; it is given up");
                let reason = failure.to_string();
                let given_up = CardFailure { reason, is_distrusted: false };
                self.given_up.lock().get_or_insert(given_up);
                Ok(())
            }
        }
    }
}
