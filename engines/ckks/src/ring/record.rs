// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Records the operations of a ring as a program.

use super::basis::Basis;
use super::form::Form;
use super::modulus::Modulus;
use super::polynomial::{new_name, Polynomial, Value};
use super::program::{Operation, Prime, Program};
use super::ring::Ring;

/// A recording of a ring's steps, until it ends or is dropped.
#[must_use = "a recording ends when it is dropped"]
pub struct Recording<'r>(&'r Ring);

impl Recording<'_> {
    /// Ends the recording. Values are numbered by the names of polynomials, and external values
    /// have no names yet: [`Program::identified`] assigns them.
    pub fn end(self) -> Program {
        let recorded = self.0.recorder.end();
        let mut program = Program {
            degree: self.0.degree(),
            primes: self.0.program_primes(),
            externals: Vec::new(),
            steps: recorded.steps,
            outputs: Vec::new(),
            notes: recorded.notes,
        };
        program.set_externals(recorded.externals);
        program
    }
}

impl Drop for Recording<'_> {
    fn drop(&mut self) {
        self.0.recorder.end();
    }
}

impl Ring {
    /// Starts to record the steps of all threads, and discards any earlier recording.
    pub fn start_recording(&self) -> Recording<'_> {
        self.recorder.start();
        Recording(self)
    }

    /// Returns `true` if steps are recorded.
    pub fn is_recording(&self) -> bool {
        self.recorder.is_on()
    }

    /// Runs both closures, in parallel unless steps are recorded: the order of a program is fixed.
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

    /// Adds a remark on the following steps if they are recorded.
    pub fn note(&self, text: impl FnOnce() -> String) {
        if self.recorder.is_on() {
            self.recorder.note(text());
        }
    }

    /// Records an operation with its output.
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

    /// Selects some limbs of a polynomial, and records this.
    pub(super) fn selected(&self, a: &Polynomial, basis: &Basis) -> Value {
        if a.basis == *basis {
            return a.value();
        }
        let part = self.value_in(basis, a.form);
        self.recorder.push(Operation::Select, vec![a.value()], part.clone());
        part
    }

    /// Records a sum with a polynomial that may lack primes and have others.
    pub(super) fn record_sum(&self, before: Value, b: &Polynomial, sum: Value) {
        let common = b.basis.common(&sum.basis);
        if common == sum.basis {
            self.recorder.push(Operation::Add, vec![before, b.value()], sum);
        } else if common.is_empty() {
            self.recorder.push(Operation::Select, vec![before], sum);
        } else {
            let part = self.value_in(&common, b.form);
            self.recorder.push(Operation::Add, vec![before.clone(), b.value()], part.clone());
            self.recorder.push(Operation::Select, vec![part, before], sum);
        }
    }

    /// Creates a value that is never a whole polynomial.
    pub(super) fn value_in(&self, basis: &Basis, form: Form) -> Value {
        Value { name: new_name(), basis: basis.clone(), form, degree: self.degree() }
    }

    /// The primes in the form that programs use.
    pub fn program_primes(&self) -> Vec<Prime> {
        let prime = |(modulus, root): (Modulus, u32)| Prime { modulus: modulus.value(), root };
        self.roots().map(prime).collect()
    }
}
