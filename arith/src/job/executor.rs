// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Executors: the interface of a place that runs operations.

use std::collections::VecDeque;

use super::{interrupt, Answered, DeviceError, Ledger, Operation, RequestPosition, Timing};

/// An amount of work: requests, and the units that they consist of (elements, bytes, indices).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Amount {
    /// The number of requests.
    pub requests: usize,
    /// The number of units of all requests together. The operation defines the unit.
    pub units: usize,
}

impl Amount {
    /// No work.
    pub const NONE: Self = Self { requests: 0, units: 0 };

    /// Returns an amount of this number of requests, with any number of units.
    pub const fn of_requests(requests: usize) -> Self {
        Self { requests, units: usize::MAX }
    }

    /// Returns how many requests of `units` units each fit into this amount, at least 1.
    pub fn requests_of(self, units: usize) -> usize {
        self.requests.min(self.units / units.max(1)).max(1)
    }

    /// Returns `true` if a batch of this size fits into this amount.
    pub fn holds(self, requests: usize, units: usize) -> bool {
        requests <= self.requests && units <= self.units
    }
}

/// The limits of an executor: how much work one call should submit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Work that ends before an interrupt would matter; [`Amount::NONE`] if a call may wait.
    pub brief: Amount,
    /// The maximum work of a call that must react to an interrupt soon.
    pub piece: Amount,
    /// The maximum number of requests of a session's batch: in a larger batch, the first replies
    /// wait longer for the last. `None` if the size does not matter.
    pub batch: Option<usize>,
    /// `true` if the place can fail before all requests are answered. Work that must be answered
    /// entirely or not at all must then be one batch.
    pub may_fail: bool,
    /// `true` if an interrupted call ends early.
    pub interruptible: bool,
}

impl Default for Limits {
    /// The limits of an unknown place.
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

/// The capabilities of a place for one operation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Offer {
    /// The names of the instances, modes or parameter sets, if the operation has any.
    pub instances: Vec<String>,
    /// The units of the engine, such as its cores, with their numbers.
    pub units: Vec<(&'static str, u32)>,
}

/// A place that runs an operation.
pub trait Executor<Op: Operation>: Send + Sync {
    /// Returns how much work one call should submit.
    fn limits(&self) -> Limits;

    /// Returns the capabilities of the place for the operation; `None` if it supports no request,
    /// or should not be listed.
    fn offer(&self) -> Option<Offer> {
        Some(Offer::default())
    }

    /// Checks that the place can answer every request of the batch. The batch may include requests
    /// whose replies are [known](Operation::known).
    ///
    /// # Errors
    /// The requests that the place cannot answer, in order.
    fn supports(&self, batch: Op::Batch<'_>) -> Result<(), Vec<Unsupported>>;

    /// Answers a batch of supported requests, all or none. The replies are in the order of the
    /// requests.
    ///
    /// # Errors
    /// [`DeviceError`], which names the first request without a reply.
    fn execute(&self, batch: Op::Batch<'_>) -> Result<Answered<Op::Replies>, DeviceError>;

    /// Opens a set of batches whose replies the caller collects later. The caller goes on after up
    /// to `retries` consecutive failures. [`AtOnce`] suits a place that has no link to keep busy.
    fn attempts(&self, retries: usize) -> Box<dyn Attempts<Op> + '_>;

    /// Computes the reply on this processor, to check samples of replies that have no checksum.
    fn recompute(&self, _row: Op::Row<'_>) -> Option<Op::Reply> {
        None
    }
}

/// A request that a place cannot answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// The number of the request in the batch.
    pub request: usize,
    /// A sentence about the missing capability.
    pub reason: String,
}

impl Unsupported {
    /// Returns the error of a batch whose first unsupported request is this one.
    pub fn error(&self, device: &str, operation: &'static str) -> DeviceError {
        let reason = format!("request {}: {}", self.request, self.reason);
        DeviceError::Unsupported { device: device.to_owned(), operation, reason }
    }
}

/// The consequence of a failure for a caller who waits for replies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// A retry may succeed.
    Passing,
    /// The place does not answer any more.
    Final,
    /// The caller interrupted the work.
    Interrupted,
}

/// The reason why an executor stopped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Failure {
    /// A sentence about the failure.
    pub reason: String,
    /// The consequence.
    pub kind: FailureKind,
}

/// The requests in progress at a place. Their batches are in the caller's [`Ledger`]. A failure
/// loses no request: the next call sends those that were in flight again, unless [`Self::withdraw`]
/// has removed them.
pub trait Attempts<Op: Operation>: Send {
    /// Adds requests of one batch. The place supports them, and they have no replies.
    fn submit(&mut self, places: Vec<RequestPosition>);

    /// Does everything that can be done without waiting.
    ///
    /// # Errors
    /// [`Failure`].
    fn advance(&mut self, ledger: &mut Ledger<Op>) -> Result<(), Failure>;

    /// Waits until the oldest batch has all its replies.
    ///
    /// # Errors
    /// [`Failure`].
    fn settle(&mut self, ledger: &mut Ledger<Op>) -> Result<(), Failure>;

    /// Returns the number of requests without a reply.
    fn outstanding(&self) -> usize;

    /// Returns the number of replies that the place has sent so far.
    fn answered(&self) -> u64;

    /// Returns `true` if the place profits more from another batch than from waiting for one.
    fn wants_more(&self, ledger: &Ledger<Op>) -> bool;

    /// Removes and returns the requests that were in flight at the last failure, or with `all`
    /// every request without a reply, oldest first. The caller then supplies their replies
    /// ([`Ledger::supply`]).
    fn withdraw(&mut self, all: bool) -> Vec<RequestPosition>;

    /// Makes the next call part of the call that failed: the two share its time limit.
    fn carry_on(&mut self) {}

    /// Returns `true` if the failed call must end: it has made no progress for too long.
    fn is_out_of_time(&self) -> bool {
        false
    }

    /// Takes back every provisional reply and stops using the place, for this reason.
    fn give_up(&mut self, _ledger: &mut Ledger<Op>, _reason: &str) {}

    /// Returns the time spent so far, by phase.
    ///
    /// # Errors
    /// [`Failure`]. [`Self::last_timing`] is still available then.
    fn timing(&mut self, _ledger: &mut Ledger<Op>) -> Result<Timing, Failure> {
        Ok(self.last_timing())
    }

    /// Returns the result of the last call of [`Self::timing`].
    fn last_timing(&self) -> Timing;
}

/// [`Attempts`] of a place that answers each batch when it is asked.
pub struct AtOnce<'e, E> {
    executor: &'e E,
    /// The requests to ask, grouped by batch.
    pending: VecDeque<Vec<RequestPosition>>,
    answered: u64,
    timing: Timing,
}

impl<'e, E> AtOnce<'e, E> {
    /// Returns attempts without batches.
    pub fn new(executor: &'e E) -> Self {
        Self { executor, pending: VecDeque::new(), answered: 0, timing: Timing::default() }
    }

    /// Asks for the replies to the requests of a batch.
    fn ask<Op: Operation>(
        &mut self,
        ledger: &mut Ledger<Op>,
        places: &[RequestPosition],
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
    fn submit(&mut self, places: Vec<RequestPosition>) {
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

    /// After a failure, all requests of the batch are in flight.
    fn withdraw(&mut self, all: bool) -> Vec<RequestPosition> {
        match all {
            true => self.pending.drain(..).flatten().collect(),
            false => self.pending.pop_front().unwrap_or_default(),
        }
    }

    fn last_timing(&self) -> Timing {
        self.timing
    }
}
