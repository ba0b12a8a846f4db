// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The endpoints: one for each operation of the table, and CKKS.

mod ckks;
mod reading;
mod table;

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
pub enum Form {
    /// [`json`].
    Json,
    /// [`binary`].
    Binary,
}

/// A batch that has arrived.
pub struct Batch {
    /// The body.
    pub body: Vec<u8>,
    /// Its form.
    pub form: Form,
    /// Most items that it may have.
    pub most_items: usize,
}

/// A batch that is read, and waits in the queue.
pub struct Submitted {
    /// Its items.
    pub items: usize,
    /// Their numbers, where it is of frames.
    pub numbers: Vec<u32>,
    /// What becomes of it.
    pub pending: Pending,
}

/// An operation as the service has it.
pub trait Endpoint: Send + Sync {
    /// The description.
    fn about(&self) -> &'static About;

    /// Reads the items, and puts those that are good into the queue. It takes as long as the items
    /// want, and ends soon after the client has gone.
    ///
    /// # Errors
    /// [`Refusal`] where a setting is wrong, the batch is not of its form, there is no memory for its
    /// items, or the queue is full.
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
        // A reader of JSON has text with escapes, and the depth of what it passes over, in a buffer
        // that may be as long as the body.
        let body_bytes = body.capacity() + if form == Form::Json { body.len() } else { 0 };
        work.charge.grow_to(body_bytes)?;
        let mut reading = Reading::new(&plan, &mut work.charge, body_bytes, has_gone);
        let fields = self.about.item;
        let numbers = match form {
            Form::Json => {
                json::read(&body, fields, most_items, &mut reading)?;
                Vec::new()
            }
            Form::Binary => binary::read(&body, fields, most_items, &mut reading)?,
        };
        drop(body);
        let requests = reading.finish()?;
        let items = requests.len();
        let pending = self.lane.submit(requests, plan, work)?;
        Ok(Submitted { items, numbers, pending })
    }
}

/// All endpoints.
pub fn all(queue: &Arc<Queue>, objects: &Arc<Objects>) -> Vec<Arc<dyn Endpoint>> {
    let mut endpoints = table::endpoints(queue, objects);
    endpoints.push(ckks::endpoint(queue, objects));
    endpoints
}
