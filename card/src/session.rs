// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Batches on a card whose replies are awaited later.

use halimede_arith::job::{Batch, DeviceError, Timing};

use crate::batches::Place;
use crate::card::Card;
use crate::error::CardError;
use crate::flow::{Flow, Until};
use crate::wire::WireOperation;

/// Batches that are handed in one after the other and collected in the same order. The card's
/// window stays full as long as enough requests have been handed in.
///
/// A failure is followed by a reset of the card, and loses no request: those that were in flight
/// are sent again by the next call, unless [`Self::withdraw`] takes them out. Other sessions and
/// batches may use the card meanwhile; replies find their session.
pub struct CardSession<'c, Op: WireOperation> {
    card: &'c Card,
    flow: Flow<Op>,
    /// The next call goes on with the one that failed, and ends when that had to end.
    carries_on: bool,
}

impl<'c, Op: WireOperation> CardSession<'c, Op> {
    pub(crate) fn new(card: &'c Card, retries: usize) -> Self {
        let flow = Flow::new(*card.opening_status(), card.limits(retries));
        Self { card, flow, carries_on: false }
    }

    /// Makes the next call part of the one that has failed: both end within the time that one
    /// has.
    pub fn carry_on(&mut self) {
        self.carries_on = true;
    }

    /// Hands in a batch, without sending it yet. Gives the places of the requests that the card
    /// cannot do, which [`Self::supply`] must give their replies.
    pub fn submit(&mut self, requests: &[Op::Request]) -> Vec<Place> {
        self.flow.submit(requests)
    }

    /// Sends and receives what can be without waiting, but for the rest of a message that has been
    /// begun.
    ///
    /// # Errors
    /// [`CardError`]: the card failed, and has been reset or given up.
    pub fn advance(&mut self) -> Result<(), CardError> {
        match self.flow.outstanding() {
            0 => Ok(()),
            _ => self.drive(Until::Still),
        }
    }

    /// Waits until the oldest batch has its replies. Where they came without a checksum, a status
    /// then shows that the stream is in step behind the batch's requests: none of them was cut.
    ///
    /// # Errors
    /// As [`Self::advance`].
    pub fn settle(&mut self) -> Result<(), CardError> {
        loop {
            if !self.flow.is_oldest_settled() {
                self.drive(Until::Oldest)?;
            }
            let is_checked = self.unchecked().next().is_none();
            if is_checked {
                return Ok(());
            }
            self.drive(Until::Status)?;
            // Where another session's failure has reset the card, the replies were taken back.
            if self.flow.is_oldest_settled() {
                return Ok(());
            }
        }
    }

    /// Requests without a reply.
    pub fn outstanding(&self) -> usize {
        self.flow.outstanding()
    }

    /// The oldest batch's replies, waited for; `None` where no batch is left.
    ///
    /// # Errors
    /// As [`Self::advance`]. The batch is still there.
    pub fn collect(&mut self) -> Result<Option<Vec<Op::Reply>>, CardError> {
        self.settle()?;
        Ok(self.take())
    }

    /// The oldest batch's replies, after [`Self::settle`].
    pub fn take(&mut self) -> Option<Vec<Op::Reply>> {
        self.flow.take_oldest().map(|replies| replies.into_iter().flatten().collect())
    }

    /// The requests of the oldest batch whose replies came without a checksum, with these.
    pub fn unchecked(&self) -> impl Iterator<Item = (Place, &Op::Request, &Op::Reply)> {
        self.flow.batches().oldest_provisional()
    }

    /// Takes back every reply without a checksum that has not been collected, and gives the card
    /// up for this reason.
    pub fn give_up(&mut self, reason: &CardError) {
        self.flow.distrust();
        self.card.give_up(reason);
    }

    /// Where the time went so far, and the card's clocks since the session's first request.
    ///
    /// # Errors
    /// As [`Self::advance`].
    pub fn timing(&mut self) -> Result<Timing, CardError> {
        if self.flow.epoch().is_some() {
            self.drive(Until::Status)?;
        }
        Ok(self.flow.timing())
    }

