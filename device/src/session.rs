// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A session over any executor that may fail: it retries after a failure, lets a fallback finish
//! failed requests, and checks samples of replies without a checksum.

use std::time::Duration;

use halimede_arith::job::{
    Attempts, DeviceError, Execute, Executor, Failure, FailureKind, Ledger, Operation,
    RequestPosition, Session, Timing,
};

use crate::device::Device;
use crate::notices::Cause;

/// One of this number of replies without a checksum is checked on this processor, and at least one
/// per batch.
const SAMPLE: usize = 16;

/// A session with retries, fallback and samples.
pub(crate) struct DeviceSession<'d, Op: Operation> {
    device: &'d Device,
    executor: &'d dyn Executor<Op>,
    attempts: Box<dyn Attempts<Op> + 'd>,
    /// The batches that have not been collected.
    ledger: Ledger<Op>,
    /// The number of consecutive failures without a reply in between.
    failures: usize,
    /// The number of replies at the last failure.
    answered: u64,
    /// The number of requests that the fallback answered.
    fallback_requests: usize,
    fallback_time: Duration,
}

impl<'d, Op: Operation> DeviceSession<'d, Op> {
    pub fn new(device: &'d Device, executor: &'d dyn Executor<Op>) -> Self {
        Self {
            device,
            executor,
            attempts: executor.attempts(device.retries),
            ledger: Ledger::new(),
            failures: 0,
            answered: 0,
            fallback_requests: 0,
            fallback_time: Duration::ZERO,
        }
    }

    /// Returns `true` if the device failed, even if a retry helped.
    pub fn has_failed(&self) -> bool {
        self.failures > 0
    }

