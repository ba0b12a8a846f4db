// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A session's requests on their way through a card: many in flight, replies in any order.

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

use halimede_arith::job::Timing;

use crate::command::{require_reply, Status};
use crate::epoch::Epochs;
use crate::error::CardError;
use crate::frame::FrameWriter;
use crate::link::{not_in_flight, Arrival, Link};
use crate::spec::{Command, MAX_FRAME_BYTES};
use crate::transport::CHUNK_BYTES;
use crate::wire::WireOperation;

/// The index at the start of every request's and reply's payload.
const INDEX_BYTES: usize = 8;

/// Limits of a session, at least one request in flight.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Longest time without a reply.
    pub time: Duration,
    /// Most requests in flight.
    pub window: usize,
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

/// A request in flight.
struct Flight<Op: WireOperation> {
    place: Place,
    progress: Op::Progress,
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
    membership: Option<Membership>,
    /// Number of the next frame.
    next_number: u64,
    /// By the number of the frame whose reply is awaited.
    in_flight: HashMap<u64, Flight<Op>>,
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
            membership: None,
            next_number: 0,
            in_flight: HashMap::new(),
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
        for (index, request) in requests.iter().enumerate() {
            match Op::begin(request, &self.card) {
                Ok(_) => self.unsent.push_back(Place { batch, index }),
                Err(_) => unsupported.push(Place { batch, index }),
            }
        }
        let mut replies = Vec::new();
        replies.resize_with(requests.len(), || None);
        let missing = requests.len();
        self.batches.push_back(Batch { requests: requests.to_vec(), replies, missing });
        unsupported
    }

    /// Replies received, ever.
    pub fn answered(&self) -> u64 {
        self.answered
    }

    /// Requests without a reply.
    pub fn outstanding(&self) -> usize {
        self.unsent.len() + self.in_flight.len()
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
        let mut places: Vec<Place> =
            self.in_flight.drain().map(|(_, flight)| flight.place).collect();
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
            let starved = |counter: fn(&Status) -> u64| counter(last).checked_sub(counter(first));
            // One operation keeps one field's cores at work; the others starve all the time.
            timing.card_starved_clocks = std::cmp::min(
                starved(|status| status.poseidon_starved_fr),
                starved(|status| status.poseidon_starved_felt),
            );
            timing.card_stalled_clocks = starved(|status| status.replies_stalled);
        }
        timing
    }

    /// Sends requests and takes replies.
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
        let mut last_reply = Instant::now();
        loop {
            self.begin_requests(link, epoch)?;
            let done = match until {
                Until::Still => self.unsent.is_empty() || self.is_window_full(),
                Until::Oldest => self.is_oldest_complete(),
                Until::Idle => self.outstanding() == 0,
                Until::Status => self.last.is_some(),
            };
            if done && until != Until::Still {
                return Ok(());
            }
            let backlog = link.output.backlog();
            let limit = self.limits.time + link.transport().transfer_time(backlog);
            let left = limit.saturating_sub(last_reply.elapsed());
            if left.is_zero() {
                let awaited = format!("reply; {} requests in flight", self.in_flight.len());
                return Err(CardError::TimedOut { awaited, limit });
            }
            let start = Instant::now();
            let wait = if until == Until::Still { Duration::ZERO } else { left };
            let moved = link.exchange(wait)?;
            match backlog {
                0 => self.timing.compute += start.elapsed(),
                _ => self.timing.to_device += start.elapsed(),
            }
            if self.take_replies(link, epoch)? {
                last_reply = Instant::now();
            }
            if until == Until::Still && (!moved || done) {
                return Ok(());
            }
        }
    }

    fn is_window_full(&self) -> bool {
        self.in_flight.len() >= self.limits.window
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

    /// Begins requests while there is room for them in the window and in the output.
    fn begin_requests(&mut self, link: &mut Link, epoch: u32) -> Result<(), CardError> {
        let start = Instant::now();
        while !self.is_window_full() && link.output.backlog() < CHUNK_BYTES {
            let Some(&place) = self.unsent.front() else { break };
            let Some(request) = self.request(place) else { break };
            let progress = Op::begin(request, &self.card).map_err(CardError::Unexpected)?;
            self.unsent.pop_front();
            self.send_step(link, epoch, Flight { place, progress })?;
        }
        self.timing.to_device += start.elapsed();
        Ok(())
    }

    /// Sends a request's next step.
    fn send_step(
        &mut self,
        link: &mut Link,
        epoch: u32,
        flight: Flight<Op>,
    ) -> Result<(), CardError> {
        let Some(request) = self.request(flight.place) else { return Ok(()) };
        let number = self.next_number;
        let mut frame = FrameWriter::new(link.output.frames(), Op::COMMAND.code());
        frame.u64(Epochs::index(epoch, number));
        Op::write_step(request, &flight.progress, &mut frame);
        let limit = MAX_FRAME_BYTES.min(self.card.max_frame_bytes as usize);
        frame.finish_with_checksum(limit)?;
        self.next_number += 1;
        self.in_flight.insert(number, flight);
        Ok(())
    }

    /// Takes what came while the session was not at work.
    fn read_letters(&mut self, link: &mut Link, epoch: u32) -> Result<(), CardError> {
        for letter in link.take_letters(epoch) {
            let flight = self.accept(letter.command, letter.number, epoch, &letter.payload)?;
            if let Some(flight) = flight {
                self.send_step(link, epoch, flight)?;
            }
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
                    if let Some(flight) = self.accept(command, number, epoch, payload)? {
                        self.send_step(link, epoch, flight)?;
                    }
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

    /// Takes a reply, given its payload before the checksum: its flight where another step
    /// follows.
    fn accept(
        &mut self,
        command: Command,
        number: u64,
        epoch: u32,
        payload: &[u8],
    ) -> Result<Option<Flight<Op>>, CardError> {
        if self.in_flight.is_empty() && number < self.next_number {
            tracing::debug!(number, "a second reply skipped");
            return Ok(None);
        }
        let flight = self.in_flight.remove(&number).filter(|_| command == Op::COMMAND);
        let mut flight = flight.ok_or_else(|| not_in_flight(Epochs::index(epoch, number)))?;
        let place = flight.place;
        let Some(request) = self.request(place) else { return Ok(None) };
        let payload = payload.get(INDEX_BYTES..).unwrap_or_default();
        match Op::accept_reply(request, &mut flight.progress, payload) {
            Ok(Some(reply)) => {
                self.answered += 1;
                self.supply(place, reply);
                Ok(None)
            }
            Ok(None) => Ok(Some(flight)),
            Err(reason) => {
                let request_index = self.number_of(place);
                // It has no reply yet, and is among those to be sent again.
                self.in_flight.insert(number, flight);
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
