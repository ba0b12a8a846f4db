// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A lane: the waiting requests of one operation, and its turns.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, Weak};
use std::time::Instant;
use std::vec::IntoIter;

use halimede_arith::interface::{Answer, Invalid, Plan};
use halimede_arith::job::{interrupt, DeviceError, Execute, Operation};
use tokio::sync::oneshot;

use super::keeper::Condition;
use super::life::{Life, Turn};
use super::{lock, Queue, Room, Turns};
use crate::charge::Charge;
use crate::refusal::{Reason, Refusal};

/// The properties of a request that matter to the queue.
#[derive(Debug)]
pub struct Work {
    /// The connection of its client, which may have ended.
    pub life: Arc<Life>,
    /// The time after which its answer is useless.
    pub deadline: Instant,
    /// The charge for its memory.
    pub charge: Charge,
}

/// The future outcome of a request: its answers, and the charge for their memory.
pub type Pending = oneshot::Receiver<LaneResult>;

type LaneResult = Result<(Vec<Answer>, Charge), Refusal>;

/// The lane of an operation.
pub struct Lane<Op: Operation> {
    queue: Weak<Queue>,
    place: Arc<dyn Execute<Op> + Send + Sync>,
    waiting: Mutex<Waiting<Op>>,
}

struct Waiting<Op: Operation> {
    tickets: VecDeque<Ticket<Op>>,
    items: usize,
}

/// A client's request in the lane.
struct Ticket<Op: Operation> {
    work: Work,
    since: Instant,
    room: Room,
    requests: IntoIter<Op::Request>,
    replies: Vec<Op::Reply>,
    /// The answers, which bad items already have.
    answers: Vec<Option<Answer>>,
    plan: Arc<Plan<Op>>,
    sender: oneshot::Sender<LaneResult>,
}

impl<Op: Operation> Lane<Op> {
    pub(super) fn new(queue: &Arc<Queue>, place: Arc<dyn Execute<Op> + Send + Sync>) -> Self {
        let waiting = Mutex::new(Waiting { tickets: VecDeque::new(), items: 0 });
        Self { queue: Arc::downgrade(queue), place, waiting }
    }

    /// Puts the good items of a client into the lane.
    ///
    /// # Errors
    /// [`Reason::Queue`] if the queue is full, [`Reason::Ending`] if it is closed.
    pub fn submit(
        &self,
        items: Vec<Result<Op::Request, Invalid>>,
        plan: Arc<Plan<Op>>,
        work: Work,
    ) -> Result<Pending, Refusal> {
        let ending = || Refusal::new(Reason::Ending, "the server is shutting down");
        let queue = self.queue.upgrade().ok_or_else(ending)?;
        let (sender, pending) = oneshot::channel();
        let mut requests = Vec::with_capacity(items.len());
        let answers: Vec<Option<Answer>> = items
            .into_iter()
            .map(|item| match item {
                Ok(request) => {
                    requests.push(request);
                    None
                }
                Err(reason) => Some(Answer::Bad(reason)),
            })
            .collect();
        let (items, since) = (requests.len(), Instant::now());
        if items == 0 {
            // The receiver still exists.
            let _ = sender.send(Ok((answers.into_iter().flatten().collect(), work.charge)));
            return Ok(pending);
        }
        let room = queue.admit(items)?;
        let (requests, replies) = (requests.into_iter(), Vec::with_capacity(items));
        let ticket = Ticket { work, since, room, requests, replies, answers, plan, sender };
        let mut waiting = lock(&self.waiting);
        waiting.tickets.push_back(ticket);
        waiting.items += items;
        drop(waiting);
        queue.notify();
        Ok(pending)
    }

    /// Takes requests from the front of the lane, up to the size of a piece.
    fn take(&self, turn: &Arc<Turn>) -> (Vec<Op::Request>, Vec<Part<Op>>) {
        let piece = self.place.limits().piece;
        let (mut requests, mut parts, mut expired) = (Vec::new(), Vec::new(), Vec::new());
        let mut units = 0usize;
        let mut waiting = lock(&self.waiting);
        while let Some(mut ticket) = waiting.tickets.pop_front() {
            if ticket.work.deadline <= Instant::now() || !ticket.work.life.join(turn) {
                waiting.items -= ticket.requests.len();
                expired.push(ticket);
                continue;
            }
            let mut count = 0;
            while let Some(request) = ticket.requests.as_slice().first() {
                let more = units.saturating_add(Op::units(Op::row(request)));
                if !requests.is_empty() && !piece.holds(requests.len() + 1, more) {
                    break;
                }
                units = more;
                count += 1;
                requests.extend(ticket.requests.next());
            }
            waiting.items -= count;
            if count == 0 {
                ticket.work.life.leave();
                waiting.tickets.push_front(ticket);
                break;
            }
            let is_whole = ticket.requests.as_slice().is_empty();
            parts.push(Part { ticket, count });
            if !is_whole {
                break;
            }
        }
        // Dropping a ticket takes the lock of the queue, which must be taken before that of the
        // lane.
        drop(waiting);
        let refusal = Refusal::new(Reason::Deadline, "the deadline has passed");
        expired.into_iter().for_each(|ticket| ticket.refuse(&refusal));
        (requests, parts)
    }