    /// Runs work on the place, and retries it after each failure that allows a retry.
    fn persist(
        &mut self,
        act: impl Fn(&mut (dyn Attempts<Op> + 'd), &mut Ledger<Op>) -> Result<(), Failure>,
    ) -> Result<(), DeviceError> {
        loop {
            match act(&mut *self.attempts, &mut self.ledger) {
                Ok(()) => return Ok(()),
                Err(failure) => self.recover(&failure)?,
            }
        }
    }

    /// Decides how to handle a failure: by a retry, the fallback, or an error.
    fn recover(&mut self, failure: &Failure) -> Result<(), DeviceError> {
        if failure.kind == FailureKind::Interrupted {
            return Err(self.failed(failure));
        }
        if self.attempts.outstanding() == 0 {
            // All replies had already arrived.
            return Ok(());
        }
        self.attempts.carry_on();
        let answered = self.attempts.answered();
        if answered > self.answered {
            self.failures = 0;
            self.answered = answered;
        }
        self.failures += 1;
        let is_lost = failure.kind == FailureKind::Final || self.attempts.is_out_of_time();
        if !is_lost && self.failures <= self.device.retries {
            tracing::warn!(%failure, "retrying the device");
            return Ok(());
        }
        if self.device.fallback.is_none() {
            return Err(self.failed(failure));
        }
        let mut places = self.attempts.withdraw(is_lost);
        if places.is_empty() {
            // The device does not even accept a request.
            places = self.attempts.withdraw(true);
        }
        if places.is_empty() {
            return Err(self.failed(failure));
        }
        self.fall_back(&places, Cause::Failed, &failure.reason)
    }

    /// Converts a failure to the error for the caller of the session.
    fn failed(&self, failure: &Failure) -> DeviceError {
        DeviceError::Failed {
            device: self.device.name().to_owned(),
            request_index: self.ledger.first_unanswered(),
            requests: self.ledger.submitted(),
            reason: failure.reason.clone(),
        }
    }

    /// Compares a sample of the oldest batch's replies with this processor's, and returns the first
    /// difference. Replies with a checksum are not sampled.
    fn find_disagreement(&self) -> Option<Failure> {
        let ledger = &self.ledger;
        let mut unchecked = ledger.oldest_provisional().peekable();
        let (first, ..) = unchecked.peek()?;
        // An observer of the link cannot predict the sample.
        let phase = self.device.phase.wrapping_add(ledger.number_of(*first) as u64);
        let phase = (phase.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize;
        let count = ledger.oldest_provisional().count();
        let one_of_batch = phase % count.max(1);
        let wrong = unchecked.enumerate().find(|(number, (_, row, reply))| {
            let is_in_sample = number % SAMPLE == phase % SAMPLE || *number == one_of_batch;
            is_in_sample && self.executor.recompute(*row).is_some_and(|own| own != **reply)
        });
        let (_, (place, ..)) = wrong?;
        let number = ledger.number_of(place);
        let reason = format!("the reply to request {number} differs from the processor's");
        Some(Failure { reason, kind: FailureKind::Passing })
    }

    /// Sends these requests to the fallback.
    fn fall_back(
        &mut self,
        places: &[RequestPosition],
        cause: Cause,
        reason: &str,
    ) -> Result<(), DeviceError> {
        let Some(fallback) = self.device.fallback.as_deref() else { return Ok(()) };
        let requests: Vec<Op::Request> =
            places.iter().filter_map(|place| self.ledger.request(*place)).cloned().collect();
        if requests.is_empty() {
            return Ok(());
        }
        let count = requests.len();
        if self.device.notices.begins(Op::NAME, cause) {
            let (operation, fallback) = (Op::NAME, fallback.name());
            tracing::warn!(operation, reason, fallback, "requests go to the fallback from now on");
        }
        let answered = Execute::<Op>::execute(fallback, Op::batch(&requests))
            .map_err(|error| self.renumber(error, places))?;
        for (place, reply) in places.iter().zip(answered.replies) {
            self.ledger.supply(*place, reply);
        }
        let timing = answered.timing;
        self.fallback_time += timing.to_device + timing.compute + timing.from_device;
        self.fallback_requests += count;
        Ok(())
    }

    /// Replaces the number of the request in a fallback's error by its place in the whole session.
    fn renumber(&self, error: DeviceError, places: &[RequestPosition]) -> DeviceError {
        match error {
            DeviceError::Failed { device, request_index, reason, .. } => {
                let ledger = &self.ledger;
                let place = places.get(request_index);
                let request_index = place.map_or(0, |place| ledger.number_of(*place));
                let requests = ledger.submitted();
                DeviceError::Failed { device, request_index, requests, reason }
            }
            other => other,
        }
    }
}

impl<Op: Operation> Session<Op> for DeviceSession<'_, Op> {
    fn wants_more(&self) -> bool {
        self.attempts.wants_more(&self.ledger)
    }

    /// Requests that the place does not support go to the fallback; without one, they are an error.
    fn submit(&mut self, batch: Op::Batch<'_>) -> Result<(), DeviceError> {
        let unsupported = self.executor.supports(batch).err().unwrap_or_default();
        if let (None, Some(first)) = (&self.device.fallback, unsupported.first()) {
            return Err(first.error(self.device.name(), Op::NAME));
        }
        let mut places: Vec<RequestPosition> = self.ledger.push(batch).collect();
        let unsupported: Vec<RequestPosition> =
            unsupported.iter().filter_map(|lacks| places.get(lacks.request).copied()).collect();
        // In the order of their places, as `unsupported`.
        places.retain(|place| {
            unsupported.binary_search(place).is_err() && !self.ledger.has_reply(*place)
        });
        self.attempts.submit(places);
        self.fall_back(&unsupported, Cause::Lacks, "the device does not support them")?;
        self.persist(|attempts, ledger| attempts.advance(ledger))
    }

    fn collect(&mut self) -> Result<Option<Op::Replies>, DeviceError> {
        loop {
            self.persist(|attempts, ledger| attempts.settle(ledger))?;
            let Some(disagreement) = self.find_disagreement() else { break };
            self.attempts.give_up(&mut self.ledger, &disagreement.reason);
            self.recover(&disagreement)?;
        }
        let replies = self.ledger.take_oldest();
        let is_own = self.fallback_requests == 0 && replies.is_some();
        if is_own && self.device.notices.answered(Op::NAME) {
            tracing::info!(operation = Op::NAME, "the device answers again");
        }
        Ok(replies.map(|replies| replies.into_iter().flatten().collect()))
    }

    fn timing(&mut self) -> Result<Timing, DeviceError> {
        // A missing count of clocks is not a failure: all replies may have arrived.
        let mut timing = match self.attempts.timing(&mut self.ledger) {
            Ok(timing) => timing,
            Err(failure) => {
                tracing::warn!(%failure, "cannot read the device's clocks");
                self.attempts.last_timing()
            }
        };
        timing.compute += self.fallback_time;
        timing.fallback_requests += self.fallback_requests;
        Ok(timing)
    }
}
