// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Batches on a card whose replies are awaited later.

use halimede_arith::job::{
    Answered, Attempts, Columns, DeviceError, Failure, Ledger, Place, Timing,
};

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

    /// The oldest batch's replies, waited for; `None` where no batch is left.
    ///
    /// # Errors
    /// As [`Attempts::settle`]. The batch is still there.
    pub fn collect(&mut self) -> Result<Option<Op::Replies>, Failure> {
        self.settle()?;
        Ok(self.take())
    }

    /// [`Attempts::settle`] in the card's words.
    fn settle_card(&mut self) -> Result<(), CardError> {
        loop {
            if !self.flow.is_oldest_settled() {
                self.drive(Until::Oldest)?;
            }
            if self.flow.ledger().oldest_provisional().next().is_none() {
                return Ok(());
            }
            self.drive(Until::Status)?;
            // Where another session's failure has reset the card, the replies were taken back.
            if self.flow.is_oldest_settled() {
                return Ok(());
            }
        }
    }

    fn drive(&mut self, until: Until) -> Result<(), CardError> {
        if !std::mem::take(&mut self.carries_on) {
            self.flow.begin_call();
        }
        let deadline = self.flow.deadline();
        let flow = &mut self.flow;
        let patience = flow.patience();
        let (outcome, deadline) =
            self.card.control_until(patience, deadline, |link, _| flow.drive(link, until));
        self.flow.end_drive(deadline, outcome.is_err());
        outcome
    }
}

impl<Op: WireOperation> Attempts<Op> for CardSession<'_, Op> {
    /// Hands in a batch, without sending it yet.
    fn submit(&mut self, batch: Op::Batch<'_>) -> Vec<Place> {
        self.flow.submit(batch)
    }

    /// Sends and receives what can be without waiting, but for the rest of a message that has been
    /// begun.
    fn advance(&mut self) -> Result<(), Failure> {
        match self.flow.outstanding() {
            0 => Ok(()),
            _ => Ok(self.drive(Until::Still)?),
        }
    }

    /// Where replies came without a checksum, a status shows behind them that the stream is in
    /// step: none of the batch's requests was cut.
    fn settle(&mut self) -> Result<(), Failure> {
        Ok(self.settle_card()?)
    }

    fn take(&mut self) -> Option<Op::Replies> {
        self.flow.take_oldest().map(|replies| replies.into_iter().flatten().collect())
    }

    fn ledger(&self) -> &Ledger<Op> {
        self.flow.ledger()
    }

    fn outstanding(&self) -> usize {
        self.flow.outstanding()
    }

    fn answered(&self) -> u64 {
        self.flow.answered()
    }

    /// Two windows of requests are worth handing in before a batch is collected.
    fn wants_more(&self) -> bool {
        self.flow.outstanding() < 2 * self.card.window()
    }

    fn withdraw(&mut self, all: bool) -> Vec<Place> {
        self.flow.withdraw(all)
    }

    fn supply(&mut self, place: Place, reply: Op::Reply) {
        self.flow.supply(place, reply);
    }

    fn carry_on(&mut self) {
        self.carries_on = true;
    }

    fn is_out_of_time(&self) -> bool {
        self.card.at_the_time(|now| self.flow.deadline().is_some_and(|deadline| now >= deadline))
    }

    fn give_up(&mut self, reason: &str) {
        self.flow.distrust();
        self.card.give_up(reason);
    }

    /// The card is asked for its clocks since the session's first request.
    fn timing(&mut self) -> Result<Timing, Failure> {
        if self.flow.epoch().is_some() {
            self.drive(Until::Status)?;
        }
        Ok(self.flow.timing())
    }

    fn last_timing(&self) -> Timing {
        self.flow.timing()
    }
}

impl<Op: WireOperation> Drop for CardSession<'_, Op> {
    fn drop(&mut self) {
        if let Some(epoch) = self.flow.epoch() {
            self.card.end_session(epoch);
        }
    }
}

/// The outcome of a batch: replies, and the failure if any.
#[derive(Debug)]
pub struct Attempt<Reply> {
    /// The replies that came, each at its request's place.
    pub replies: Vec<Option<Reply>>,
    /// Where the time went.
    pub timing: Timing,
    /// The first request that this card cannot do, and why. Such requests were left out.
    pub unsupported: Option<(usize, String)>,
    /// The failure that left other requests without a reply.
    pub failure: Option<CardError>,
}

impl<Reply: Send> Attempt<Reply> {
    /// Does what the card can of a batch, up to the first failure.
    pub(crate) fn of<Op: WireOperation<Reply = Reply>>(card: &Card, batch: Op::Batch<'_>) -> Self {
        let mut attempt =
            Self { replies: vec![], timing: Timing::default(), unsupported: None, failure: None };
        attempt.replies.resize_with(batch.len(), || None);
        let mut session = CardSession::<Op>::new(card, 0);
        let unsupported = session.submit(batch);
        attempt.unsupported = unsupported.first().and_then(|place| {
            let ledger = session.ledger();
            let reason = Op::supports(ledger.row(*place)?, card.opening_status()).err()?;
            Some((ledger.number_of(*place), reason))
        });
        if unsupported.len() < batch.len() {
            let outcome = session.drive(Until::Idle).and_then(|()| session.drive(Until::Status));
            attempt.failure = outcome.err();
            attempt.timing = session.flow.timing();
            attempt.replies = session.flow.take_oldest().unwrap_or_default();
        }
        attempt
    }

    /// The replies, where every request has one. `device` is the card's name, for the error.
    ///
    /// # Errors
    /// [`DeviceError::Failed`], which names the first request without a reply.
    pub fn into_answered<Replies: FromIterator<Reply>>(
        self,
        device: &str,
    ) -> Result<Answered<Replies>, DeviceError> {
        let requests = self.replies.len();
        let Some(request_index) = self.replies.iter().position(Option::is_none) else {
            let replies = self.replies.into_iter().flatten().collect();
            return Ok(Answered { replies, timing: self.timing });
        };
        let reason = match self.failure {
            Some(failure) => failure.to_string(),
            None => "no reply".into(),
        };
        Err(DeviceError::Failed { device: device.to_owned(), request_index, requests, reason })
    }
}