    /// The same, as of the last time that the card was asked.
    pub fn last_timing(&self) -> Timing {
        self.flow.timing()
    }

    /// True where the call that failed must end: nothing has moved it forward for too long.
    pub fn is_out_of_time(&self) -> bool {
        self.card.at_the_time(|now| self.flow.deadline().is_some_and(|deadline| now >= deadline))
    }

    /// Requests handed in so far.
    pub fn submitted(&self) -> usize {
        self.flow.batches().submitted()
    }

    /// A request's number, counted from the session's first.
    pub fn number_of(&self, place: Place) -> usize {
        self.flow.batches().number_of(place)
    }

    /// Requests that are worth handing in before a batch is collected: two windows.
    pub fn wants_more(&self) -> bool {
        self.flow.outstanding() < 2 * self.card.window()
    }

    /// Takes out the requests that were in flight at the last failure, or with `all` every one
    /// without a reply, oldest first; [`Self::supply`] must give them their replies.
    pub fn withdraw(&mut self, all: bool) -> Vec<Place> {
        self.flow.withdraw(all)
    }

    /// The request at a place.
    pub fn request(&self, place: Place) -> Option<&Op::Request> {
        self.flow.batches().request(place)
    }

    /// The reply to a request that was withdrawn.
    pub fn supply(&mut self, place: Place, reply: Op::Reply) {
        self.flow.supply(place, reply);
    }

    /// Replies that the card has given so far.
    pub fn answered(&self) -> u64 {
        self.flow.answered()
    }

    /// What a failure means to whoever waits for the session's replies.
    pub fn failed(&self, failure: &CardError) -> DeviceError {
        DeviceError::Failed {
            device: self.card.name().to_owned(),
            request_index: self.flow.batches().first_unanswered(),
            requests: self.submitted(),
            reason: failure.to_string(),
        }
    }

    fn drive(&mut self, until: Until) -> Result<(), CardError> {
        if !std::mem::take(&mut self.carries_on) {
            self.flow.begin_call();
        }
        let deadline = self.flow.deadline();
        let flow = &mut self.flow;
        let patience = flow.patience();
        let outcome =
            self.card.control_until(patience, deadline, |link, _| flow.drive(link, until));
        if outcome.is_err() {
            self.flow.distrust();
        }
        outcome
    }
}

impl<Op: WireOperation> Drop for CardSession<'_, Op> {
    fn drop(&mut self) {
        if let Some(epoch) = self.flow.epoch() {
            self.card.end_session(epoch);
        }
    }
}

/// What came of a batch, failures included.
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
    /// Does what the card can of a batch, up to the first failure.
    pub(crate) fn of<Op: WireOperation<Reply = Reply>>(
        card: &Card,
        requests: &[Op::Request],
    ) -> Self {
        let mut attempt =
            Self { replies: vec![], timing: Timing::default(), unsupported: None, failure: None };
        attempt.replies.resize_with(requests.len(), || None);
        let mut session = CardSession::<Op>::new(card, 0);
        let unsupported = session.submit(requests);
        attempt.unsupported = unsupported.first().and_then(|place| {
            let reason = Op::begin(session.request(*place)?, card.opening_status()).err()?;
            Some((session.number_of(*place), reason))
        });
        if unsupported.len() < requests.len() {
            let outcome = session.drive(Until::Idle).and_then(|()| session.drive(Until::Status));
            attempt.failure = outcome.err();
            attempt.timing = session.flow.timing();
            attempt.replies = session.flow.take_oldest().unwrap_or_default();
        }
        attempt
    }

    /// The batch, where every request has a reply. `device` is the card's name, for the error.
    ///
    /// # Errors
    /// [`DeviceError::Failed`], which names the first request without a reply.
    pub fn into_batch(self, device: &str) -> Result<Batch<Reply>, DeviceError> {
        let requests = self.replies.len();
        let Some(request_index) = self.replies.iter().position(Option::is_none) else {
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
