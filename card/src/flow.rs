// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A session's requests on their way through a card: many in flight, replies in any order.

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

use halimede_arith::job::Timing;

use crate::command::{require_reply, Status};
use crate::epoch::Epochs;
use crate::error::CardError;
use crate::link::{not_in_flight, Arrival, Link};
use crate::spec::{Command, MAX_FRAME_BYTES};
use crate::transport::CHUNK_BYTES;
use crate::wire::{WireOperation, INDEX_BYTES};

/// Limits of a session, at least one request in flight.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Longest time in which nothing is taken and no reply comes.
    pub time: Duration,
    /// Most requests in flight.
    pub window: usize,
    /// Most bytes of them, where the link has such a limit. A request with more goes alone.
    pub window_bytes: Option<usize>,
}

/// Where a request stands in its session: by age.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The batch's number.
    batch: u64,
    /// The request's place in it.
    index: usize,
}

/// A batch that has been handed in and not collected.
struct Batch<Op: WireOperation> {
    requests: Vec<Op::Request>,
    replies: Vec<Option<Op::Reply>>,
    missing: usize,
}

/// A request in flight, or between two steps.
struct Flight<Op: WireOperation> {
    place: Place,
    progress: Op::Progress,
    /// [`WireOperation::step_bytes`] of the step in flight.
    bytes: usize,
}

/// A step of which some frames have yet to be written. They follow each other in the stream:
/// nothing else is begun before the last, by whichever session.
#[derive(Clone, Copy, Debug)]
struct Sending {
    /// The number of the step's frames.
    number: u64,
    /// The frame in the step that is next.
    next: u64,
    /// Frames of the step.
    frames: u64,
}

/// How long to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Until {
    /// Until nothing moves any more without waiting.
    Still,
    /// Until the oldest batch is complete.
    Oldest,
    /// Until every request has been answered that can be.
    Idle,
    /// Until the card has told its status.
    Status,
}

/// A session's part of the link.
#[derive(Clone, Copy, Debug)]
struct Membership {
    epoch: u32,
    /// [`Link::resets`] when it joined.
    resets: u64,
}

/// See the module.
pub(crate) struct Flow<Op: WireOperation> {
    /// What the card can do.
    card: Status,
    limits: Limits,
    batches: VecDeque<Batch<Op>>,
    /// Number of the oldest batch.
    oldest: u64,
    /// Requests of the batches that were collected.
    collected: usize,
    /// Replies received, ever.
    answered: u64,
    /// Requests to be begun, in this order.
    unsent: VecDeque<Place>,
    /// Requests whose next step is to be sent, before any other is begun.
    between: VecDeque<Flight<Op>>,
    membership: Option<Membership>,
    /// Number of the next step.
    next_number: u64,
    /// By the number of the step whose reply is awaited.
    in_flight: HashMap<u64, Flight<Op>>,
    /// Sum of their bytes.
    in_flight_bytes: usize,
    /// The step in flight that is not written whole; none while another session has the link.
    sending: Option<Sending>,
    /// The card's counters when the session joined first, and when it was asked last.
    first: Option<Status>,
    last: Option<Status>,
    timing: Timing,
}

impl<Op: WireOperation> Flow<Op> {
    /// Before anything was handed in.
    pub fn new(card: Status, limits: Limits) -> Self {
        Self {
            card,
            limits,
            batches: VecDeque::new(),
            oldest: 0,
            collected: 0,
            answered: 0,
            unsent: VecDeque::new(),
            between: VecDeque::new(),
            membership: None,
            next_number: 0,
            in_flight: HashMap::new(),
            in_flight_bytes: 0,
            sending: None,
            first: None,
            last: None,
            timing: Timing::default(),
        }
    }

    /// Hands in a batch; nothing is sent before [`Self::drive`]. Gives the requests that the card
    /// cannot do, which will not be sent.
    pub fn submit(&mut self, requests: &[Op::Request]) -> Vec<Place> {
        let batch = self.oldest + self.batches.len() as u64;
        let mut unsupported = Vec::new();
        let mut replies = Vec::with_capacity(requests.len());
        for (index, request) in requests.iter().enumerate() {
            let answer = Op::answer_at_once(request);
            match Op::begin(request, &self.card) {
                Err(_) => unsupported.push(Place { batch, index }),
                Ok(_) if answer.is_none() => self.unsent.push_back(Place { batch, index }),
                Ok(_) => {}
            }
            replies.push(answer);
        }
        let missing = replies.iter().filter(|reply| reply.is_none()).count();
        self.batches.push_back(Batch { requests: requests.to_vec(), replies, missing });
        unsupported
    }

