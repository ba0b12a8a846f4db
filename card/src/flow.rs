// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The requests of a session in progress on a card: many in flight, with replies in any order.

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

use halimede_arith::job::{Ledger, RequestPosition, Timing, Trust};

use crate::card::{Card, SessionLimits};
use crate::codec::{Codec, INDEX_BYTES};
use crate::command::{require_reply, Status};
use crate::epoch::{Epochs, NUMBERS};
use crate::error::CardError;
use crate::link::{not_in_flight, Arrival, Link};
use crate::spec::{Command, MAX_FRAME_BYTES};
use crate::transport::CHUNK_BYTES;

/// A request in flight or between two steps.
struct Flight<C: Codec> {
    place: RequestPosition,
    progress: C::Progress,
    /// [`Codec::step_bytes`] of the step in flight.
    bytes: usize,
}

/// A step of which some frames are not written yet. Its frames follow each other in the stream: no
/// session begins another step before the last frame.
#[derive(Clone, Copy, Debug)]
struct Sending {
    /// The number of the step.
    number: u64,
    /// The next frame of the step.
    next: u64,
    /// The number of frames of the step.
    frames: u64,
}

/// The condition that ends a drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Until {
    /// No more progress without waiting.
    Still,
    /// The oldest batch is complete, and its replies are final.
    Oldest,
    /// Every request that can be answered has its answer.
    Idle,
    /// The card has reported its status.
    Status,
}

/// A session's membership of the link.
#[derive(Clone, Copy, Debug)]
struct Membership {
    epoch: u32,
    /// [`Link::resets`] when the session joined.
    resets: u64,
}

/// The requests of a session in progress on a card. Their batches are in the caller's ledger.
///
/// After a failure the card is reset. A failure loses no request: the next call sends those that
/// were in flight again, unless they are withdrawn. Other sessions and batches may use the card at
/// the same time; each reply is routed to its session.
pub(crate) struct Flow<'c, C: Codec> {
    pub(crate) card: &'c Card,
    limits: SessionLimits,
    /// The next call continues the one that failed, and ends by the same deadline.
    carries_on: bool,
    /// The number of replies received.
    answered: u64,
    /// Requests that are not begun, in order.
    unsent: VecDeque<RequestPosition>,
    /// Requests whose replies were taken back after a failure.
    again: Vec<RequestPosition>,
    /// Requests whose next step is sent before any other request begins.
    between: VecDeque<Flight<C>>,
    membership: Option<Membership>,
    /// The number of the next step.
    next_number: u64,
    /// The steps in flight, by number.
    in_flight: HashMap<u64, Flight<C>>,
    /// The sum of their bytes.
    in_flight_bytes: usize,
    /// The step in flight that is not completely written; `None` while another session has the
    /// link.
    sending: Option<Sending>,
    /// The deadline of the last failed call.
    deadline: Option<Instant>,
    /// `true` if a try of the call has failed since the last reply.
    has_failed: bool,
    /// `true` while the last requested status has not arrived.
    is_status_asked: bool,
    /// The card's counters when the session first joined, and when it last asked.
    first: Option<Status>,
    last: Option<Status>,
    timing: Timing,
}

impl<'c, C: Codec> Flow<'c, C> {
    /// Returns a flow without requests.
    pub fn new(card: &'c Card, retries: usize) -> Self {
        Self {
            card,
            limits: card.limits(retries),
            carries_on: false,
            answered: 0,
            unsent: VecDeque::new(),
            again: Vec::new(),
            between: VecDeque::new(),
            membership: None,
            next_number: 0,
            in_flight: HashMap::new(),
            in_flight_bytes: 0,
            sending: None,
            deadline: None,
            has_failed: false,
            is_status_asked: false,
            first: None,
            last: None,
            timing: Timing::default(),
        }
    }

    /// Adds requests, which the card supports. Nothing is sent before [`Self::drive`].
    pub fn submit(&mut self, places: Vec<RequestPosition>) {
        self.unsent.extend(places);
    }

    /// Returns the number of replies received.
    pub fn answered(&self) -> u64 {
        self.answered
    }

    /// Returns the number of requests without a reply.
    pub fn outstanding(&self) -> usize {
        self.unsent.len() + self.again.len() + self.under_way()
    }

    /// Returns the number of requests that have been begun and not answered.
    fn under_way(&self) -> usize {
        self.in_flight.len() + self.between.len()
    }

    /// Returns `true` if the oldest batch can be returned to the caller, or if the ledger is empty.
    pub fn is_oldest_settled(&self, ledger: &Ledger<C::Operation>) -> bool {
        ledger.is_oldest_settled(|| self.in_flight.keys().min().copied())
    }

