// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A batch on its way through a card: many requests in flight, replies in any order.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use halimede_arith::job::{Batch, DeviceError, Timing};

use crate::command::{require_reply, Status};
use crate::epoch::Index;
use crate::error::CardError;
use crate::frame::{u64_at, FrameWriter};
use crate::link::Link;
use crate::spec::MAX_FRAME_BYTES;
use crate::transport::CHUNK_BYTES;
use crate::wire::WireOperation;

/// The index at the start of every request's and reply's payload.
const INDEX_BYTES: usize = 8;

/// What came of a batch: all that a fallback needs to finish it.
#[derive(Debug)]
pub struct Attempt<Reply> {
    /// The replies that came, each at its request's place.
    pub replies: Vec<Option<Reply>>,
    /// Where the time went.
    pub timing: Timing,
    /// The first request that this card cannot do, and why. Such requests were left out.
    pub unsupported: Option<(usize, String)>,
    /// Why the requests without a reply, other than those, have none.
    pub failure: Option<CardError>,
}

impl<Reply> Attempt<Reply> {
    /// Before anything was sent.
    pub(crate) fn new(requests: usize) -> Self {
        let mut replies = Vec::new();
        replies.resize_with(requests, || None);
        Self { replies, timing: Timing::default(), unsupported: None, failure: None }
    }

    /// The first request without a reply.
    pub fn first_unanswered(&self) -> Option<usize> {
        self.replies.iter().position(Option::is_none)
    }

    /// The batch, where every request has a reply. `device` is the card's name, for the error.
    ///
    /// # Errors
    /// [`DeviceError::Failed`], which names the first request without a reply.
    pub fn into_batch(self, device: &str) -> Result<Batch<Reply>, DeviceError> {
        let requests = self.replies.len();
        let Some(request_index) = self.first_unanswered() else {
            let replies = self.replies.into_iter().flatten().collect();
            return Ok(Batch { replies, timing: self.timing });
        };
        let reason = match self.failure {
            Some(failure) => failure.to_string(),
            None => "no reply".into(),
        };
        Err(DeviceError::Failed { device: device.to_owned(), request_index, requests, reason })
    }
}

/// Limits of a run, at least one request in flight.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Longest time without a reply.
    pub time: Duration,
    /// Most requests in flight.
    pub window: usize,
}

/// A request in flight.
struct Flight<Op: WireOperation> {
    request_index: usize,
    progress: Op::Progress,
}

struct Run<'a, Op: WireOperation> {
    link: &'a mut Link,
    card: &'a Status,
    limits: Limits,
    requests: &'a [Op::Request],
    /// The first request that has not been begun.
    next_request: usize,
    /// Number of the next frame.
    next_number: u64,
    /// By the number of the frame whose reply is awaited.
    in_flight: HashMap<u64, Flight<Op>>,
    attempt: Attempt<Op::Reply>,
    /// The request whose reply came last.
    last_answered: Option<usize>,
    /// When the link had taken all there was to send, last.
    sent_at: Instant,
    /// Time spent on replies since then.
    decoding: Duration,
}

/// Sends the requests through the link and collects the replies. The card is asked for its status
/// before and after: that shows that the stream is in step, and counts the clocks between.
pub(crate) fn run<Op: WireOperation>(
    link: &mut Link,
    limits: Limits,
    requests: &[Op::Request],
) -> Attempt<Op::Reply> {
    link.epochs.advance();
    let card = match link.status(limits.time) {
        Ok(status) => status,
        Err(error) => {
            let mut attempt = Attempt::new(requests.len());
            attempt.failure = Some(error);
            return attempt;
        }
    };
    let start = Instant::now();
    let mut run = Run::<Op> {
        link,
        card: &card,
        limits,
        requests,
        next_request: 0,
        next_number: 0,
        in_flight: HashMap::new(),
        attempt: Attempt::new(requests.len()),
        last_answered: None,
        sent_at: start,
        decoding: Duration::ZERO,
    };
    let outcome = run.drive();
    let timing = &mut run.attempt.timing;
    timing.to_device = run.sent_at - start;
    timing.compute = run.sent_at.elapsed().saturating_sub(run.decoding);
    timing.from_device = run.decoding;
    match outcome.and_then(|()| run.link.status(limits.time)) {
        Ok(after) => run.attempt.timing.card_clocks = after.clocks.checked_sub(card.clocks),
        Err(failure) => run.fail(failure),
    }
    run.attempt
}