    /// Replies received, ever.
    pub fn answered(&self) -> u64 {
        self.answered
    }

    /// Requests without a reply.
    pub fn outstanding(&self) -> usize {
        self.unsent.len() + self.under_way()
    }

    /// Requests that have been begun and not answered.
    fn under_way(&self) -> usize {
        self.in_flight.len() + self.between.len()
    }

    /// Requests handed in, ever.
    pub fn submitted(&self) -> usize {
        self.collected + self.batches.iter().map(|batch| batch.requests.len()).sum::<usize>()
    }

    /// The first request without a reply, counted from the session's first.
    pub fn first_unanswered(&self) -> usize {
        let mut before = self.collected;
        for batch in &self.batches {
            match batch.replies.iter().position(Option::is_none) {
                Some(index) => return before + index,
                None => before += batch.replies.len(),
            }
        }
        before
    }

    /// True where the oldest batch is complete, or there is none.
    pub fn is_oldest_complete(&self) -> bool {
        self.batches.front().is_none_or(|batch| batch.missing == 0)
    }

    /// The oldest batch's replies, as far as they are there.
    pub fn take_oldest(&mut self) -> Option<Vec<Option<Op::Reply>>> {
        let batch = self.batches.pop_front()?;
        self.oldest += 1;
        self.collected += batch.requests.len();
        Some(batch.replies)
    }

    /// The request at a place; none once its batch was collected.
    pub fn request(&self, place: Place) -> Option<&Op::Request> {
        let batch = self.batches.get(place.batch.checked_sub(self.oldest)? as usize)?;
        batch.requests.get(place.index)
    }

    /// A reply from elsewhere, to a request that is not in flight.
    pub fn supply(&mut self, place: Place, reply: Op::Reply) {
        let Some(batch) = place.batch.checked_sub(self.oldest) else { return };
        let Some(batch) = self.batches.get_mut(batch as usize) else { return };
        let Some(slot) = batch.replies.get_mut(place.index) else { return };
        if slot.replace(reply).is_none() {
            batch.missing -= 1;
        }
    }

    /// Takes out the requests that were in flight when the card failed, or all that have no reply,
    /// oldest first: [`Self::supply`] gives them theirs.
    pub fn withdraw(&mut self, all: bool) -> Vec<Place> {
        let in_flight = self.in_flight.drain().map(|(_, flight)| flight);
        let mut places: Vec<Place> =
            in_flight.chain(self.between.drain(..)).map(|flight| flight.place).collect();
        self.in_flight_bytes = 0;
        self.sending = None;
        if all {
            places.extend(self.unsent.drain(..));
        }
        places.sort_unstable();
        places
    }

    /// The session's epoch, where it has one.
    pub fn epoch(&self) -> Option<u32> {
        self.membership.map(|membership| membership.epoch)
    }

    /// Where the time went so far, as of the status asked last.
    pub fn timing(&self) -> Timing {
        let mut timing = self.timing;
        if let (Some(first), Some(last)) = (&self.first, &self.last) {
            timing.card_clocks = last.clocks.checked_sub(first.clocks);
            timing.card_starved_clocks = Op::starved_clocks(first, last);
            timing.card_stalled_clocks = last.replies_stalled.checked_sub(first.replies_stalled);
        }
        timing
    }

