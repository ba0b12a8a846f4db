// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A card's attempts at the batches of a session, and one batch alone.

use halimede_arith::job::{
    Answered, Attempts, Columns, DeviceError, Failure, Ledger, Operation, Place, Timing,
};

use crate::card::Card;
use crate::codec::{Batch, Codec, Replies};
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

impl Card {
    /// Batches whose replies are awaited later, so that the card need never wait for one batch to
    /// end before the next begins; for a caller who goes on after up to `retries` failures in a
    /// row. Each retry adds one time limit. A card has any number of sessions at once.
    pub fn attempts<C: Codec>(&self, retries: usize) -> impl Attempts<C::Operation> + '_ {
        Flow::<C>::new(self, retries)
    }

    /// Executes a batch, whole or not at all.
    ///
    /// # Errors
    /// [`DeviceError::Unsupported`] where the card cannot do one of its requests;
    /// [`DeviceError::Failed`], which names the first request without a reply.
    pub fn execute<C: Codec>(
        &self,
        batch: Batch<'_, C>,
    ) -> Result<Answered<Replies<C>>, DeviceError> {
        if let Some(unsupported) = self.unsupported::<C>(batch).first() {
            return Err(unsupported.error(self.name(), C::Operation::NAME));
        }
        let (mut flow, mut ledger) = (Flow::<C>::new(self, 0), Ledger::new());
        let mut places: Vec<Place> = ledger.push(batch).collect();
        places.retain(|place| !ledger.has_reply(*place));
        if !batch.is_empty() {
            flow.submit(places);
            let outcome = flow.drive(&mut ledger, Until::Idle);
            let outcome = outcome.and_then(|()| flow.drive(&mut ledger, Until::Status));
            let (request_index, requests) = (ledger.first_unanswered(), batch.len());
            // A failure behind the last reply costs none.
            if request_index < requests {
                let reason = outcome.err().map_or("no reply".into(), |error| error.to_string());
                let device = self.name().to_owned();
                return Err(DeviceError::Failed { device, request_index, requests, reason });
            }
        }
        let replies = ledger.take_oldest().unwrap_or_default();
        Ok(Answered { replies: replies.into_iter().flatten().collect(), timing: flow.timing() })
    }
}