    /// Executes requests at the place.
    fn execute(
        &self,
        turn: &Turn,
        requests: &[Op::Request],
        queue: &Queue,
    ) -> Result<Op::Replies, DeviceError> {
        let start = Instant::now();
        let execute = || self.place.execute(Op::batch(requests));
        let answered = interrupt::by(&turn.interrupt, execute);
        let items = answered.as_ref().map_or(0, |_| requests.len());
        let by_fallback = answered.as_ref().map_or(0, |batch| batch.timing.fallback_requests);
        let failed = queue.device_log.done(Op::NAME, items, by_fallback, start.elapsed());
        if failed > 0 {
            tracing::info!(operation = Op::NAME, failed, "the device answers batches again");
        }
        if items == 0 || by_fallback > 0 {
            queue.keeper.look();
        }
        if let Err(error) = &answered {
            let is_ended = turn.interrupt.load(Ordering::Relaxed);
            if !is_ended && !matches!(error, DeviceError::Unsupported { .. }) {
                // Only the first failure in a row is logged; the counters have the others.
                if queue.device_log.failed(Op::NAME, &error.to_string()) {
                    tracing::error!(operation = Op::NAME, %error, "the device failed");
                }
            }
        }
        answered.map(|answered| answered.replies)
    }

    /// Executes each part separately: the device does not support a request of one of them.
    fn execute_apart(
        &self,
        turn: &Turn,
        requests: &[Op::Request],
        parts: Vec<Part<Op>>,
        queue: &Queue,
    ) {
        let mut start = 0;
        for part in parts {
            let end = start + part.count;
            match self.execute(turn, &requests[start..end], queue) {
                Ok(replies) => self.hand_out(replies.into_iter(), vec![part], queue),
                Err(error) => part.ticket.refuse(&of_device(&error, queue)),
            }
            start = end;
        }
    }

    /// Gives each part its replies, and puts incomplete parts back into the lane.
    fn hand_out(
        &self,
        mut replies: impl Iterator<Item = Op::Reply>,
        parts: Vec<Part<Op>>,
        queue: &Queue,
    ) {
        for Part { mut ticket, count } in parts {
            ticket.replies.extend(replies.by_ref().take(count));
            ticket.work.life.leave();
            if ticket.requests.as_slice().is_empty() {
                ticket.finish();
            } else {
                // At the front of its lane: a large batch alternates with other lanes only.
                lock(&self.waiting).tickets.push_front(ticket);
                queue.notify();
            }
        }
    }
}

/// The requests of a client in a turn.
struct Part<Op: Operation> {
    ticket: Ticket<Op>,
    count: usize,
}

impl<Op: Operation> Ticket<Op> {
    fn finish(self) {
        let Self { work, replies, answers, plan, sender, room, .. } = self;
        let mut replies = replies.into_iter();
        let answers = answers.into_iter().map(|known| match known {
            Some(known) => known,
            None => match replies.next() {
                Some(reply) => (plan.answer)(reply),
                None => Answer::Bad("the device gave no answer".into()),
            },
        });
        let answers = answers.collect();
        drop(room);
        // Sending fails if the client has disconnected.
        let _ = sender.send(Ok((answers, work.charge)));
    }

    fn refuse(self, refusal: &Refusal) {
        self.work.life.leave();
        drop(self.room);
        let _ = self.sender.send(Err(refusal.clone()));
    }
}

impl<Op: Operation> Turns for Lane<Op> {
    fn ready_at(&self) -> Option<Instant> {
        let waiting = lock(&self.waiting);
        let first = waiting.tickets.front()?;
        let delay = self.queue.upgrade().map(|queue| queue.limits.join_delay).unwrap_or_default();
        // A full turn, or a batch that has begun, does not wait for others.
        let is_full = waiting.items >= self.place.limits().piece.requests;
        let has_begun = !first.replies.is_empty();
        Some(if is_full || has_begun { first.since } else { first.since + delay })
    }

    fn turn(&self, queue: &Queue) {
        let turn = Turn::new();
        let (requests, parts) = self.take(&turn);
        if parts.is_empty() {
            return;
        }
        queue.batches.fetch_add(1, Ordering::Relaxed);
        queue.joined.fetch_add(parts.len(), Ordering::Relaxed);
        match self.execute(&turn, &requests, queue) {
            Ok(replies) => self.hand_out(replies.into_iter(), parts, queue),
            Err(DeviceError::Unsupported { .. }) if parts.len() > 1 => {
                self.execute_apart(&turn, &requests, parts, queue);
            }
            Err(error) => {
                let refusal = of_device(&error, queue);
                parts.into_iter().for_each(|part| part.ticket.refuse(&refusal));
            }
        }
    }

    fn give_up(&self, refusal: &Refusal) {
        let mut waiting = lock(&self.waiting);
        waiting.items = 0;
        let tickets = std::mem::take(&mut waiting.tickets);
        drop(waiting);
        tickets.into_iter().for_each(|ticket| ticket.refuse(refusal));
    }

    fn name(&self) -> &'static str {
        Op::NAME
    }
}

fn of_device(error: &DeviceError, queue: &Queue) -> Refusal {
    if matches!(error, DeviceError::Unsupported { .. }) {
        return Refusal::new(Reason::Unsupported, error.to_string());
    }
    match queue.keeper.condition() {
        Condition::Failed { next: Some(next), .. } => {
            let pause = next.saturating_duration_since(Instant::now());
            Refusal::for_now(Reason::Device, error.to_string(), pause)
        }
        _ => Refusal::new(Reason::Device, error.to_string()),
    }
}