    /// Takes back every reply without a checksum that the caller has not received.
    pub fn distrust(&mut self, ledger: &mut Ledger<C::Operation>) {
        self.again.extend(ledger.distrust());
    }

    /// Removes the requests that were in flight when the card failed and those whose replies were
    /// taken back, or with `all` every request without a reply, oldest first. Another place then
    /// answers them.
    pub fn withdraw(&mut self, all: bool) -> Vec<RequestPosition> {
        let in_flight = self.in_flight.drain().map(|(_, flight)| flight);
        let mut places: Vec<RequestPosition> =
            in_flight.chain(self.between.drain(..)).map(|flight| flight.place).collect();
        places.append(&mut self.again);
        self.in_flight_bytes = 0;
        self.sending = None;
        if all {
            places.extend(self.unsent.drain(..));
        }
        places.sort_unstable();
        places
    }

    /// Returns the epoch of the session, if it has one.
    pub fn epoch(&self) -> Option<u32> {
        self.membership.map(|membership| membership.epoch)
    }

    /// Returns the time spent so far, as of the last requested status.
    pub fn timing(&self) -> Timing {
        let mut timing = self.timing;
        if let (Some(first), Some(last)) = (&self.first, &self.last) {
            timing.card_clocks = last.clocks.checked_sub(first.clocks);
            timing.card_starved_clocks = C::starved_clocks(first, last);
            timing.card_stalled_clocks = last.replies_stalled.checked_sub(first.replies_stalled);
        }
        timing
    }

    /// Makes the next call continue the one that failed.
    pub fn carry_on(&mut self) {
        self.carries_on = true;
    }

    /// Returns the deadline of the last failed call.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Sends requests and receives replies. A step that has been begun is completely written before
    /// this returns, so that no other session interrupts it. A failure takes back every reply
    /// without a checksum.
    ///
    /// # Errors
    /// An error of the link. The card has been reset then, or will be. Afterwards the requests that
    /// were in flight are sent again, unless they are withdrawn before.
    pub fn drive(
        &mut self,
        ledger: &mut Ledger<C::Operation>,
        until: Until,
    ) -> Result<(), CardError> {
        if !std::mem::take(&mut self.carries_on) {
            self.deadline = None;
            self.has_failed = false;
        }
        let (card, patience, deadline) = (self.card, self.limits.patience, self.deadline);
        let (outcome, deadline) =
            card.control_until(patience, deadline, |link, _| self.drive_on(link, ledger, until));
        self.deadline = Some(deadline);
        if outcome.is_err() {
            self.has_failed = true;
            self.distrust(ledger);
        }
        outcome
    }

    /// [`Self::drive`] with the link.
    fn drive_on(
        &mut self,
        link: &mut Link,
        ledger: &mut Ledger<C::Operation>,
        until: Until,
    ) -> Result<(), CardError> {
        let joined = self.join(link, ledger);
        let outcome = joined.and_then(|epoch| self.exchange(link, ledger, epoch, until));
        if let Some(Membership { epoch, resets }) = self.membership {
            if resets == link.resets() {
                link.expect_replies(epoch, self.in_flight.len());
            }
        }
        outcome
    }

    /// [`Self::drive`] as a member of the link.
    fn exchange(
        &mut self,
        link: &mut Link,
        ledger: &mut Ledger<C::Operation>,
        epoch: u32,
        until: Until,
    ) -> Result<(), CardError> {
        let mut epoch = epoch;
        self.read_letters(link, ledger, epoch)?;
        self.is_status_asked = until == Until::Status;
        if self.is_status_asked {
            self.last = None;
            link.request_status()?;
        }
        let mut last_move = link.now();
        let mut is_still = false;
        loop {
            if self.next_number == NUMBERS && self.under_way() == 0 {
                epoch = self.begin_epoch(link)?;
            }
            let is_met = is_still || self.is_met(ledger, until);
            self.write_frames(link, ledger, epoch, !is_met)?;
            if is_met && self.sending.is_none() {
                return Ok(());
            }
            let backlog = link.output.backlog();
            let limit = self.limits.time + link.transport().transfer_time(backlog);
            let left = link.left(last_move, limit);
            if left.is_zero() {
                let awaited = format!("reply; {} requests in flight", self.in_flight.len());
                return Err(CardError::TimedOut { awaited, limit });
            }
            let start = link.now();
            let waits = until != Until::Still || is_still;
            let moved = link.exchange(if waits { left } else { Duration::ZERO })?;
            let elapsed = link.now().saturating_duration_since(start);
            match backlog {
                0 => self.timing.compute += elapsed,
                _ => self.timing.to_device += elapsed,
            }
            let has_sent = link.output.backlog() < backlog;
            // A long message that is sent slowly does not mean that the card has died. After a
            // failure, however, sending no longer prolongs the call.
            if has_sent && !self.has_failed {
                link.prolong();
            }
            if self.take_replies(link, ledger, epoch)? || has_sent {
                last_move = link.now();
            }
            is_still |= until == Until::Still && (!moved || self.is_all_begun());
        }
    }

