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
mod secp256k1;

use std::sync::Arc;

use halimede_arith::job::Operation;
use rayon::prelude::*;

use crate::form::{Answer, Field, Items, Record, Reply};
use crate::objects::{Kind as ObjectKind, Objects};
use crate::queue::{Lane, Pending, Queue, Work};
use crate::refusal::Refusal;
use crate::settings::{Setting, Settings};

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

/// An operation as the service has it.
pub trait Endpoint: Send + Sync {
    /// What clients see.
    fn about(&self) -> &'static About;

    /// Reads the items, and puts those that are good into the queue.
    ///
    /// # Errors
    /// [`Refusal`] where a setting is wrong or the queue is full.
    fn submit(&self, settings: &Settings, items: Items, work: Work) -> Result<Pending, Refusal>;
}

/// How the items of a request become an operation's requests, and its replies answers.
struct Plan<Op: Operation> {
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

/// Fewest items that are read on all cores.
const MANY: usize = 64;

impl<Op: Operation> Endpoint for Served<Op> {
    fn about(&self) -> &'static About {
        self.about
    }

    fn submit(&self, settings: &Settings, items: Items, work: Work) -> Result<Pending, Refusal> {
        let Plan { read, answer } = (self.plan)(&self.resources, settings)?;
        let read = |item: Result<Record, String>| item.and_then(&read);
        let read: Vec<Result<Op::Request, String>> = match items.len() {
            0..MANY => items.into_iter().map(read).collect(),
            _ => items.into_par_iter().map(read).collect(),
        };
        self.lane.submit(read, answer, work)
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
const YES_NO: crate::settings::Values = crate::settings::Values::Choice(&["false", "true"]);

/// The verdict of a check.
fn verdict<E: ToString>(reply: Result<(), E>) -> Answer {
    Answer::Verdict(reply.map_err(|reason| reason.to_string()))
}

/// The setting that names an uploaded object.
const fn object_setting(name: &'static str, kind: ObjectKind) -> Setting {
    Setting { name, about: kind.about(), values: crate::settings::Values::Hash, default: None }
}
