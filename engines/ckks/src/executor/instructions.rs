// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The card's instruction simulator as an executor: programs are compiled for a card, and run on a
//! memory and a scratchpad of their own.

use std::sync::{Arc, Mutex, PoisonError};

use super::executor::{ExecutorError, Held, ProgramExecutor, Resident};
use super::processor::{by_name, Parts};
use crate::card::{compile, simulate, Card, CardError, CardMemory, CompileOptions, Compiled};
use crate::params::Parameters;
use crate::ring::{Form, Polynomial, Program};
use crate::server::in_pairs;

/// Compiles programs for a card, and runs them instruction by instruction.
pub struct InstructionSimulator {
    parameters: Parameters,
    card: Card,
    /// The programs that were compiled last.
    compiled: Mutex<Vec<(Arc<Program>, Arc<Compiled>)>>,
}

/// Most compiled programs that are kept.
const MAX_KEPT: usize = 16;

impl InstructionSimulator {
    /// The name of the executor.
    pub const NAME: &'static str = "instructions";

    /// An executor of programs with these parameters on a card.
    pub fn new(parameters: &Parameters, card: Card) -> Self {
        Self { parameters: parameters.clone(), card, compiled: Mutex::default() }
    }

    fn compiled(&self, program: &Arc<Program>) -> Result<Arc<Compiled>, CardError> {
        let mut kept = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, compiled)) = kept.iter().find(|(other, _)| Arc::ptr_eq(other, program)) {
            return Ok(Arc::clone(compiled));
        }
        let compiled = Arc::new(compile(program, &self.card, &CompileOptions::default())?);
        kept.truncate(MAX_KEPT - 1);
        kept.insert(0, (Arc::clone(program), Arc::clone(&compiled)));
        Ok(compiled)
    }
}

fn refused(error: CardError) -> ExecutorError {
    match error {
        CardError::Program(error) => error.into(),
        error => ExecutorError::Unavailable {
            executor: InstructionSimulator::NAME.to_owned(),
            reason: error.to_string(),
        },
    }
}

/// Whether a value of a program has coefficients or values.
fn form_of(program: &Program, value: u64) -> Form {
    let externals = program.externals.iter().map(|external| (external.value, external.form));
    let steps = program.steps.iter().map(|step| (step.output, step.form));
    let found = externals.chain(steps).find(|(of, _)| *of == value);
    found.map_or(Form::Values, |(_, form)| form)
}

impl ProgramExecutor for InstructionSimulator {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn upload(&self, parts: [&Polynomial; 2]) -> Result<Resident, ExecutorError> {
        Ok(Resident::new(parts.map(Polynomial::clone)))
    }

    fn download(&self, resident: &Resident) -> Result<Parts, ExecutorError> {
        Ok(resident.kept::<Parts>(Self::NAME)?.clone())
    }

    fn run(
        &self,
        program: &Arc<Program>,
        held: &Held,
        inputs: &[&Resident],
    ) -> Result<Vec<Resident>, ExecutorError> {
        let inputs = by_name(program, inputs, Self::NAME)?;
        let compiled = self.compiled(program).map_err(refused)?;
        let of = |external: usize, place: u16| {
            let external = &program.externals[external];
            let input = inputs.get(external.name.as_str()).copied();
            let polynomial = input.or_else(|| held.get(external))?;
            Some(polynomial.limb(polynomial.basis().limb_of(place)?))
        };
        let memory = CardMemory::new(program, &compiled, of, |_| None);
        let mut memory = memory.map_err(refused)?;
        simulate(&mut memory, |_, _, _| {}).map_err(refused)?;
        let ring = self.parameters.ring();
        let outputs = program.outputs.iter().enumerate().map(|(index, output)| {
            let basis = compiled.basis_of(index);
            let limbs = memory.output(&compiled, index).map_err(|fault| refused(fault.into()))?;
            let polynomial =
                ring.from_places(&basis, form_of(program, output.value), |place, _, limb| {
                    if let Some(index) = basis.limb_of(place) {
                        limb.copy_from_slice(&limbs[index]);
                    }
                });
            Ok::<_, ExecutorError>(polynomial)
        });
        let outputs = outputs.collect::<Result<Vec<_>, _>>()?;
        Ok(in_pairs(outputs).into_iter().map(Resident::new).collect())
    }
}
