// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Executors: the interface that a place to run implements.

use std::collections::VecDeque;

use super::{interrupt, Answered, DeviceError, Ledger, Operation, Place, Timing};

/// An amount of work: requests, and the units that they are made of (elements, bytes, indices).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Amount {
    /// Requests.
    pub requests: usize,
    /// Units of all requests together; what a unit is, the operation says.
    pub units: usize,
}

impl Amount {
    /// No work.
    pub const NONE: Self = Self { requests: 0, units: 0 };

    /// This number of requests, with any number of units.
    pub const fn of_requests(requests: usize) -> Self {
        Self { requests, units: usize::MAX }
    }

    /// How many requests of `units` units each fit into this amount, at least one.
    pub fn requests_of(self, units: usize) -> usize {
        self.requests.min(self.units / units.max(1)).max(1)
    }

    /// Whether this amount is at least that much work.
    pub fn holds(self, requests: usize, units: usize) -> bool {
        requests <= self.requests && units <= self.units
    }
}

/// The limits of an executor: how much work to ask for at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Work that ends before an interrupt would matter; [`Amount::NONE`] where a call may wait.
    pub brief: Amount,
    /// The most work of a call that must react to an interrupt soon.
    pub piece: Amount,
    /// Requests of a session's batch, at most: with more, a batch's first replies wait longer for
    /// its last. `None` where it does not matter.
    pub batch: Option<usize>,
    /// Whether the place can fail before all is answered. Work that must be answered whole or not
    /// at all must then be one batch.
    pub may_fail: bool,
    /// Whether a call ends early once it is interrupted.
    pub interruptible: bool,
}

impl Default for Limits {
    /// The limits of a place of which nothing is known.
    fn default() -> Self {
        Self {
            brief: Amount::NONE,
            piece: Amount::of_requests(1 << 10),
            batch: None,
            may_fail: true,
            interruptible: false,
        }
    }
}

/// What a place has of an operation, for its list of capabilities.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Offer {
    /// Instances, modes or parameter sets by name, of an operation that has such.
    pub instances: Vec<String>,
    /// Units of the engine, such as its cores, with their numbers.
    pub units: Vec<(&'static str, u32)>,
}

/// A place to run an operation.
pub trait Executor<Op: Operation>: Send + Sync {
    /// How much to ask at once.
    fn limits(&self) -> Limits;

    /// What the place has of the operation; `None` where it supports no request, or is not to be
    /// listed.
    fn offer(&self) -> Option<Offer> {
        Some(Offer::default())
    }

    /// Whether the place can answer the batch. Requests whose replies are
    /// [known](Operation::known) may be among them.
    ///
    /// # Errors
    /// The requests that it cannot answer, in their order.
    fn supports(&self, batch: Op::Batch<'_>) -> Result<(), Vec<Unsupported>>;

    /// Answers a batch of supported requests, all or none; replies stand in the order of the
    /// requests.
    ///
    /// # Errors
    /// [`DeviceError`], which names the first request without a reply.
    fn execute(&self, batch: Op::Batch<'_>) -> Result<Answered<Op::Replies>, DeviceError>;

    /// Batches whose replies are awaited later, by a caller who goes on after `retries` failures in
    /// a row. [`AtOnce`] suits a place without a link to be kept busy.
    fn attempts(&self, retries: usize) -> Box<dyn Attempts<Op> + '_>;

    /// The reply as this processor computes it, to check samples of replies without a checksum.
    fn recompute(&self, _row: Op::Row<'_>) -> Option<Op::Reply> {
        None
    }
}

/// A request that a place cannot answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// Its number in the batch.
    pub request: usize,
    /// What the place lacks, in words.
    pub reason: String,
}

impl Unsupported {
    /// The error of a batch of which this is the first such request.
    pub fn error(&self, device: &str, operation: &'static str) -> DeviceError {
        let reason = format!("request {}: {}", self.request, self.reason);
        DeviceError::Unsupported { device: device.to_owned(), operation, reason }
    }
}

/// The consequence of a failure for a caller who waits for replies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// Another try may end otherwise.
    Passing,
    /// The place answers nothing any more.
    Final,
    /// The caller interrupted the work.
    Interrupted,
}

/// Why an executor stopped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Failure {
    /// What happened.
    pub reason: String,
    /// The consequence.
    pub kind: FailureKind,
}

/// Requests under way at a place; their batches stand in the caller's ledger. A failure loses no
/// request: the next call sends those that were in flight again, unless [`Self::withdraw`] takes
/// them out.
pub trait Attempts<Op: Operation>: Send {
    /// Takes over requests of one batch, which the place supports and which have no replies.
    fn submit(&mut self, places: Vec<Place>);

