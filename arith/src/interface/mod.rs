// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Interfaces: one description of each operation, for every way of calling it.
//!
//! An engine implements [`Interface`] for each operation that runs on batches of items. The
//! service's routes, the command-line commands that answer lines and the self-test are loops over
//! these descriptions.
//!
//! | type | content |
//! |---|---|
//! | [`About`] | name, fields of an item, settings, reply and examples of an operation |
//! | [`Field`], [`Kind`] | one field of an item, and the range of its values |
//! | [`Setting`], [`Values`] | one setting of a batch, and its values |
//! | [`Record`] | the values of an item's fields |
//! | [`Plan`] | the functions that convert a record to a request and a reply to an [`Answer`] |
//!
//! An interface does not depend on JSON or any other encoding of records; these are in the crate
//! `halimede-operations`.

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
    /// A summary in one line.
    pub summary: &'static str,
    /// The settings of a batch.
    pub settings: &'static [Setting],
    /// The fields of an item.
    pub item: &'static [Field],
    /// The form of the answers.
    pub reply: Reply,
    /// Items with known answers, at least one. The documentation shows the first.
    pub examples: &'static [Example],
}

impl About {
    /// Returns `true` if a setting names an [`Object`].
    pub fn needs_object(&self) -> bool {
        self.settings.iter().any(|setting| matches!(setting.values, Values::Object(_)))
    }

    /// Returns `true` if the settings have finitely many values, so that plans can be kept for
    /// later batches.
    pub fn has_few_plans(&self) -> bool {
        self.settings.iter().all(|setting| matches!(setting.values, Values::Choice(_)))
    }
}

/// The functions that serve a batch.
pub struct Plan<Op: Operation> {
    /// Memory of a request per byte of its item, in bytes, rounded up.
    pub growth: usize,
    /// Size of an answer's value in bytes; the maximum if the sizes differ.
    pub reply_bytes: usize,
    /// Converts an item to a request, or returns the reason why the item is bad.
    pub read: Box<dyn Fn(Record) -> Result<Op::Request, Invalid> + Send + Sync>,
    /// Converts a reply to an answer.
    pub answer: Box<dyn Fn(Op::Reply) -> Answer + Send + Sync>,
}

impl<Op: Operation> Plan<Op> {
    /// The [`Self::growth`] of requests that hold only the bytes of their items.
    pub const SAME: usize = 1;
    /// The [`Self::reply_bytes`] of numbers and verdicts.
    pub const SHORT: usize = 192;

    /// Returns a plan whose requests hold only the bytes of their items, and whose answers are
    /// short.
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

    /// Returns the functions of a batch with these settings, which are settings of [`Self::ABOUT`].
    ///
    /// # Errors
    /// The reason why settings are refused although each value is in its [`Values`].
    fn plan(settings: &Settings) -> Result<Plan<Self::Operation>, String>;

    /// Returns known answers beyond the examples, bundled with the engine.
    ///
    /// # Errors
    /// The reason why the bundled answers cannot be used by this build.
    fn known_answers() -> Result<Vec<KnownAnswers<Self::Operation>>, String> {
        Ok(Vec::new())
    }
}

/// The body of a loop over interfaces, which are of different types.
pub trait Visitor {
    /// Handles one interface.
    fn visit<I: Interface>(&mut self);
}
