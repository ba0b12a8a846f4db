// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The card as an executor of every operation that has a codec.

use std::fmt;
use std::sync::Arc;

use halimede_arith::job::{
    Amount, Answered, Attempts, Compute, DeviceError, Executor, Limits, Offer, Unsupported,
};

use crate::card::Card;
use crate::codec::{Batch, Codec, Replies, ReplyOf, Row};

/// The number of batches per window of a card: a batch should be small enough that its replies
/// arrive while the next is in progress, and large enough to be worth submitting.
const BATCHES_A_WINDOW: usize = 4;

/// The executor of a codec's operation on a card. It supports no request whose engine the card
/// lacks.
pub struct CardExecutor<C: Codec> {
    card: Arc<Card>,
    /// The units of a piece of work.
    units: usize,
    /// Computes a reply on the processor, if the processor supports the operation.
    recompute: Option<Recompute<C>>,
}

type Recompute<C> = for<'a> fn(Row<'a, C>) -> ReplyOf<C>;

impl<C: Codec<Operation: Compute>> CardExecutor<C> {
    /// Makes the executor of an operation that a processor computes as well.
    pub fn new(card: Arc<Card>) -> Self {
        let recompute: Recompute<C> = |row| C::Operation::compute(row);
        Self { card, units: C::Operation::PIECE.units, recompute: Some(recompute) }
    }
}

impl<C: Codec> CardExecutor<C> {
    /// Makes the executor of an operation on data that the card holds.
    pub fn of_held(card: Arc<Card>) -> Self {
        Self { card, units: usize::MAX, recompute: None }
    }
}

impl<C: Codec> fmt::Debug for CardExecutor<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CardExecutor").field(&self.card).finish()
    }
}

impl<C: Codec> Executor<C::Operation> for CardExecutor<C> {
    fn limits(&self) -> Limits {
        Limits {
            brief: Amount::NONE,
            piece: Amount { requests: C::PIECE_REQUESTS, units: self.units },
            batch: Some((self.card.window() / BATCHES_A_WINDOW).max(1)),
            may_fail: true,
            interruptible: true,
        }
    }

    /// Operations on data that the card holds are not listed.
    fn offer(&self) -> Option<Offer> {
        self.recompute.and_then(|_| C::offer(self.card.opening()))
    }

    fn supports(&self, batch: Batch<'_, C>) -> Result<(), Vec<Unsupported>> {
        match self.card.unsupported::<C>(batch) {
            none if none.is_empty() => Ok(()),
            unsupported => Err(unsupported),
        }
    }

    fn execute(&self, batch: Batch<'_, C>) -> Result<Answered<Replies<C>>, DeviceError> {
        self.card.execute::<C>(batch)
    }

    fn attempts(&self, retries: usize) -> Box<dyn Attempts<C::Operation> + '_> {
        Box::new(self.card.attempts::<C>(retries))
    }

    fn recompute(&self, row: Row<'_, C>) -> Option<ReplyOf<C>> {
        self.recompute.map(|compute| compute(row))
    }
}
