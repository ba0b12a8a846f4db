// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The card as a device: opens it with a reset, executes batches, and resynchronizes it after a
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

/// A command that no card will ever have: it is in the range of reply codes.
const UNDECODABLE_COMMAND: u32 = 0xFFFF_FFFF;

/// The longest useful time limit. A sum of several such limits does not overflow.
const LONGEST_TIME_LIMIT: Duration = Duration::from_secs(24 * 3600);

/// The number of time limits for which a call may go on without progress, its retries aside: one
/// for an answer and one for the resets.
const LIMITS_A_CALL: u32 = 2;

/// The time limit of the reset after an interrupt. A reset that takes longer is left to the next
/// call.
const INTERRUPTED_RESET: Duration = Duration::from_millis(300);

/// The limits of a session. At least one request can be in flight.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SessionLimits {
    /// The longest time in which the link accepts nothing and no reply arrives.
    pub time: Duration,
    /// How long a call goes on without progress, including all its tries and resets.
    pub patience: Duration,
    /// The maximum number of requests in flight.
    pub window: usize,
    /// The maximum number of request bytes in flight, if the link has such a limit. A larger
    /// request is sent when no other is in flight.
    pub window_bytes: Option<usize>,
}

/// Options of a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CardOptions {
    /// The longest time in which the link accepts nothing and no awaited reply arrives. It should
    /// be longer than a card needs for a window of requests, and no longer than a user will wait
    /// for the news that the card died; at most a day.
    pub time_limit: Duration,
    /// The maximum number of requests of a session in flight, at least 1. The card's own queues
    /// hold back the requests that do not fit. Fewer are in flight if the link has a limit
    /// ([`Transport::window_bytes`]).
    pub window: usize,
}

impl Default for CardOptions {
    fn default() -> Self {
        Self { time_limit: Duration::from_secs(10), window: 512 }
    }
}

/// An open card.
///
/// After a failure in a batch the card is reset, so that the next batch works. If the reset fails
/// too, the card is given up: every further call returns the reason, until the card is opened again
/// ([`Card::reopen`]).
pub struct Card {
    name: String,
    options: CardOptions,
    /// [`Transport::window_bytes`].
    window_bytes: Option<usize>,
    /// A random number.
    seed: u64,
    opening: Opening,
    state: Mutex<State>,
    /// Shared with the state, so that a query does not wait for a batch.
    given_up: GivenUp,
}

/// The reason why the card was given up, if it was.
#[derive(Clone, Debug, Default)]
struct GivenUp(Arc<Mutex<Option<CardFailure>>>);

struct State {
    link: Link,
    /// A call ran out of time before the card was resynchronized. The next call resets the card
    /// first.
    is_out_of_step: bool,
    given_up: GivenUp,
}

/// The reason why a card was given up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardFailure {
    /// The failure.
    pub reason: String,
    /// `true` if the card answered incorrectly, rather than not at all. Such a card is not opened
    /// again.
    pub is_distrusted: bool,
}

impl fmt::Debug for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Card").field("name", &self.name).field("opening", &self.opening).finish()
    }
}

impl Card {
    /// Resets the card at the other end of the transport and reads its status. `name` is the name
    /// that the user gave, for messages.
    ///
    /// # Errors
    /// [`CardError`] if the card does not answer or uses another version of the protocol.
    pub fn open(
        name: impl Into<String>,
        transport: Box<dyn Transport>,
        options: CardOptions,
    ) -> Result<Self, CardError> {
        Self::open_within(name, transport, options, options.patience(0))
    }

    /// Like [`Self::open`], within a time limit.
    ///
    /// # Errors
    /// See [`Self::open`].
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

    /// Returns the name that the user gave.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the status of the card when it was opened.
    pub fn opening_status(&self) -> &Status {
        self.opening.status()
    }

    /// Returns the status and registers of the card when it was opened.
    pub fn opening(&self) -> &Opening {
        &self.opening
    }

    /// Reads the current status of the card.
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

    /// Returns how often the card was reset since it was opened, by [`Self::reset`] or after a
    /// failure.
    pub fn resets(&self) -> u64 {
        self.lock().link.resets()
    }

    /// Reads a register, through the register window if the link has one.
    ///
    /// # Errors
    /// [`CardError`].
    pub fn read_register(&self, register: Register) -> Result<u32, CardError> {
        self.read_address(register.address())
    }

    /// Writes a register, through the register window if the link has one.
    ///
    /// # Errors
    /// [`CardError::Register`] if the register cannot be written; otherwise as for any other
    /// command.
    pub fn write_register(&self, register: Register, value: u32) -> Result<(), CardError> {
        let address = register.address();
        if !register.is_writable() {
            return Err(CardError::Register { address, reason: "read only".into() });
        }
        self.write_address(address, value)
    }

