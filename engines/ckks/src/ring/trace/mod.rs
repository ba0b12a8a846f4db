// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What was done to polynomials, in order: what a device's compiler starts from, what the cost of an
//! operation is counted by, and what can be done again to other polynomials.
//!
//! A trace is in static single assignment: each step gives a value that no other step changes, and
//! takes values of steps before it or from outside. Copies have no steps, being the same value; parts
//! of polynomials are [`Operation::Select`].

mod check;
mod counts;
mod identify;
mod json;
mod recorder;
mod replay;
mod step;

use serde::{Deserialize, Serialize};

use super::basis::Basis;
use super::polynomial::{new_name, Form, Polynomial};
use super::ring::Ring;

pub use check::{Flaw, TraceError};
pub use counts::Counts;
pub(super) use recorder::Recorder;
pub(super) use step::Value;
pub use step::{Operation, Step};

/// A polynomial and what it is called in a trace.
pub type Named<'a> = (String, &'a Polynomial);

/// The steps between [`Ring::start_trace`] and [`Ring::end_trace`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    /// N.
    pub degree: usize,
    /// The ring's primes. Bases name them by their places in this list.
    pub primes: Vec<Prime>,
    /// The values that come from outside.
    pub externals: Vec<External>,
    /// Each behind those that it depends on.
    pub steps: Vec<Step>,
    /// The values that are wanted.
    pub outputs: Vec<Output>,
    /// What is to be said of the steps.
    pub notes: Vec<Note>,
}

/// A prime, and the values that transforms give modulo it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prime {
    /// The prime.
    pub modulus: u32,
    /// ψ, a primitive 2N-th root of unity: place i of values is that at ψ^(2·rev(i) + 1), in which rev
    /// reverses the log₂ N bits of a number.
    pub root: u32,
}

/// What a value from outside is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Another one each time.
    Input,
    /// A part of a key, in Montgomery form.
    Key,
    /// A plaintext.
    Constant,
}

/// A value from outside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct External {
    /// Its number in the steps.
    pub value: u64,
    /// What it is called, as no other one is.
    pub name: String,
    /// What it is for.
    pub role: Role,
    /// Its primes.
    pub basis: Basis,
    /// What its residues are.
    pub form: Form,
    /// How often each of its values stands in a row: more than once in the second factors of
    /// [`Operation::SumOfProducts`] alone, of which N/run residues a prime are held.
    pub run: usize,
}

/// A value that is wanted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Output {
    /// Its number in the steps.
    pub value: u64,
    /// What it is called.
    pub name: String,
}

/// Something to be said of the steps from one on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// The place of the first step that it is about, from 0 on.
    pub step: usize,
    /// What is said.
    pub text: String,
}

impl Ring {
    /// From now on steps are recorded, those of all threads; what was recorded before is dropped.
    pub fn start_trace(&self) {
        self.recorder.start();
    }

    /// Ends the recording. Values are numbered by the names of polynomials, and what comes from outside
    /// is not named yet: [`Trace::identified`] does that.
    pub fn end_trace(&self) -> Trace {
        let recorded = self.recorder.end();
        let mut trace = Trace {
            degree: self.degree(),
            primes: self.trace_primes(),
            externals: Vec::new(),
            steps: recorded.steps,
            outputs: Vec::new(),
            notes: recorded.notes,
        };
        trace.set_externals(recorded.externals);
        trace
    }

    /// Does both, at the same time unless steps are recorded: a trace has one order.
    pub(crate) fn both<A: Send, B: Send>(
        &self,
        first: impl FnOnce() -> A + Send,
        second: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        match self.recorder.is_on() {
            true => (first(), second()),
            false => rayon::join(first, second),
        }
    }

    /// Says something of the steps that follow, if they are recorded.
    pub fn note(&self, text: impl FnOnce() -> String) {
        if self.recorder.is_on() {
            self.recorder.note(text());
        }
    }

    /// Records an operation that gave a polynomial.
    pub(super) fn record(
        &self,
        output: &Polynomial,
        what: impl FnOnce() -> (Operation, Vec<Value>),
    ) {
        if self.recorder.is_on() {
            let (operation, inputs) = what();
            self.recorder.push(operation, inputs, output.value());
        }
    }

    /// A value that never is a whole polynomial.
    pub(super) fn value_in(&self, basis: &Basis, form: Form) -> Value {
        Value { name: new_name(), basis: basis.clone(), form, degree: self.degree() }
    }

    /// The primes as traces have them.
    fn trace_primes(&self) -> Vec<Prime> {
        let prime =
            |(modulus, root): (super::Modulus, u32)| Prime { modulus: modulus.value(), root };
        self.roots().map(prime).collect()
    }
}
