// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The card as an executor of every operation that has frames.

use std::sync::Arc;

use halimede_arith::job::{
    Amount, Answered, Attempts, Compute, DeviceError, Execute, Executor, Limits, Unsupported,
};

use crate::card::Card;
use crate::wire::WireOperation;

/// Part of a card's window that a batch should have: small enough for a batch's replies to come
/// while the next is under way, large enough to be worth handing in.
const BATCHES_A_WINDOW: usize = 4;

/// The executor of every operation on a card; it supports no request whose engine the card lacks.
#[derive(Clone, Debug)]
pub struct CardExecutor(pub Arc<Card>);

impl<Op: Compute + WireOperation> Executor<Op> for CardExecutor {
    fn limits(&self) -> Limits {
        Limits {
            brief: Amount::NONE,
            piece: Amount { requests: Op::PIECE_REQUESTS, units: Op::PIECE.units },
            batch: Some((self.0.window() / BATCHES_A_WINDOW).max(1)),
            may_fail: true,
            interruptible: true,
        }
    }

    fn supports(&self, batch: Op::Batch<'_>) -> Result<(), Vec<Unsupported>> {
        match self.0.unsupported::<Op>(batch) {
            none if none.is_empty() => Ok(()),
            unsupported => Err(unsupported),
        }
    }

    fn execute(&self, batch: Op::Batch<'_>) -> Result<Answered<Op::Replies>, DeviceError> {
        Execute::<Op>::execute(&*self.0, batch)
    }

    fn attempts(&self, retries: usize) -> Box<dyn Attempts<Op> + '_> {
        Box::new(self.0.attempts::<Op>(retries))
    }

    fn recompute(&self, row: Op::Row<'_>) -> Option<Op::Reply> {
        Some(Op::compute(row))
    }
}
