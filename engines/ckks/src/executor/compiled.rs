// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The compiled programs of executors on cards.

use std::sync::{Arc, Mutex, PoisonError};

use super::executor::ExecutorError;
use super::programs::MAX_KEPT;
use crate::card::{compile, Card, CardError, CompileOptions, Compiled};
use crate::ring::{Form, Polynomial, Program, Ring};

/// Programs compiled for a card, each once.
pub(super) struct CompiledPrograms {
    card: Card,
    /// As many as there are [`Programs`](super::Programs) kept; the last one first.
    kept: Mutex<Vec<(Arc<Program>, Arc<Compiled>)>>,
}

impl CompiledPrograms {
    /// None yet, for a card.
    pub fn new(card: Card) -> Self {
        Self { card, kept: Mutex::default() }
    }

    /// A program, compiled.
    ///
    /// # Errors
    /// As [`compile()`].
    pub fn of(&self, program: &Arc<Program>) -> Result<Arc<Compiled>, CardError> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, compiled)) = kept.iter().find(|(other, _)| Arc::ptr_eq(other, program)) {
            return Ok(Arc::clone(compiled));
        }
        let compiled = Arc::new(compile(program, &self.card, &CompileOptions::default())?);
        kept.truncate(MAX_KEPT - 1);
        kept.insert(0, (Arc::clone(program), Arc::clone(&compiled)));
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
