// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The one table of operations: routes, readers, the OpenAPI document, metrics and the dashboard
//! follow from it.

mod blake3;
mod bls;
mod ckks;
mod equihash;
mod groth16;
mod kzg;
mod poseidon;
mod reading;
mod secp256k1;

use std::sync::Arc;

use halimede_arith::job::{interrupt, Operation};

use crate::form::{binary, json, Answer, Field, Form, Record, Reply};
use crate::objects::{Kind as ObjectKind, Objects};
use crate::queue::{Lane, Pending, Queue, Work};
use crate::refusal::Refusal;
use crate::settings::{Setting, Settings, Values};
use reading::Reading;

/// What clients see of an operation.
#[derive(Debug)]
pub struct About {
    /// Its name, in metrics and logs.
    pub name: &'static str,
    /// Its path.
    pub path: &'static str,
    /// What it does.
    pub summary: &'static str,
    /// Its settings.
    pub settings: &'static [Setting],
    /// The fields of an item.
    pub item: &'static [Field],
    /// The answers.
    pub reply: Reply,
    /// A request, and its answer.
    pub example: Example,
}

/// A request with one item, and its answer.
#[derive(Debug)]
pub struct Example {
    /// The query.
    pub query: &'static str,
    /// The item, as JSON.
    pub item: &'static str,
    /// Its answer, as JSON; where it refers to an object, the refusal of a server without it.
    pub answer: &'static str,
}

impl About {
    /// Whether reading a request may take long, since it reads an uploaded object first.
    pub fn needs_object(&self) -> bool {
        self.settings.iter().any(|setting| matches!(setting.values, Values::Hash))
    }
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
    /// What clients see.
    fn about(&self) -> &'static About;

    /// Reads the items, and puts those that are good into the queue. It takes as long as the items
    /// want, and ends soon after the client has gone.
    ///
    /// # Errors
    /// [`Refusal`] where a setting is wrong, the batch is not of its form, there is no memory for its
    /// items, or the queue is full.
    fn submit(&self, settings: &Settings, batch: Batch, work: Work) -> Result<Submitted, Refusal>;
}

/// The growth of requests that hold what their items do.
const SAME: usize = 1;
/// Most bytes of a reply that is a digest, a point or a verdict.
const SHORT: usize = 192;

/// How the items of a request become an operation's requests, and its replies answers.
struct Plan<Op: Operation> {
    /// Bytes of memory of a request for each of its item's.
    growth: usize,
    /// Most bytes of an answer.
    reply_bytes: usize,
    read: Box<dyn Fn(Record) -> Result<Op::Request, String> + Send + Sync>,
    answer: Box<dyn Fn(Op::Reply) -> Answer + Send + Sync>,
}

/// An operation of the table.
struct Served<Op: Operation> {
    about: &'static About,
    plan: fn(&Resources, &Settings) -> Result<Plan<Op>, Refusal>,
    resources: Arc<Resources>,
    lane: Arc<Lane<Op>>,
}

/// What operations share.
pub struct Resources {
    /// Uploaded objects.
    pub objects: Arc<Objects>,
    /// ECDSA's rules and keys.
    verifiers: secp256k1::Verifiers,
}

impl<Op: Operation> Endpoint for Served<Op> {
    fn about(&self) -> &'static About {
        self.about
    }

    fn submit(
        &self,
        settings: &Settings,
        batch: Batch,
        mut work: Work,
    ) -> Result<Submitted, Refusal> {
        let has_gone = work.life.has_gone();
        let plan = interrupt::by(&has_gone, || (self.plan)(&self.resources, settings))?;
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
        Ok(Submitted { items, numbers, pending: self.lane.submit(requests, plan.answer, work)? })
    }
}

/// The table of operations.
pub fn all(queue: &Arc<Queue>, objects: &Arc<Objects>) -> Vec<Arc<dyn Endpoint>> {
    let verifiers = secp256k1::Verifiers::default();
    let resources = Arc::new(Resources { objects: Arc::clone(objects), verifiers });
    let table = Table { queue, resources: &resources };
    let mut all = Vec::new();
    all.extend(poseidon::endpoints(&table));
    all.extend(blake3::endpoints(&table));
    all.extend(equihash::endpoints(&table));
    all.extend(secp256k1::endpoints(&table));
    all.extend(bls::endpoints(&table));
    all.extend(kzg::endpoints(&table));
    all.extend(groth16::endpoints(&table));
    all.extend(ckks::endpoints(&table));
    all
}

/// What an entry of the table is made of.
struct Table<'q> {
    queue: &'q Arc<Queue>,
    resources: &'q Arc<Resources>,
}

impl Table<'_> {
    fn served<Op: Operation>(
        &self,
        lane: &Arc<Lane<Op>>,
        about: &'static About,
        plan: fn(&Resources, &Settings) -> Result<Plan<Op>, Refusal>,
    ) -> Arc<dyn Endpoint> {
        let (resources, lane) = (Arc::clone(self.resources), Arc::clone(lane));
        Arc::new(Served { about, plan, resources, lane })
    }
}

/// What a server answers that has no object of the hash 0.
const NO_OBJECT: &str = r#"{"error": {"code": "object", "message":
    "there is no object 0000000000000000000000000000000000000000000000000000000000000000"}}"#;

/// A choice between no and yes.
const YES_NO: Values = Values::Choice(&["false", "true"]);

/// The verdict of a check.
fn verdict<E: ToString>(reply: Result<(), E>) -> Answer {
    Answer::Verdict(reply.map_err(|reason| reason.to_string()))
}

/// The setting that names an uploaded object.
const fn object_setting(name: &'static str, kind: ObjectKind) -> Setting {
    Setting { name, about: kind.about(), values: Values::Hash, default: None }
}
