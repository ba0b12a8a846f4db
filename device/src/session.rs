// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A session on a card that tries again after a failure, and has a fallback finish what fails.

use std::time::Duration;

use halimede_arith::job::{Compute, DeviceError, Execute, Session, Timing};
use halimede_card::wire::WireOperation;
use halimede_card::{Card, CardError, CardSession, Place};

use crate::device::Device;

/// One in so many replies without a checksum is checked on this processor, and one of every
/// batch.
const SAMPLE: usize = 16;

/// Part of a card's window that a batch should have: small enough for a batch's replies to come
/// while the next is under way, large enough to be worth handing in.
const BATCHES_A_WINDOW: usize = 4;

/// See the module.
pub(crate) struct DeviceSession<'d, Op: WireOperation> {
    card: &'d Card,
    session: CardSession<'d, Op>,
    fallback: Option<&'d Device>,
    /// Failures in a row, none of the requests answered in between, that are followed by another
    /// try.
    retries: usize,
    failures: usize,
    /// Replies of the card at the last failure.
    answered: u64,
    /// Where samples begin.
    phase: u64,
    /// What the fallback did.
    fallback_requests: usize,
    fallback_time: Duration,
}

impl<'d, Op: Compute + WireOperation> DeviceSession<'d, Op> {
    pub fn new(card: &'d Card, fallback: Option<&'d Device>, retries: usize) -> Self {
        Self {
            card,
            session: card.session_with_retries(retries),
            fallback,
            retries,
            failures: 0,
            answered: 0,
            phase: card.seed(),
            fallback_requests: 0,
            fallback_time: Duration::ZERO,
        }
    }

    /// Does something with the card, again after each failure that allows it.
    fn persist<T>(
        &mut self,
        act: impl Fn(&mut CardSession<'d, Op>) -> Result<T, CardError>,
    ) -> Result<T, DeviceError> {
        loop {
            match act(&mut self.session) {
                Ok(done) => return Ok(done),
                Err(failure) => self.recover(&failure)?,
            }
        }
    }

    /// Decides what a failure leads to: another try, the fallback, or an error.
    fn recover(&mut self, failure: &CardError) -> Result<(), DeviceError> {
        if matches!(failure, CardError::Interrupted) {
            return Err(self.session.failed(failure));
        }
        if self.session.outstanding() == 0 {
            // It struck when every reply was there.
            return Ok(());
        }
        self.session.carry_on();
        let answered = self.session.answered();
        if answered > self.answered {
            self.failures = 0;
            self.answered = answered;
        }
        self.failures += 1;
        let is_lost = matches!(failure, CardError::GivenUp { .. }) || self.session.is_out_of_time();
        if !is_lost && self.failures <= self.retries {
            tracing::warn!(%failure, "the card is tried again");
            return Ok(());
        }
        if self.fallback.is_none() {
            return Err(self.session.failed(failure));
        }
        let mut places = self.session.withdraw(is_lost);
        if places.is_empty() {
            // It does not even take a request.
            places = self.session.withdraw(true);
        }
        if places.is_empty() {
            return Err(self.session.failed(failure));
        }
        self.fall_back(&places, &failure.to_string())
    }

    /// The first reply of a sample of the oldest batch that is not what this processor gives; of
    /// replies with a checksum there is no sample.
    fn find_disagreement(&self) -> Option<CardError> {
        let mut unchecked = self.session.unchecked().peekable();
        let (first, ..) = unchecked.peek()?;
        // Which ones, nobody can tell who only sees the link.
        let phase = self.phase.wrapping_add(self.session.number_of(*first) as u64);
        let phase = (phase.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize;
        let count = self.session.unchecked().count();
        let one_of_batch = phase % count.max(1);
        let wrong = unchecked.enumerate().find(|(number, (_, request, reply))| {
            let is_in_sample = number % SAMPLE == phase % SAMPLE || *number == one_of_batch;
            is_in_sample && Op::compute(request) != **reply
        });
        let (_, (place, ..)) = wrong?;
        Some(CardError::Disagreement { request_index: self.session.number_of(place) })
    }

    /// Has the fallback answer these requests.
    fn fall_back(&mut self, places: &[Place], reason: &str) -> Result<(), DeviceError> {
        let Some(fallback) = self.fallback else { return Ok(()) };
        let requests: Vec<Op::Request> =
            places.iter().filter_map(|place| self.session.request(*place)).cloned().collect();
        if requests.is_empty() {
            return Ok(());
        }
        let count = requests.len();
        tracing::warn!(count, reason, fallback = fallback.name(), "requests go to the fallback");
        let batch = Execute::<Op>::execute(fallback, &requests)
            .map_err(|error| self.renumber(error, places))?;
        for (place, reply) in places.iter().zip(batch.replies) {
            self.session.supply(*place, reply);
        }
        let timing = batch.timing;
        self.fallback_time += timing.to_device + timing.compute + timing.from_device;
        self.fallback_requests += count;
        Ok(())
    }

    /// Names the request by its place in the whole session where a fallback failed.
    fn renumber(&self, error: DeviceError, places: &[Place]) -> DeviceError {
        match error {
            DeviceError::Failed { device, request_index, reason, .. } => {
                let place = places.get(request_index);
                let request_index = place.map_or(0, |place| self.session.number_of(*place));
                let requests = self.session.submitted();
                DeviceError::Failed { device, request_index, requests, reason }
            }
            other => other,
        }
    }

    /// What the card cannot do, by place; an error without a fallback.
    fn submit_supported(&mut self, requests: &[Op::Request]) -> Result<(), DeviceError> {
        if self.fallback.is_none() {
            self.card.require_supported::<Op>(requests)?;
        }
        let unsupported = self.session.submit(requests);
        self.fall_back(&unsupported, "the card does not have what they need")
    }
}

impl<Op: Compute + WireOperation> Session<Op> for DeviceSession<'_, Op> {
    fn batch_requests(&self) -> Option<usize> {
        Some((self.card.window() / BATCHES_A_WINDOW).max(1))
    }

    fn wants_more(&self) -> bool {
        self.session.wants_more()
    }

    fn submit(&mut self, requests: &[Op::Request]) -> Result<(), DeviceError> {
        self.submit_supported(requests)?;
        self.persist(CardSession::advance)
    }

    fn collect(&mut self) -> Result<Option<Vec<Op::Reply>>, DeviceError> {
        loop {
            self.persist(CardSession::settle)?;
            let Some(disagreement) = self.find_disagreement() else { break };
            self.session.give_up(&disagreement);
            self.recover(&disagreement)?;
        }
        Ok(self.session.take())
    }

    fn timing(&mut self) -> Result<Timing, DeviceError> {
        // Clocks are not worth a failure: every reply may be there.
        let mut timing = match self.session.timing() {
            Ok(timing) => timing,
            Err(failure) => {
                tracing::warn!(%failure, "the card's clocks are not known");
                self.session.last_timing()
            }
        };
        timing.compute += self.fallback_time;
        timing.fallback_requests += self.fallback_requests;
        Ok(timing)
    }
}