    /// Reads the register at a byte address.
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

    /// Sends a frame that no card can decode. Checks that exactly its header comes back as ignored
    /// and that the stream stays synchronized.
    ///
    /// # Errors
    /// [`CardError`] if the card answers in any other way.
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
                    return Err(CardError::Unexpected("a status that was not requested".into()));
                }
            }
            link.status(limit).map(drop)
        })
    }

    /// Returns a random number for the choice of samples, which cannot be observed on the card's
    /// link.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Returns the maximum number of requests of a session in flight.
    pub fn window(&self) -> usize {
        self.options.window
    }

    /// Returns the requests of a batch that the card cannot execute.
    pub fn unsupported<C: Codec>(&self, batch: Batch<'_, C>) -> Vec<Unsupported> {
        let lacks = |(request, row)| {
            let reason = C::supports(row, self.opening.status()).err()?;
            Some(Unsupported { request, reason })
        };
        batch.rows().enumerate().filter_map(lacks).collect()
    }

    /// Returns the limits of a session whose calls have this number of retries.
    pub(crate) fn limits(&self, retries: usize) -> SessionLimits {
        let CardOptions { time_limit, window } = self.options;
        let patience = self.options.patience(retries);
        SessionLimits { time: time_limit, patience, window, window_bytes: self.window_bytes }
    }

    /// Gives up a card that answers incorrectly: every further call returns this reason.
    pub fn give_up(&self, reason: &str) {
        let mut failure = self.given_up.lock();
        if failure.as_ref().is_none_or(|failure| !failure.is_distrusted) {
            tracing::warn!(reason, card = self.name, "the card is given up");
            let reason = reason.to_owned();
            *failure = Some(CardFailure { reason, is_distrusted: true });
        }
    }

    /// Returns why the card was given up, if it was. Does not wait for a batch in progress.
    pub fn failure(&self) -> Option<CardFailure> {
        self.given_up.lock().clone()
    }

    /// Opens a card that was given up again, over a new link. Its sessions and executors continue
    /// with this link. Until then, calls still return the reason. If the card was not given up,
    /// nothing happens.
    ///
    /// # Errors
    /// [`CardError::GivenUp`] if the card has answered incorrectly, [`CardError::Unexpected`] if a
    /// different card answers, or an error of [`Self::open`]. The card then stays given up.
    pub fn reopen(&self, link: &mut dyn Connect) -> Result<(), CardError> {
        let closed = match self.failure() {
            None => return Ok(()),
            Some(CardFailure { reason, is_distrusted: true }) => {
                return Err(CardError::GivenUp { reason });
            }
            Some(_) => self.lock().link.close(),
        };
        // Drop the old link first: a server of one client at a time can then accept the new link.
        drop(closed);
        let patience = self.options.patience(0);
        let transport = link.connect(self.options.time_limit)?;
        let opened = Self::open_within(self.name.as_str(), transport, self.options, patience)?;
        if !self.is_like(&opened) {
            let reason =
                "the card that answers is not the one that was given up; open it as a new card";
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

    /// Returns `true` if another card has the same build and the same engines.
    fn is_like(&self, other: &Self) -> bool {
        self.opening.is_like(&other.opening) && self.window_bytes == other.window_bytes
    }

    /// Runs a control command. After a failure the stream is out of step, and the card is reset.
    pub(crate) fn control<T>(
        &self,
        command: impl FnOnce(&mut Link, Duration) -> Result<T, CardError>,
    ) -> Result<T, CardError> {
        self.control_until(self.options.patience(0), None, command).0
    }

    /// The same within a call that ends by `deadline`, if it has one. Also returns the deadline of
    /// the call. A caller that continues the call keeps to this deadline, even if the recovery from
    /// an earlier failure took all the time.
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

    /// Evaluates a function of the current time on the link's clock.
    pub(crate) fn at_the_time<T>(&self, ask: impl FnOnce(Instant) -> T) -> T {
        ask(self.lock().link.now())
    }

    /// Tells the link that a session has ended. Sends nothing to the card.
    pub(crate) fn end_session(&self, epoch: u32) {
        self.lock().link.end_session(epoch);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned: PoisonError<_>| {
            // A panic during a batch: the next command resynchronizes with a reset.
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
    /// Returns how long a call with `retries` retries goes on without progress: one time limit per
    /// try and one for the resets.
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
    /// Returns an error if the card was given up.
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
            // A refusal is an answer: the stream is still in step.
            Ok(_) | Err(CardError::Register { .. }) => {}
            Err(error) => self.recover(error, limit / 2)?,
        }
        result
    }

    /// Resets the card after a failure, or gives it up. If the call has to end before either is
    /// decided, the next call continues.
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
