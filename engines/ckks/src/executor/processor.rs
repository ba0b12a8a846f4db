// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The processor as an executor: it replays programs step by step. The fused code of a server is
//! faster. This executor is the reference for others.

use std::collections::HashMap;
use std::sync::Arc;

use super::executor::{ExecutorError, ProgramConstants, ProgramExecutor, Resident};
use crate::params::Parameters;
use crate::ring::{Polynomial, Program};
use crate::server::in_pairs;

/// Replays programs in the ring of given parameters.
pub struct ProcessorPrograms {
    parameters: Parameters,
}

/// Both parts of a ciphertext.
pub(super) type Parts = [Polynomial; 2];

impl ProcessorPrograms {
    /// The name of the executor.
    pub const NAME: &'static str = "cpu";

    /// Creates an executor of programs with these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        Self { parameters: parameters.clone() }
    }
}

/// Returns the polynomials of a call's inputs, by the names of their external values.
pub(super) fn by_name<'a>(
    program: &'a Program,
    inputs: impl IntoIterator<Item = &'a Parts>,
) -> HashMap<&'a str, &'a Polynomial> {
    let names = program.externals.iter().map(|external| external.name.as_str());
    names.zip(inputs.into_iter().flatten()).collect()
}

impl ProgramExecutor for ProcessorPrograms {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn is_host(&self) -> bool {
        true
    }

    fn upload(&self, parts: [&Polynomial; 2]) -> Result<Resident, ExecutorError> {
        // Clones share their residues.
        Ok(Resident::new(parts.map(Polynomial::clone)))
    }

    fn download(&self, resident: &Resident) -> Result<Parts, ExecutorError> {
        Ok(resident.kept::<Parts>(Self::NAME)?.clone())
    }

    fn run(
        &self,
        program: &Arc<Program>,
        held: &ProgramConstants,
        inputs: &[&Resident],
    ) -> Result<Vec<Resident>, ExecutorError> {
        let parts = inputs.iter().map(|input| input.kept::<Parts>(Self::NAME));
        let inputs = by_name(program, parts.collect::<Result<Vec<_>, _>>()?);
        let outputs = program.replay(self.parameters.ring(), |external| {
            inputs.get(external.name.as_str()).copied().or_else(|| held.get(external))
        })?;
        Ok(in_pairs(outputs).into_iter().map(Resident::new).collect())
    }
}
