// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The attempts of a card at the batches of a session, and the execution of a single batch.

use halimede_arith::job::{
    Answered, Attempts, Columns, DeviceError, Failure, Ledger, Operation, RequestPosition, Timing,
};

use crate::card::Card;
use crate::codec::{Batch, Codec, Replies};
use crate::flow::{Flow, Until};

impl<C: Codec> Attempts<C::Operation> for Flow<'_, C> {
    fn submit(&mut self, places: Vec<RequestPosition>) {
        Flow::submit(self, places);
    }

    /// Does everything that can be done without waiting, except that a message in progress is
    /// completed.
    fn advance(&mut self, ledger: &mut Ledger<C::Operation>) -> Result<(), Failure> {
        match Flow::outstanding(self) {
            0 => Ok(()),
            _ => Ok(self.drive(ledger, Until::Still)?),
        }
    }

    /// If replies came without a checksum, a status after them shows that the stream is in step: no
    /// request of the batch was cut off.
    fn settle(&mut self, ledger: &mut Ledger<C::Operation>) -> Result<(), Failure> {
        loop {
            if !self.is_oldest_settled(ledger) {
                self.drive(ledger, Until::Oldest)?;
            }
            if ledger.oldest_provisional().next().is_none() {
                return Ok(());
            }
            self.drive(ledger, Until::Status)?;
            // If another session's failure has reset the card, the replies were taken back.
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

    /// Two windows of requests can be submitted before a batch is collected.
    fn wants_more(&self, _: &Ledger<C::Operation>) -> bool {
        Flow::outstanding(self) < 2 * self.card.window()
    }

    fn withdraw(&mut self, all: bool) -> Vec<RequestPosition> {
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

    /// Reads the card's clocks since the session's first request.
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
    /// Opens a set of batches whose replies are collected later, so that the card can begin the
    /// next batch before the current one ends. The caller goes on after up to `retries` consecutive
    /// failures; each retry adds one time limit. A card has any number of concurrent sessions.
    pub fn attempts<C: Codec>(&self, retries: usize) -> impl Attempts<C::Operation> + '_ {
        Flow::<C>::new(self, retries)
    }

    /// Executes a batch, all requests or none.
    ///
    /// # Errors
    /// [`DeviceError::Unsupported`] if the card cannot execute a request, or
    /// [`DeviceError::Failed`] with the first request without a reply.
    pub fn execute<C: Codec>(
        &self,
        batch: Batch<'_, C>,
    ) -> Result<Answered<Replies<C>>, DeviceError> {
        if let Some(unsupported) = self.unsupported::<C>(batch).first() {
            return Err(unsupported.error(self.name(), C::Operation::NAME));
        }
        let (mut flow, mut ledger) = (Flow::<C>::new(self, 0), Ledger::new());
        let mut places: Vec<RequestPosition> = ledger.push(batch).collect();
        places.retain(|place| !ledger.has_reply(*place));
        if !batch.is_empty() {
            flow.submit(places);
            let outcome = flow.drive(&mut ledger, Until::Idle);
            let outcome = outcome.and_then(|()| flow.drive(&mut ledger, Until::Status));
            let (request_index, requests) = (ledger.first_unanswered(), batch.len());
            // A failure after the last reply does not affect the batch.
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
