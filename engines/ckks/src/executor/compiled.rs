// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The compiled programs of executors on cards.

use std::sync::{Arc, Mutex, PoisonError};

use super::executor::ExecutorError;
use super::programs::MAX_KEPT;
use crate::card::{compile, has_seed, Card, CardError, CompileOptions, Compiled};
use crate::ring::{Form, Polynomial, Program, Ring};

/// Programs compiled for a card, each once.
pub(super) struct CompiledPrograms {
    card: Card,
    /// As many as there are [`Programs`](super::Programs) kept; the last one first.
    kept: Mutex<Vec<Kept>>,
}

struct Kept {
    program: Arc<Program>,
    is_seeded: bool,
    compiled: Arc<Compiled>,
}

/// Whether the uniform halves of all keys that a program takes have seeds.
pub(super) fn is_seeded<'a>(
    program: &Program,
    of: impl Fn(usize) -> Option<&'a Polynomial>,
) -> bool {
    let halves = program.externals.iter().enumerate().filter(|(_, of)| has_seed(of));
    halves.filter_map(|(index, _)| of(index)).all(|half| half.seed().is_some())
}

impl CompiledPrograms {
    /// None yet, for a card.
    pub fn new(card: Card) -> Self {
        Self { card, kept: Mutex::default() }
    }

    /// A program, compiled; with `is_seeded` the card makes the uniform halves of keys.
    ///
    /// # Errors
    /// As [`compile()`].
    pub fn of(&self, program: &Arc<Program>, is_seeded: bool) -> Result<Arc<Compiled>, CardError> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |of: &&Kept| Arc::ptr_eq(&of.program, program) && of.is_seeded == is_seeded;
        if let Some(known) = kept.iter().find(is_it) {
            return Ok(Arc::clone(&known.compiled));
        }
        let options = CompileOptions { expand: is_seeded, ..CompileOptions::default() };
        let compiled = Arc::new(compile(program, &self.card, &options)?);
        kept.truncate(MAX_KEPT - 1);
        let program = Arc::clone(program);
        kept.insert(0, Kept { program, is_seeded, compiled: Arc::clone(&compiled) });
        Ok(compiled)
    }
}

/// The error of an executor for a program that its card does not run.
pub(super) fn refused(executor: &str, error: CardError) -> ExecutorError {
    match error {
        CardError::Program(error) => error.into(),
        error => {
            ExecutorError::Unavailable { executor: executor.to_owned(), reason: error.to_string() }
        }
    }
}

/// The outputs of a compiled program as polynomials; `limbs` has those of an output.
///
/// # Errors
/// Those of `limbs`.
pub(super) fn output_polynomials<E>(
    ring: &Ring,
    program: &Program,
    compiled: &Compiled,
    limbs: impl Fn(usize) -> Result<Vec<Vec<u32>>, E>,
) -> Result<Vec<Polynomial>, E> {
    let outputs = program.outputs.iter().enumerate().map(|(index, output)| {
        let (basis, limbs) = (compiled.basis_of(index), limbs(index)?);
        Ok(ring.from_places(&basis, form_of(program, output.value), |place, _, limb| {
            if let Some(index) = basis.limb_of(place) {
                limb.copy_from_slice(&limbs[index]);
            }
        }))
    });
    outputs.collect()
}

/// Whether a value of a program has coefficients or values.
fn form_of(program: &Program, value: u64) -> Form {
    let externals = program.externals.iter().map(|external| (external.value, external.form));
    let steps = program.steps.iter().map(|step| (step.output, step.form));
    let found = externals.chain(steps).find(|(of, _)| *of == value);
    found.map_or(Form::Values, |(_, form)| form)
}
