// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The program that is being recorded, if any.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::program::Note;
use super::step::{Operation, Step};
use crate::ring::polynomial::Value;

/// Collects steps while it is on. A step is recorded when its output is complete and before any
/// other code can use the output. Steps of all threads therefore follow those on which they depend.
#[derive(Default)]
pub(in crate::ring) struct Recorder {
    is_on: AtomicBool,
    recorded: Mutex<Recorded>,
}

/// A recording.
#[derive(Default)]
pub(in crate::ring) struct Recorded {
    pub steps: Vec<Step>,
    /// Inputs that were not computed by an earlier step.
    pub externals: Vec<Value>,
    pub notes: Vec<Note>,
    known: HashSet<u64>,
}

impl Recorder {
    pub fn start(&self) {
        *self.lock() = Recorded::default();
        self.is_on.store(true, Ordering::Relaxed);
    }

    pub fn end(&self) -> Recorded {
        self.is_on.store(false, Ordering::Relaxed);
        std::mem::take(&mut *self.lock())
    }

    /// Returns `true` if steps are recorded. The lock orders the steps, so this load need not.
    pub fn is_on(&self) -> bool {
        self.is_on.load(Ordering::Relaxed)
    }

    pub fn push(&self, operation: Operation, inputs: Vec<Value>, output: Value) {
        let recorded = &mut *self.lock();
        let names = inputs.iter().map(|input| input.name).collect();
        for input in inputs {
            if recorded.known.insert(input.name) {
                recorded.externals.push(input);
            }
        }
        recorded.known.insert(output.name);
        let Value { name: output, basis, form, .. } = output;
        recorded.steps.push(Step { operation, inputs: names, output, basis, form });
    }

    pub fn note(&self, text: String) {
        let recorded = &mut *self.lock();
        let step = recorded.steps.len();
        recorded.notes.push(Note { step, text });
    }

    fn lock(&self) -> MutexGuard<'_, Recorded> {
        self.recorded.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
