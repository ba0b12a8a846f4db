// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How the operations of a ring are recorded as a program.

use super::basis::Basis;
use super::form::Form;
use super::modulus::Modulus;
use super::polynomial::{new_name, Polynomial, Value};
use super::program::{Operation, Prime, Program};
use super::ring::Ring;

/// A recording of a ring's steps, until it ends or is dropped.
#[must_use = "a recording ends where it is dropped"]
pub struct Recording<'r>(&'r Ring);

impl Recording<'_> {
    /// Ends it. Values are numbered by the names of polynomials, and what comes from outside is not
    /// named yet: [`Program::identified`] does that.
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
    /// From now on steps are recorded, those of all threads; what was recorded before is dropped.
    pub fn start_recording(&self) -> Recording<'_> {
        self.recorder.start();
        Recording(self)
    }

    /// Whether steps are recorded.
    pub fn is_recording(&self) -> bool {
        self.recorder.is_on()
    }

    /// Does both, at the same time unless steps are recorded: a program has one order.
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

    /// Some limbs of a polynomial that is recorded.
    pub(super) fn selected(&self, a: &Polynomial, basis: &Basis) -> Value {
        if a.basis == *basis {
            return a.value();
        }
        let part = self.value_in(basis, a.form);
        self.recorder.push(Operation::Select, vec![a.value()], part.clone());
        part
    }

    /// Records a sum with a polynomial that may lack primes, and have others.
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

    /// A value that never is a whole polynomial.
    pub(super) fn value_in(&self, basis: &Basis, form: Form) -> Value {
        Value { name: new_name(), basis: basis.clone(), form, degree: self.degree() }
    }

    /// The primes as programs have them.
    pub(crate) fn program_primes(&self) -> Vec<Prime> {
        let prime = |(modulus, root): (Modulus, u32)| Prime { modulus: modulus.value(), root };
        self.roots().map(prime).collect()
    }
}