    /// Returns `true` once the condition of a drive is met, apart from the step that is being sent.
    fn is_met(&self, ledger: &Ledger<C::Operation>, until: Until) -> bool {
        match until {
            Until::Still => false,
            Until::Oldest => self.is_oldest_settled(ledger),
            Until::Idle => self.outstanding() == 0,
            Until::Status => self.last.is_some(),
        }
    }

    /// Returns `true` if no step could be begun now, even with unlimited room on the link.
    fn is_all_begun(&self) -> bool {
        self.between.is_empty() && (self.unsent.is_empty() || self.is_window_full())
    }

    fn is_window_full(&self) -> bool {
        self.under_way() >= self.limits.window
    }

    /// Returns `true` if a step of `bytes` bytes may be sent now.
    fn fits(&self, bytes: usize) -> bool {
        let fits = |limit: usize| self.in_flight_bytes.saturating_add(bytes) <= limit;
        self.in_flight.is_empty() || self.limits.window_bytes.is_none_or(fits)
    }

    /// Returns the epoch of the session: a new one at first, and after a reset, which lost the
    /// steps in flight. Those are sent again. The status requested then shows that the stream is in
    /// step.
    fn join(
        &mut self,
        link: &mut Link,
        ledger: &mut Ledger<C::Operation>,
    ) -> Result<u32, CardError> {
        if let Some(Membership { epoch, resets }) = self.membership {
            if resets == link.resets() {
                return Ok(epoch);
            }
        }
        self.distrust(ledger);
        let again = self.withdraw(false);
        for place in again.into_iter().rev() {
            self.unsent.push_front(place);
        }
        let status = link.status(self.limits.time)?;
        self.first.get_or_insert(status);
        self.begin_epoch(link)
    }

    /// Begins a new numbering. Nothing is in flight.
    fn begin_epoch(&mut self, link: &mut Link) -> Result<u32, CardError> {
        if let Some(epoch) = self.epoch() {
            link.end_session(epoch);
        }
        let epoch = link.begin_session()?;
        self.next_number = 0;
        self.membership = Some(Membership { epoch, resets: link.resets() });
        Ok(epoch)
    }

    /// Writes frames while the output has room: first the rest of the step that is being sent, then
    /// with `begin` the next steps of answered requests and new requests, as the window allows.
    fn write_frames(
        &mut self,
        link: &mut Link,
        ledger: &Ledger<C::Operation>,
        epoch: u32,
        begin: bool,
    ) -> Result<(), CardError> {
        let start = link.now();
        while link.output.backlog() < CHUNK_BYTES {
            let sending = match self.sending {
                Some(sending) => sending,
                None if begin => match self.begin_step(ledger)? {
                    Some(sending) => sending,
                    None => break,
                },
                None => break,
            };
            self.write_frame(link, ledger, epoch, sending)?;
            let next = sending.next + 1;
            self.sending = (next < sending.frames).then_some(Sending { next, ..sending });
        }
        self.timing.to_device += link.now().saturating_duration_since(start);
        Ok(())
    }

    /// Puts the next step into flight if the window has room for it.
    fn begin_step(&mut self, ledger: &Ledger<C::Operation>) -> Result<Option<Sending>, CardError> {
        if self.next_number == NUMBERS {
            return Ok(None);
        }
        if self.between.is_empty() && !self.is_window_full() {
            let Some(&place) = self.unsent.front() else { return Ok(None) };
            let Some(request) = ledger.row(place) else { return Ok(None) };
            let progress =
                C::begin(request, self.card.opening_status()).map_err(CardError::Unexpected)?;
            self.unsent.pop_front();
            self.between.push_back(Flight { place, progress, bytes: 0 });
        }
        let Some(flight) = self.between.front() else { return Ok(None) };
        let Some(request) = ledger.row(flight.place) else { return Ok(None) };
        let bytes = C::step_bytes(request, &flight.progress);
        let frames = C::frames(request, &flight.progress);
        if !self.fits(bytes) {
            return Ok(None);
        }
        let Some(flight) = self.between.pop_front() else { return Ok(None) };
        let number = self.next_number;
        self.next_number += 1;
        self.put_in_flight(number, Flight { bytes, ..flight });
        Ok(Some(Sending { number, next: 0, frames }))
    }

    fn put_in_flight(&mut self, number: u64, flight: Flight<C>) {
        self.in_flight_bytes += flight.bytes;
        self.in_flight.insert(number, flight);
    }