    /// Sends requests and takes replies. What has been begun is written whole before this returns,
    /// so that no other session breaks it off.
    ///
    /// # Errors
    /// Whatever went wrong with the link. The card must be reset then; afterwards the requests
    /// that were in flight are sent again, unless they are withdrawn before.
    pub fn drive(&mut self, link: &mut Link, until: Until) -> Result<(), CardError> {
        let epoch = self.join(link)?;
        self.read_letters(link, epoch)?;
        if until == Until::Status {
            self.last = None;
            link.request_status()?;
        }
        let mut last_move = Instant::now();
        let mut is_still = false;
        loop {
            let is_met = is_still || self.is_met(until);
            self.write_frames(link, epoch, !is_met)?;
            if is_met && self.sending.is_none() {
                return Ok(());
            }
            let backlog = link.output.backlog();
            let limit = self.limits.time + link.transport().transfer_time(backlog);
            let left = limit.saturating_sub(last_move.elapsed());
            if left.is_zero() {
                let awaited = format!("reply; {} requests in flight", self.in_flight.len());
                return Err(CardError::TimedOut { awaited, limit });
            }
            let start = Instant::now();
            let waits = until != Until::Still || is_still;
            let moved = link.exchange(if waits { left } else { Duration::ZERO })?;
            match backlog {
                0 => self.timing.compute += start.elapsed(),
                _ => self.timing.to_device += start.elapsed(),
            }
            let has_replied = self.take_replies(link, epoch)?;
            // A long message that goes out slowly is no card that does not answer.
            if has_replied || link.output.backlog() < backlog {
                last_move = Instant::now();
            }
            is_still |= until == Until::Still && (!moved || self.is_all_begun());
        }
    }

    /// True once a drive has what it was for, but for the step that is being sent.
    fn is_met(&self, until: Until) -> bool {
        match until {
            Until::Still => false,
            Until::Oldest => self.is_oldest_complete(),
            Until::Idle => self.outstanding() == 0,
            Until::Status => self.last.is_some(),
        }
    }

    /// True if no step could be begun now, however much room the link had.
    fn is_all_begun(&self) -> bool {
        self.between.is_empty() && (self.unsent.is_empty() || self.is_window_full())
    }

    fn is_window_full(&self) -> bool {
        self.under_way() >= self.limits.window
    }

    /// True if a step of so many bytes may go out now.
    fn fits(&self, bytes: usize) -> bool {
        let fits = |limit: usize| self.in_flight_bytes.saturating_add(bytes) <= limit;
        self.in_flight.is_empty() || self.limits.window_bytes.is_none_or(fits)
    }

    /// The session's epoch: a new one at first, and after a reset, which has lost what was in
    /// flight: that is sent again. The status asked for then shows that the stream is in step.
    fn join(&mut self, link: &mut Link) -> Result<u32, CardError> {
        if let Some(Membership { epoch, resets }) = self.membership {
            if resets == link.resets() {
                return Ok(epoch);
            }
        }
        let again = self.withdraw(false);
        for place in again.into_iter().rev() {
            self.unsent.push_front(place);
        }
        let status = link.status(self.limits.time)?;
        self.first.get_or_insert(status);
        let epoch = link.epochs.begin();
        self.membership = Some(Membership { epoch, resets: link.resets() });
        Ok(epoch)
    }

    /// Writes frames while there is room for them in the output: the rest of the step that is being
    /// sent, then with `begin` steps that follow a reply and new requests as the window allows.
    fn write_frames(&mut self, link: &mut Link, epoch: u32, begin: bool) -> Result<(), CardError> {
        let start = Instant::now();
        while link.output.backlog() < CHUNK_BYTES {
            let sending = match self.sending {
                Some(sending) => sending,
                None if begin => match self.begin_step()? {
                    Some(sending) => sending,
                    None => break,
                },
                None => break,
            };
            self.write_frame(link, epoch, sending)?;
            let next = sending.next + 1;
            self.sending = (next < sending.frames).then_some(Sending { next, ..sending });
        }
        self.timing.to_device += start.elapsed();
        Ok(())
    }

    /// Puts the next step into flight, where the window has room for one.
    fn begin_step(&mut self) -> Result<Option<Sending>, CardError> {
        if self.between.is_empty() && !self.is_window_full() {
            let Some(&place) = self.unsent.front() else { return Ok(None) };
            let Some(request) = self.request(place) else { return Ok(None) };
            let progress = Op::begin(request, &self.card).map_err(CardError::Unexpected)?;
            self.unsent.pop_front();
            self.between.push_back(Flight { place, progress, bytes: 0 });
        }
        let Some(flight) = self.between.front() else { return Ok(None) };
        let Some(request) = self.request(flight.place) else { return Ok(None) };
        let bytes = Op::step_bytes(request, &flight.progress);
        let frames = Op::frames(request, &flight.progress);
        if !self.fits(bytes) {
            return Ok(None);
        }
        let Some(flight) = self.between.pop_front() else { return Ok(None) };
        let number = self.next_number;
        self.next_number += 1;
        self.put_in_flight(number, Flight { bytes, ..flight });
        Ok(Some(Sending { number, next: 0, frames }))
    }

