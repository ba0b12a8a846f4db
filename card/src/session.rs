// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A card's attempts at the batches of a session, and at one batch alone.

use halimede_arith::job::{
    Answered, Attempts, Columns, DeviceError, Failure, Ledger, Operation, Place, Timing,
};

use crate::card::Card;
use crate::codec::{Batch, Codec};
use crate::error::CardError;
use crate::flow::{Flow, Until};

impl<C: Codec> Attempts<C::Operation> for Flow<'_, C> {
    fn submit(&mut self, places: Vec<Place>) {
        Flow::submit(self, places);
    }

    /// Sends and receives what can be without waiting, but for the rest of a message that has been
    /// begun.
    fn advance(&mut self, ledger: &mut Ledger<C::Operation>) -> Result<(), Failure> {
        match Flow::outstanding(self) {
            0 => Ok(()),
            _ => Ok(self.drive(ledger, Until::Still)?),
        }
    }

    /// Where replies came without a checksum, a status shows behind them that the stream is in
    /// step: none of the batch's requests was cut.
    fn settle(&mut self, ledger: &mut Ledger<C::Operation>) -> Result<(), Failure> {
        loop {
            if !self.is_oldest_settled(ledger) {
                self.drive(ledger, Until::Oldest)?;
            }
            if ledger.oldest_provisional().next().is_none() {
                return Ok(());
            }
            self.drive(ledger, Until::Status)?;
            // Where another session's failure has reset the card, the replies were taken back.
            if self.is_oldest_settled(ledger) {
                return Ok(());
            }
        }
    }

    fn outstanding(&self) -> usize {
        Flow::outstanding(self)
    }

    fn answered(&self) -> u64 {
        Flow::answered(self)
    }

    /// Two windows of requests are worth handing in before a batch is collected.
    fn wants_more(&self, _: &Ledger<C::Operation>) -> bool {
        Flow::outstanding(self) < 2 * self.card.window()
    }

    fn withdraw(&mut self, all: bool) -> Vec<Place> {
        Flow::withdraw(self, all)
    }

    fn carry_on(&mut self) {
        Flow::carry_on(self);
    }

    fn is_out_of_time(&self) -> bool {
        self.card.at_the_time(|now| self.deadline().is_some_and(|deadline| now >= deadline))
    }

    fn give_up(&mut self, ledger: &mut Ledger<C::Operation>, reason: &str) {
        self.distrust(ledger);
        self.card.give_up(reason);
    }

    /// The card is asked for its clocks since the session's first request.
    fn timing(&mut self, ledger: &mut Ledger<C::Operation>) -> Result<Timing, Failure> {
        if self.epoch().is_some() {
            self.drive(ledger, Until::Status)?;
        }
        Ok(Flow::timing(self))
    }

    fn last_timing(&self) -> Timing {
        Flow::timing(self)
    }
}

impl<C: Codec> Drop for Flow<'_, C> {
    fn drop(&mut self) {
        if let Some(epoch) = self.epoch() {
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
    pub(crate) fn of<C>(card: &Card, batch: Batch<'_, C>) -> Self
    where
        C: Codec<Operation: Operation<Reply = Reply>>,
    {
        let mut attempt =
            Self { replies: vec![], timing: Timing::default(), unsupported: None, failure: None };
        attempt.replies.resize_with(batch.len(), || None);
        let (mut flow, mut ledger) = (Flow::<C>::new(card, 0), Ledger::new());
        let mut places: Vec<Place> = ledger.push(batch).collect();
        let unsupported = card.unsupported::<C>(batch);
        let is_any_supported = unsupported.len() < places.len();
        for unsupported in unsupported.iter().rev() {
            places.remove(unsupported.request);
        }
        places.retain(|place| !ledger.has_reply(*place));
        let first = unsupported.into_iter().next();
        attempt.unsupported = first.map(|first| (first.request, first.reason));
        if is_any_supported {
            flow.submit(places);
            let outcome = flow
                .drive(&mut ledger, Until::Idle)
                .and_then(|()| flow.drive(&mut ledger, Until::Status));
            attempt.failure = outcome.err();
            attempt.timing = flow.timing();
            attempt.replies = ledger.take_oldest().unwrap_or_default();
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