    /// Writes the next frame of a step in flight.
    fn write_frame(
        &self,
        link: &mut Link,
        ledger: &Ledger<C::Operation>,
        epoch: u32,
        Sending { number, next, .. }: Sending,
    ) -> Result<(), CardError> {
        let Some(flight) = self.in_flight.get(&number) else { return Ok(()) };
        let Some(request) = ledger.row(flight.place) else { return Ok(()) };
        let command = if next == 0 { C::command(&flight.progress) } else { C::CONTINUATION };
        let mut frame = link.output.begin(command.code());
        frame.u64(Epochs::index(epoch, number));
        match next {
            0 => C::write_step(request, &flight.progress, &mut frame),
            _ => C::write_continuation(request, &flight.progress, next, &mut frame),
        }
        let limit = MAX_FRAME_BYTES.min(self.card.opening_status().max_frame_bytes as usize);
        match command.is_checked() {
            true => Ok(frame.finish_with_checksum(limit)?),
            false => Ok(frame.finish(limit)?),
        }
    }

    /// Processes the replies that arrived while other sessions used the link.
    fn read_letters(
        &mut self,
        link: &mut Link,
        ledger: &mut Ledger<C::Operation>,
        epoch: u32,
    ) -> Result<(), CardError> {
        for letter in link.take_letters(epoch) {
            let step = (letter.command, letter.number);
            self.accept(ledger, step, epoch, &letter.payload)?;
        }
        Ok(())
    }

    /// Receives the replies that have arrived. Returns `true` if any session awaited one of them.
    fn take_replies(
        &mut self,
        link: &mut Link,
        ledger: &mut Ledger<C::Operation>,
        epoch: u32,
    ) -> Result<bool, CardError> {
        let start = link.now();
        let mut any = false;
        while let Some(arrival) = link.next_arrival(Some(epoch))? {
            any |= match arrival {
                Arrival::Own { command, number, payload } => {
                    self.accept(ledger, (command, number), epoch, payload)?
                }
                Arrival::Control(frame) => {
                    require_reply(&frame, Command::GetFpgaStatus)?;
                    let status = Status::of_reply(&frame)?;
                    let is_asked = std::mem::take(&mut self.is_status_asked);
                    if is_asked {
                        self.last = Some(status);
                    }
                    is_asked
                }
                Arrival::Elsewhere { is_asked } => is_asked,
            };
        }
        if any {
            link.prolong();
        }
        self.timing.from_device += link.now().saturating_duration_since(start);
        Ok(any)
    }

    /// Processes a reply, given its payload before the checksum. Returns `false` if it answers
    /// nothing. A request with another step moves to `between`.
    fn accept(
        &mut self,
        ledger: &mut Ledger<C::Operation>,
        (command, number): (Command, u64),
        epoch: u32,
        payload: &[u8],
    ) -> Result<bool, CardError> {
        let Some(mut flight) = self.in_flight.remove(&number) else {
            // A duplicate reply to a step. If replies are provisional, the first one may have been
            // wrong.
            let is_late = self.in_flight.is_empty() && number < self.next_number;
            if is_late && !ledger.has_provisional() {
                tracing::debug!(number, "a duplicate reply was skipped");
                return Ok(false);
            }
            return Err(not_in_flight(Epochs::index(epoch, number)));
        };
        self.in_flight_bytes -= flight.bytes;
        let place = flight.place;
        let own = C::command(&flight.progress);
        let payload = payload.get(INDEX_BYTES..).unwrap_or_default();
        let accepted = match ledger.row(place) {
            None => return Ok(false),
            Some(request) if command == own => {
                C::accept_reply(request, &mut flight.progress, payload)
            }
            Some(_) if command == C::CONTINUATION => Err(C::refusal(payload)),
            Some(_) => Err(format!("the reply answers {}", command.name())),
        };
        let is_half_sent = self.sending.is_some_and(|sending| sending.number == number);
        match accepted {
            Ok(reply) if !is_half_sent => {
                self.has_failed = false;
                let Some(reply) = reply else {
                    self.between.push_back(flight);
                    return Ok(true);
                };
                self.answered += 1;
                let trust = if own.is_checked() { Trust::Final } else { Trust::Provisional };
                ledger.answer(place, reply, trust, self.next_number);
                Ok(true)
            }
            accepted => {
                let request_index = ledger.number_of(place);
                // The request has no reply yet and is among those to be sent again.
                self.put_in_flight(number, flight);
                let early = "the reply came before the whole request was sent";
                let reason = accepted.err().unwrap_or_else(|| early.into());
                Err(CardError::BadReply { request_index, reason })
            }
        }
    }
}