    fn put_in_flight(&mut self, number: u64, flight: Flight<Op>) {
        self.in_flight_bytes += flight.bytes;
        self.in_flight.insert(number, flight);
    }

    /// Writes the next frame of a step in flight.
    fn write_frame(
        &self,
        link: &mut Link,
        epoch: u32,
        Sending { number, next, .. }: Sending,
    ) -> Result<(), CardError> {
        let Some(flight) = self.in_flight.get(&number) else { return Ok(()) };
        let Some(request) = self.request(flight.place) else { return Ok(()) };
        let command = if next == 0 { Op::COMMAND } else { Op::CONTINUATION };
        let mut frame = link.output.begin(command.code());
        frame.u64(Epochs::index(epoch, number));
        match next {
            0 => Op::write_step(request, &flight.progress, &mut frame),
            _ => Op::write_continuation(request, &flight.progress, next, &mut frame),
        }
        let limit = MAX_FRAME_BYTES.min(self.card.max_frame_bytes as usize);
        match command.is_checked() {
            true => Ok(frame.finish_with_checksum(limit)?),
            false => Ok(frame.finish(limit)?),
        }
    }

    /// Takes what came while the session was not at work.
    fn read_letters(&mut self, link: &mut Link, epoch: u32) -> Result<(), CardError> {
        for letter in link.take_letters(epoch) {
            self.accept(letter.command, letter.number, epoch, &letter.payload)?;
        }
        Ok(())
    }

    /// Takes the replies that have arrived; true if there was one.
    fn take_replies(&mut self, link: &mut Link, epoch: u32) -> Result<bool, CardError> {
        let start = Instant::now();
        let mut any = false;
        while let Some(arrival) = link.next_arrival(Some(epoch))? {
            any = true;
            match arrival {
                Arrival::Own { command, number, payload } => {
                    self.accept(command, number, epoch, payload)?;
                }
                Arrival::Control(frame) => {
                    require_reply(&frame, Command::GetFpgaStatus)?;
                    self.last = Some(Status::of_reply(&frame)?);
                }
                Arrival::Elsewhere => {}
            }
        }
        self.timing.from_device += start.elapsed();
        Ok(any)
    }

    /// Takes a reply, given its payload before the checksum. A request with another step is put
    /// between its steps.
    fn accept(
        &mut self,
        command: Command,
        number: u64,
        epoch: u32,
        payload: &[u8],
    ) -> Result<(), CardError> {
        if self.in_flight.is_empty() && number < self.next_number {
            tracing::debug!(number, "a second reply skipped");
            return Ok(());
        }
        let is_own = command == Op::COMMAND || command == Op::CONTINUATION;
        let flight = if is_own { self.in_flight.remove(&number) } else { None };
        let mut flight = flight.ok_or_else(|| not_in_flight(Epochs::index(epoch, number)))?;
        self.in_flight_bytes -= flight.bytes;
        let place = flight.place;
        let Some(request) = self.request(place) else { return Ok(()) };
        let payload = payload.get(INDEX_BYTES..).unwrap_or_default();
        let accepted = if command == Op::COMMAND {
            Op::accept_reply(request, &mut flight.progress, payload)
        } else {
            Err(Op::refusal(payload))
        };
        let is_half_sent = self.sending.is_some_and(|sending| sending.number == number);
        match accepted {
            Ok(Some(reply)) if !is_half_sent => {
                self.answered += 1;
                self.supply(place, reply);
                Ok(())
            }
            Ok(None) if !is_half_sent => {
                self.between.push_back(flight);
                Ok(())
            }
            accepted => {
                let request_index = self.number_of(place);
                // It has no reply yet, and is among those to be sent again.
                self.put_in_flight(number, flight);
                let early = "it came before the whole request was sent";
                let reason = accepted.err().unwrap_or_else(|| early.into());
                Err(CardError::BadReply { request_index, reason })
            }
        }
    }

    /// A request's number, counted from the session's first.
    pub fn number_of(&self, place: Place) -> usize {
        let batches = place.batch.saturating_sub(self.oldest) as usize;
        let before = self.batches.iter().take(batches).map(|batch| batch.requests.len());
        self.collected + before.sum::<usize>() + place.index
    }
}