    /// Does what can be done without waiting.
    ///
    /// # Errors
    /// [`Failure`].
    fn advance(&mut self, ledger: &mut Ledger<Op>) -> Result<(), Failure>;

    /// Waits until the oldest batch has its replies.
    ///
    /// # Errors
    /// [`Failure`].
    fn settle(&mut self, ledger: &mut Ledger<Op>) -> Result<(), Failure>;

    /// Requests without a reply.
    fn outstanding(&self) -> usize;

    /// Replies that the place has given so far.
    fn answered(&self) -> u64;

    /// Whether another batch does more good than waiting for one.
    fn wants_more(&self, ledger: &Ledger<Op>) -> bool;

    /// Takes out the requests that were in flight at the last failure, or with `all` every one
    /// without a reply, oldest first: the caller gives them their replies ([`Ledger::supply`]).
    fn withdraw(&mut self, all: bool) -> Vec<Place>;

    /// Makes the next call part of the one that has failed: both end within the time that one has.
    fn carry_on(&mut self) {}

    /// Whether the call that failed must end: nothing has moved it forward for too long.
    fn is_out_of_time(&self) -> bool {
        false
    }

    /// Takes back every provisional reply and uses the place no more, for this reason.
    fn give_up(&mut self, _ledger: &mut Ledger<Op>, _reason: &str) {}

    /// Where the time went so far.
    ///
    /// # Errors
    /// [`Failure`]; [`Self::last_timing`] is left then.
    fn timing(&mut self, _ledger: &mut Ledger<Op>) -> Result<Timing, Failure> {
        Ok(self.last_timing())
    }

    /// The timing at the last time that the place was asked.
    fn last_timing(&self) -> Timing;
}

/// [`Attempts`] of a place that answers each batch as it is asked.
pub struct AtOnce<'e, E> {
    executor: &'e E,
    /// Requests to be asked, those of a batch together.
    pending: VecDeque<Vec<Place>>,
    answered: u64,
    timing: Timing,
}

impl<'e, E> AtOnce<'e, E> {
    /// Attempts without batches.
    pub fn new(executor: &'e E) -> Self {
        Self { executor, pending: VecDeque::new(), answered: 0, timing: Timing::default() }
    }

    /// Asks requests of a batch.
    fn ask<Op: Operation>(
        &mut self,
        ledger: &mut Ledger<Op>,
        places: &[Place],
    ) -> Result<(), Failure>
    where
        E: Executor<Op>,
    {
        let requests: Vec<Op::Request> =
            places.iter().filter_map(|place| ledger.request(*place)).cloned().collect();
        let failed = |reason: String, kind| Err(Failure { reason, kind });
        let answered = match self.executor.execute(Op::batch(&requests)) {
            Ok(answered) => answered,
            Err(DeviceError::Failed { reason, .. }) => {
                let is_interrupted = interrupt::is_requested() == Some(true);
                let kind =
                    if is_interrupted { FailureKind::Interrupted } else { FailureKind::Passing };
                return failed(reason, kind);
            }
            Err(error) => return failed(error.to_string(), FailureKind::Final),
        };
        let replies = answered.replies.into_iter();
        if replies.len() != places.len() {
            let (got, wanted) = (replies.len(), places.len());
            return failed(format!("{got} replies to {wanted} requests"), FailureKind::Passing);
        }
        self.timing.add(answered.timing);
        for (place, reply) in places.iter().zip(replies) {
            ledger.supply(*place, reply);
            self.answered += 1;
        }
        Ok(())
    }
}

impl<Op: Operation, E: Executor<Op>> Attempts<Op> for AtOnce<'_, E> {
    fn submit(&mut self, places: Vec<Place>) {
        self.pending.push_back(places);
    }

    fn advance(&mut self, ledger: &mut Ledger<Op>) -> Result<(), Failure> {
        while let Some(places) = self.pending.pop_front() {
            if places.is_empty() {
                continue;
            }
            if let Err(failure) = self.ask(ledger, &places) {
                self.pending.push_front(places);
                return Err(failure);
            }
        }
        Ok(())
    }

    fn settle(&mut self, ledger: &mut Ledger<Op>) -> Result<(), Failure> {
        self.advance(ledger)
    }

    fn outstanding(&self) -> usize {
        self.pending.iter().map(Vec::len).sum()
    }

    fn answered(&self) -> u64 {
        self.answered
    }

    fn wants_more(&self, ledger: &Ledger<Op>) -> bool {
        ledger.is_empty()
    }

    /// A failure leaves all of a batch in flight.
    fn withdraw(&mut self, all: bool) -> Vec<Place> {
        match all {
            true => self.pending.drain(..).flatten().collect(),
            false => self.pending.pop_front().unwrap_or_default(),
        }
    }

    fn last_timing(&self) -> Timing {
        self.timing
    }
}
