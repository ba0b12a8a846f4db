// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Converts the items of a batch from the body to requests of the operation: in chunks, so that the
//! whole batch is never copied, and each item is charged before it is allocated.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use halimede_arith::interface::{Answer, Invalid, Plan};
use halimede_arith::job::{interrupt, Operation};
use halimede_operations::{FormError, Item, Sink};
use rayon::prelude::*;

use crate::charge::Charge;
use crate::refusal::{Reason, Refusal};

/// The maximum number of items of a chunk.
const CHUNK_ITEMS: usize = 256;
/// The maximum memory of a chunk, in bytes.
const CHUNK_BYTES: usize = 1 << 20;
/// The minimum number of items of a chunk that is converted on all cores.
const MANY: usize = 64;
/// The memory of an error and its answer, or of the frames and names around an answer, in bytes.
const REASON_BYTES: usize = 256;

/// Converts items to requests.
pub struct Reading<'r, Op: Operation> {
    plan: &'r Plan<Op>,
    charge: &'r mut Charge,
    /// The maximum memory of the body and its reader, in bytes.
    body_bytes: usize,
    chunk: Vec<Item>,
    chunk_bytes: usize,
    requests: Vec<Result<Op::Request, Invalid>>,
    request_bytes: usize,
    /// `true` when the client has disconnected.
    has_gone: Arc<AtomicBool>,
}

impl<'r, Op: Operation> Reading<'r, Op> {
    /// Starts reading a body that needs `body_bytes` of memory while it is read.
    pub fn new(
        plan: &'r Plan<Op>,
        charge: &'r mut Charge,
        body_bytes: usize,
        has_gone: Arc<AtomicBool>,
    ) -> Self {
        let (chunk, requests) = (Vec::new(), Vec::new());
        Self {
            plan,
            charge,
            body_bytes,
            chunk,
            chunk_bytes: 0,
            requests,
            request_bytes: 0,
            has_gone,
        }
    }

    /// Returns the memory of an item besides its fields: a request, its reply and its answer, each
    /// in a list with up to twice the capacity, and the text of the answer.
    fn item_bytes(&self) -> usize {
        let lists = size_of::<Result<Op::Request, Invalid>>()
            + size_of::<Op::Reply>()
            + size_of::<Option<Answer>>();
        2 * lists + REASON_BYTES + 4 * self.plan.reply_bytes
    }

    fn charge_for(&mut self, more: usize) -> Result<(), FormError> {
        let bytes = self.body_bytes + self.request_bytes + self.chunk_bytes + more;
        self.charge.grow_to(bytes).map_err(|refusal| FormError::Ended(Box::new(refusal)))
    }

    /// Converts the items of the chunk.
    fn convert(&mut self) -> Result<(), FormError> {
        if self.has_gone.load(Ordering::Relaxed) {
            let refusal =
                Refusal::new(Reason::Deadline, "the client no longer waits for the answer");
            return Err(FormError::Ended(Box::new(refusal)));
        }
        let more = self.plan.growth * self.chunk_bytes + self.chunk.len() * self.item_bytes();
        self.charge_for(more)?;
        let (read, has_gone) = (&self.plan.read, &self.has_gone);
        let read = |item: Item| item.and_then(|item| interrupt::by(has_gone, || read(item)));
        match self.chunk.len() {
            0..MANY => self.requests.extend(self.chunk.drain(..).map(read)),
            _ => self.requests.par_extend(self.chunk.par_drain(..).map(read)),
        }
        self.request_bytes += more;
        self.chunk_bytes = 0;
        Ok(())
    }

    /// Returns all requests, after the body was read and dropped.
    ///
    /// # Errors
    /// The errors of reading.
    pub fn finish(mut self) -> Result<Vec<Result<Op::Request, Invalid>>, FormError> {
        self.convert()?;
        self.charge.shrink_to(self.request_bytes);
        Ok(self.requests)
    }
}

impl<Op: Operation> Sink for Reading<'_, Op> {
    fn grow(&mut self, bytes: usize) -> Result<(), FormError> {
        self.chunk_bytes += bytes;
        self.charge_for(0)
    }

    fn item(&mut self, item: Item) -> Result<(), FormError> {
        self.chunk.push(item);
        match self.chunk.len() >= CHUNK_ITEMS || self.chunk_bytes >= CHUNK_BYTES {
            true => self.convert(),
            false => Ok(()),
        }
    }
}
