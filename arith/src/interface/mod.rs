// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Interfaces: each operation described once, for every way of calling it.
//!
//! An engine implements [`Interface`] for each operation that takes a batch of items. The service's
//! routes, the commands that answer lines and the self-test are loops over these descriptions.
//!
//! | type | content |
//! |---|---|
//! | [`About`] | name, fields of an item, settings, reply and examples of an operation |
//! | [`Field`], [`Kind`] | one field of an item, and the range of its values |
//! | [`Setting`], [`Values`] | one setting of a batch, and its values |
//! | [`Record`] | the values of an item's fields |
//! | [`Plan`] | the functions from a record to a request, and from a reply to an [`Answer`] |
//!
//! An interface knows neither JSON nor any other encoding of records; the crate `halimede-operations`
//! has those.

mod answer;
mod example;
mod field;
mod setting;

pub use answer::{Answer, Invalid, Outcome, Reply, Verdict};
pub use example::{Content, Example, KnownAnswers};
pub use field::{number_text, parse_number, Field, Kind, Part, Record};
pub use setting::{Object, ObjectKind, Setting, Settings, Values, NO_YES};

use crate::job::Operation;

/// The description of an operation.
#[derive(Debug)]
pub struct About {
    /// The name in metrics and logs, e.g. `secp256k1.verify_schnorr`.
    pub name: &'static str,
    /// The path of the HTTP route, e.g. `/v1/secp256k1/schnorr-verify`.
    pub path: &'static str,
    /// One line of text.
    pub summary: &'static str,
    /// The settings of a batch.
    pub settings: &'static [Setting],
    /// The fields of an item.
    pub item: &'static [Field],
    /// The form of the answers.
    pub reply: Reply,
    /// Items with known answers, at least one. Documentation shows the first.
    pub examples: &'static [Example],
}

impl About {
    /// Whether a setting names an [`Object`].
    pub fn needs_object(&self) -> bool {
        self.settings.iter().any(|setting| matches!(setting.values, Values::Object(_)))
    }

    /// Whether the settings have finitely many values, so that plans can be kept for later batches.
    pub fn has_few_plans(&self) -> bool {
        self.settings.iter().all(|setting| matches!(setting.values, Values::Choice(_)))
    }
}

/// The functions of a batch.
pub struct Plan<Op: Operation> {
    /// Bytes of a request in memory for each byte of its item, rounded up.
    pub growth: usize,
    /// Bytes of an answer's value; most bytes, where values differ in length.
    pub reply_bytes: usize,
    /// Makes a request from an item, or says why the item is bad.
    pub read: Box<dyn Fn(Record) -> Result<Op::Request, Invalid> + Send + Sync>,
    /// Makes an answer from a reply.
    pub answer: Box<dyn Fn(Op::Reply) -> Answer + Send + Sync>,
}

impl<Op: Operation> Plan<Op> {
    /// [`Self::growth`] of requests that hold the bytes of their items.
    pub const SAME: usize = 1;
    /// [`Self::reply_bytes`] of numbers and verdicts.
    pub const SHORT: usize = 192;

    /// A plan whose requests hold the bytes of their items, and whose answers are short.
    pub fn new(
        read: impl Fn(Record) -> Result<Op::Request, Invalid> + Send + Sync + 'static,
        answer: impl Fn(Op::Reply) -> Answer + Send + Sync + 'static,
    ) -> Self {
        let (read, answer) = (Box::new(read), Box::new(answer));
        Self { growth: Self::SAME, reply_bytes: Self::SHORT, read, answer }
    }
}

/// An operation as its callers see it.
pub trait Interface: 'static {
    /// The operation that executes the items.
    type Operation: Operation;
    /// The description.
    const ABOUT: &'static About;

    /// The functions of a batch with these settings, which are those of [`Self::ABOUT`].
    ///
    /// # Errors
    /// The reason why settings are refused that [`Values`] alone does not exclude.
    fn plan(settings: &Settings) -> Result<Plan<Self::Operation>, String>;

    /// Known answers beyond the examples, bundled with the engine.
    ///
    /// # Errors
    /// The reason why what is bundled is not what this build expects.
    fn known_answers() -> Result<Vec<KnownAnswers<Self::Operation>>, String> {
        Ok(Vec::new())
    }
}

/// A loop body over interfaces, whose types differ.
pub trait Visitor {
    /// Handles one interface.
    fn visit<I: Interface>(&mut self);
}
