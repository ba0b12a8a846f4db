// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The card as an executor of every operation that has frames.
//!
//! [`CardExecutor`] is for operations that a processor computes as well, [`CardOnlyExecutor`] for
//! those on what the card holds.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use halimede_arith::job::{
    Amount, Answered, Attempts, Compute, DeviceError, Executor, Limits, Unsupported,
};

use crate::card::Card;
use crate::codec::{Batch, Codec, Replies, ReplyOf, Row};

/// Part of a card's window that a batch should have: small enough for a batch's replies to come
/// while the next is under way, large enough to be worth handing in.
const BATCHES_A_WINDOW: usize = 4;

/// The executor of a codec's operation on a card; it supports no request whose engine the card
/// lacks.
pub struct CardExecutor<C> {
    card: Arc<Card>,
    codec: PhantomData<fn() -> C>,
}

impl<C: Codec> CardExecutor<C> {
    /// The executor on this card.
    pub fn new(card: Arc<Card>) -> Self {
        Self { card, codec: PhantomData }
    }
}

impl<C> fmt::Debug for CardExecutor<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CardExecutor").field(&self.card).finish()
    }
}

impl<C: Codec<Operation: Compute>> Executor<C::Operation> for CardExecutor<C> {
    fn limits(&self) -> Limits {
        limits::<C>(&self.card, C::Operation::PIECE.units)
    }

    fn supports(&self, batch: Batch<'_, C>) -> Result<(), Vec<Unsupported>> {
        supports::<C>(&self.card, batch)
    }

    fn execute(&self, batch: Batch<'_, C>) -> Result<Answered<Replies<C>>, DeviceError> {
        self.card.execute::<C>(batch)
    }

    fn attempts(&self, retries: usize) -> Box<dyn Attempts<C::Operation> + '_> {
        Box::new(self.card.attempts::<C>(retries))
    }

    fn recompute(&self, row: Row<'_, C>) -> Option<ReplyOf<C>> {
        Some(C::Operation::compute(row))
    }
}

/// The executor, on a card, of an operation that only a card can do.
pub struct CardOnlyExecutor<C> {
    card: Arc<Card>,
    codec: PhantomData<fn() -> C>,
}

impl<C: Codec> CardOnlyExecutor<C> {
    /// The executor on this card.
    pub fn new(card: Arc<Card>) -> Self {
        Self { card, codec: PhantomData }
    }
}

impl<C> fmt::Debug for CardOnlyExecutor<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CardOnlyExecutor").field(&self.card).finish()
    }
}

impl<C: Codec> Executor<C::Operation> for CardOnlyExecutor<C> {
    fn limits(&self) -> Limits {
        limits::<C>(&self.card, usize::MAX)
    }

    fn supports(&self, batch: Batch<'_, C>) -> Result<(), Vec<Unsupported>> {
        supports::<C>(&self.card, batch)
    }

    fn execute(&self, batch: Batch<'_, C>) -> Result<Answered<Replies<C>>, DeviceError> {
        self.card.execute::<C>(batch)
    }

    fn attempts(&self, retries: usize) -> Box<dyn Attempts<C::Operation> + '_> {
        Box::new(self.card.attempts::<C>(retries))
    }
}

/// The limits of a card, with the units of a piece of work.
fn limits<C: Codec>(card: &Card, units: usize) -> Limits {
    Limits {
        brief: Amount::NONE,
        piece: Amount { requests: C::PIECE_REQUESTS, units },
        batch: Some((card.window() / BATCHES_A_WINDOW).max(1)),
        may_fail: true,
        interruptible: true,
    }
}

fn supports<C: Codec>(card: &Card, batch: Batch<'_, C>) -> Result<(), Vec<Unsupported>> {
    match card.unsupported::<C>(batch) {
        none if none.is_empty() => Ok(()),
        unsupported => Err(unsupported),
    }
}