impl<Op: WireOperation> Run<'_, Op> {
    fn drive(&mut self) -> Result<(), CardError> {
        let mut last_reply = Instant::now();
        loop {
            self.begin_requests()?;
            if self.in_flight.is_empty() {
                return Ok(());
            }
            let backlog = self.link.output.backlog();
            let limit = self.limits.time + self.link.transport().transfer_time(backlog);
            let left = limit.saturating_sub(last_reply.elapsed());
            if left.is_zero() {
                let awaited = format!("reply; {} requests in flight", self.in_flight.len());
                return Err(CardError::TimedOut { awaited, limit });
            }
            self.link.exchange(left)?;
            if backlog > 0 && self.link.output.backlog() == 0 {
                self.sent_at = Instant::now();
                self.decoding = Duration::ZERO;
            }
            if self.collect_replies()? {
                last_reply = Instant::now();
            }
        }
    }

    /// Notes the failure and takes back the reply before it where the stream may be out of step.
    ///
    /// Where the link lost bytes of a frame, the decoder has completed it with the beginning of
    /// the next, and only what it then found in place of a header shows that. So a reply counts
    /// once something well-formed has followed it.
    fn fail(&mut self, failure: CardError) {
        let in_step = matches!(failure, CardError::BadReply { .. } | CardError::Ignored { .. });
        if let (false, Some(suspect)) = (in_step, self.last_answered) {
            self.attempt.replies[suspect] = None;
        }
        self.attempt.failure = Some(failure);
    }

    /// Begins requests while there is room for them in the window and in the output.
    fn begin_requests(&mut self) -> Result<(), CardError> {
        while self.in_flight.len() < self.limits.window && self.link.output.backlog() < CHUNK_BYTES
        {
            let request_index = self.next_request;
            let Some(request) = self.requests.get(request_index) else { return Ok(()) };
            self.next_request += 1;
            match Op::begin(request, self.card) {
                Ok(progress) => self.send_step(Flight { request_index, progress })?,
                Err(reason) => {
                    self.attempt.unsupported.get_or_insert((request_index, reason));
                }
            }
        }
        Ok(())
    }

    /// Sends a request's next step.
    fn send_step(&mut self, flight: Flight<Op>) -> Result<(), CardError> {
        let number = self.next_number;
        self.next_number += 1;
        let mut frame = FrameWriter::new(self.link.output.frames(), Op::COMMAND.code());
        frame.u64(self.link.epochs.index(number));
        Op::write_step(&self.requests[flight.request_index], &flight.progress, &mut frame);
        frame.finish(MAX_FRAME_BYTES.min(self.card.max_frame_bytes as usize))?;
        self.in_flight.insert(number, flight);
        Ok(())
    }

    /// Takes the replies that have arrived; true if there was one.
    fn collect_replies(&mut self) -> Result<bool, CardError> {
        let start = Instant::now();
        let mut any = false;
        while let Some((flight, reply)) = self.next_reply()? {
            any = true;
            match reply {
                Some(reply) => {
                    self.attempt.replies[flight.request_index] = Some(reply);
                    self.last_answered = Some(flight.request_index);
                }
                None => {
                    self.last_answered = None;
                    self.send_step(flight)?;
                }
            }
        }
        self.decoding += start.elapsed();
        Ok(any)
    }

    /// The next reply that has arrived while one is awaited, with the request it belongs to: the
    /// request's reply, or `None` where another step follows.
    #[allow(clippy::type_complexity, reason = "a pair, used once")]
    fn next_reply(&mut self) -> Result<Option<(Flight<Op>, Option<Op::Reply>)>, CardError> {
        while !self.in_flight.is_empty() {
            let Some(frame) = self.link.input.next_frame()? else { break };
            require_reply(&frame, Op::COMMAND)?;
            let index = u64_at(frame.payload, 0);
            let number = match self.link.epochs.classify(index) {
                Index::Current(number) => number,
                Index::Stale => {
                    tracing::debug!(index, "late reply skipped");
                    continue;
                }
                Index::Foreign => return Err(not_in_flight(index)),
            };
            let mut flight = self.in_flight.remove(&number).ok_or_else(|| not_in_flight(index))?;
            let request_index = flight.request_index;
            let payload = frame.payload.get(INDEX_BYTES..).unwrap_or_default();
            let request = &self.requests[request_index];
            let reply = Op::accept_reply(request, &mut flight.progress, payload)
                .map_err(|reason| CardError::BadReply { request_index, reason })?;
            return Ok(Some((flight, reply)));
        }
        Ok(None)
    }
}

fn not_in_flight(index: u64) -> CardError {
    CardError::Unexpected(format!("a reply with index {index:#x}, which is not in flight"))
}
