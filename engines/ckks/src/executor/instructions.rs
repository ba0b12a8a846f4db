// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The card's instruction simulator as an executor: programs are compiled for a card, and run on a
//! memory and a scratchpad of their own.

use std::sync::Arc;

use super::compiled::{is_seeded, output_polynomials, refused, CompiledPrograms};
use super::executor::{ExecutorError, Held, ProgramExecutor, Resident};
use super::processor::{by_name, Parts};
use crate::card::{simulate, Card, CardError, CardMemory};
use crate::params::Parameters;
use crate::ring::{Polynomial, Program};
use crate::server::in_pairs;

/// Compiles programs for a card, and runs them instruction by instruction.
pub struct InstructionSimulator {
    parameters: Parameters,
    compiled: CompiledPrograms,
}

impl InstructionSimulator {
    /// The name of the executor.
    pub const NAME: &'static str = "instructions";

    /// An executor of programs with these parameters on a card.
    pub fn new(parameters: &Parameters, card: Card) -> Self {
        Self { parameters: parameters.clone(), compiled: CompiledPrograms::new(card) }
    }
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
        let parts = inputs.iter().map(|input| input.kept::<Parts>(Self::NAME));
        let inputs = by_name(program, parts.collect::<Result<Vec<_>, _>>()?);
        let refused = |error: CardError| refused(Self::NAME, error);
        let polynomial = |external: usize| {
            let external = &program.externals[external];
            let input = inputs.get(external.name.as_str()).copied();
            input.or_else(|| held.get(external))
        };
        let is_seeded = is_seeded(program, polynomial);
        let compiled = self.compiled.of(program, is_seeded).map_err(refused)?;
        let of = |external: usize, place: u16| {
            let polynomial = polynomial(external)?;
            Some(polynomial.limb(polynomial.basis().limb_of(place)?))
        };
        let memory = CardMemory::new(program, &compiled, of, |of| polynomial(of)?.seed());
        let mut memory = memory.map_err(refused)?;
        simulate(&mut memory, |_, _, _| {}).map_err(refused)?;
        let limbs = |index| memory.output(&compiled, index);
        let outputs = output_polynomials(self.parameters.ring(), program, &compiled, limbs);
        let outputs = outputs.map_err(|fault| refused(fault.into()))?;
        Ok(in_pairs(outputs).into_iter().map(Resident::new).collect())
    }
}
