// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The endpoints: one per operation of the table, CKKS, and Zcash blocks.

mod ckks;
mod reading;
mod table;
mod zcash;

use std::sync::Arc;

use halimede_arith::interface::{About, Plan, Settings};
use halimede_arith::job::{interrupt, Operation};
use halimede_operations::{binary, json};

use crate::objects::Objects;
use crate::queue::{Lane, Pending, Queue, Work};
use crate::refusal::Refusal;
use reading::Reading;

/// The form of a batch and of its answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchEncoding {
    /// [`json`].
    Json,
    /// [`binary`].
    Binary,
}

/// A received batch.
pub struct Batch {
    /// The body.
    pub body: Vec<u8>,
    /// Its form.
    pub form: BatchEncoding,
    /// The maximum number of items.
    pub most_items: usize,
}

/// A batch that was read and waits in the queue.
pub struct Submitted {
    /// The number of items.
    pub items: usize,
    /// The numbers of the frames, if the batch consists of frames.
    pub numbers: Vec<u32>,
    /// Its future outcome.
    pub pending: Pending,
}

/// An operation of the service.
pub trait Endpoint: Send + Sync {
    /// Returns the description of the operation.
    fn about(&self) -> &'static About;

    /// Reads the items, and puts the good ones into the queue. This may take long, but stops soon
    /// after the client disconnects.
    ///
    /// # Errors
    /// [`Refusal`] if a setting is wrong, the batch is malformed, memory is short, or the queue is
    /// full.
    fn submit(&self, settings: Settings, batch: Batch, work: Work) -> Result<Submitted, Refusal>;
}

type MakePlan<Op> = dyn Fn(Settings) -> Result<Arc<Plan<Op>>, Refusal> + Send + Sync;

/// An operation with its lane.
struct Served<Op: Operation> {
    about: &'static About,
    plan: Box<MakePlan<Op>>,
    lane: Arc<Lane<Op>>,
}

impl<Op: Operation> Endpoint for Served<Op> {
    fn about(&self) -> &'static About {
        self.about
    }

    fn submit(
        &self,
        settings: Settings,
        batch: Batch,
        mut work: Work,
    ) -> Result<Submitted, Refusal> {
        let has_gone = work.life.has_gone();
        let plan = interrupt::by(&has_gone, || (self.plan)(settings))?;
        let Batch { body, form, most_items } = batch;
        // The JSON reader buffers escaped text and the nesting of skipped values; its buffer may
        // become as long as the body.
        let body_bytes = body.capacity() + if form == BatchEncoding::Json { body.len() } else { 0 };
        work.charge.grow_to(body_bytes)?;
        let mut reading = Reading::new(&plan, &mut work.charge, body_bytes, has_gone);
        let fields = self.about.item;
        let numbers = match form {
            BatchEncoding::Json => {
                json::read(&body, fields, most_items, &mut reading)?;
                Vec::new()
            }
            BatchEncoding::Binary => binary::read(&body, fields, most_items, &mut reading)?,
        };
        drop(body);
        let requests = reading.finish()?;
        let items = requests.len();
        let pending = self.lane.submit(requests, plan, work)?;
        Ok(Submitted { items, numbers, pending })
    }
}

/// Returns all endpoints.
pub fn all(queue: &Arc<Queue>, objects: &Arc<Objects>) -> Vec<Arc<dyn Endpoint>> {
    let mut endpoints = table::endpoints(queue, objects);
    endpoints.push(ckks::endpoint(queue, objects));
    endpoints.push(zcash::endpoint(queue));
    endpoints
}
