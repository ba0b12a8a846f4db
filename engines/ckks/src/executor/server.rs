// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Operations on ciphertexts that stay on an executor.

use std::sync::{Arc, OnceLock};

use super::executor::{ExecutorError, ProgramConstants, ProgramExecutor, Resident};
use super::programs::Programs;
use crate::circuit::Routine;
use crate::complex::Complex;
use crate::estimate::Bound;
use crate::evaluator::{Ciphertext, EvaluationError};
use crate::keys::KeyId;
use crate::params::Scale;
use crate::ring::Program;
use crate::server::Server;

/// A server whose operations run as programs on an executor. It keeps levels, scales and noise like
/// a [`Server`]; the executor keeps residues.
pub struct ProgramServer {
    pub(super) server: Arc<Server>,
    /// Created on the first use.
    programs: OnceLock<Programs>,
    pub(super) executor: Arc<dyn ProgramExecutor>,
}

/// A ciphertext on an executor. It is freed there with the last clone.
#[derive(Clone)]
pub struct CiphertextHandle {
    /// The ciphertext without residues.
    about: Ciphertext,
    owner: KeyId,
    resident: Resident,
}

impl CiphertextHandle {
    /// The level: the number of sequential multiplications that are possible before a bootstrap.
    pub fn level(&self) -> usize {
        self.about.level()
    }

    /// The scale: the factor from values to the polynomial.
    pub fn scale(&self) -> Scale {
        self.about.scale()
    }

    /// The number of values.
    pub fn length(&self) -> usize {
        self.about.length()
    }

    /// The bound of the values.
    pub fn bound(&self) -> Bound {
        self.about.bound()
    }

    /// The number of correct bits after the binary point.
    pub fn precision_bits(&self) -> f64 {
        self.about.precision_bits()
    }

    /// Adds the caller's promise that all values are within this bound.
    #[must_use]
    pub fn bounded(&self, bound: Bound) -> Self {
        Self { about: self.about.bounded(bound), ..self.clone() }
    }

    /// The ciphertext without residues.
    pub(super) fn about(&self) -> &Ciphertext {
        &self.about
    }
}

impl ProgramServer {
    /// Creates a server whose operations run on `executor`.
    pub fn new(server: Arc<Server>, executor: Arc<dyn ProgramExecutor>) -> Self {
        Self { server, programs: OnceLock::new(), executor }
    }

    /// The server, whose keys the programs use.
    pub fn server(&self) -> &Arc<Server> {
        &self.server
    }

    /// Returns `true` if the executor is [this processor](ProgramExecutor::is_host).
    pub fn is_host(&self) -> bool {
        self.executor.is_host()
    }

    /// The recorded programs.
    pub fn programs(&self) -> &Programs {
        self.programs.get_or_init(|| Programs::new(&self.server))
    }

    /// Uploads a ciphertext to the executor.
    ///
    /// # Errors
    /// [`ExecutorError`] for a ciphertext of other parameters or another key, and if the executor
    /// has not enough memory.
    pub fn upload(&self, a: &Ciphertext) -> Result<CiphertextHandle, ExecutorError> {
        self.server.check_own(a)?;
        let resident = self.executor.upload(a.parts())?;
        let about = self.programs().dry().like(&[a]).remove(0);
        Ok(CiphertextHandle { about, owner: a.owner(), resident })
    }

    /// Downloads a ciphertext, to be serialized or decrypted.
    ///
    /// # Errors
    /// [`ExecutorError`] for a handle of another executor, and if the executor does not answer.
    pub fn download(&self, handle: &CiphertextHandle) -> Result<Ciphertext, ExecutorError> {
        let parts = self.executor.download(&handle.resident)?;
        let ciphertext = handle.about.with_residues(parts, handle.owner);
        ciphertext.check_parameters(self.server.parameters())?;
        Ok(ciphertext)
    }

    /// Runs an operation.
    ///
    /// # Errors
    /// [`ExecutorError`] for a wrong number of ciphertexts, if a server rejects the operation, and
    /// if the executor fails.
    pub fn call(
        &self,
        routine: &Routine,
        inputs: &[&CiphertextHandle],
    ) -> Result<Vec<CiphertextHandle>, ExecutorError> {
        let (first, _) = checked(routine, inputs)?;
        self.check_owners(inputs)?;
        let about: Vec<&Ciphertext> = inputs.iter().map(|input| &input.about).collect();
        let (recorded, results) = self.programs().of(routine, &about)?;
        routine.prepare(self.server.bootstrapper(), first.about.slots())?;
        let named = || self.server.named(&routine.matrices());
        let held = recorded.held(self.server.encoder(), named)?;
        self.run_program(routine.name(), &recorded.program, held, inputs, results)
    }

    /// Runs a program whose results have this metadata.
    pub(super) fn run_program(
        &self,
        name: &str,
        program: &Arc<Program>,
        held: &ProgramConstants,
        inputs: &[&CiphertextHandle],
        results: Vec<Ciphertext>,
    ) -> Result<Vec<CiphertextHandle>, ExecutorError> {
        let owner = inputs.first().map_or(KeyId::NOBODY, |input| input.owner);
        let residents: Vec<&Resident> = inputs.iter().map(|input| &input.resident).collect();
        let outputs = self.executor.run(program, held, &residents)?;
        if outputs.len() != results.len() {
            let (wanted, got) = (results.len(), outputs.len());
            let executor = self.executor.name().to_owned();
            let reason = format!("{name} has {wanted} results; got {got}");
            return Err(ExecutorError::Unavailable { executor, reason });
        }
        let handle = |(about, resident)| CiphertextHandle { about, owner, resident };
        Ok(results.into_iter().zip(outputs).map(handle).collect())
    }

    /// Checks that ciphertexts are under the secret key of the server's keys, or at least all under
    /// the same one.
    pub(super) fn check_owners(&self, all: &[&CiphertextHandle]) -> Result<(), ExecutorError> {
        all.iter().try_for_each(|of| self.check_own(of))?;
        let Some((first, others)) = all.split_first() else { return Ok(()) };
        match others.iter().find(|other| other.owner != first.owner) {
            Some(other) => {
                Err(EvaluationError::Owner { got: other.owner, ours: first.owner }.into())
            }
            None => Ok(()),
        }
    }

    /// Checks that a ciphertext is under the secret key of the server's keys.
    pub(super) fn check_own(&self, a: &CiphertextHandle) -> Result<(), ExecutorError> {
        match self.server.keys().owner() {
            Some(ours) if ours != a.owner => {
                Err(EvaluationError::Owner { got: a.owner, ours }.into())
            }
            _ => Ok(()),
        }
    }

    /// Runs an operation on ciphertexts in this process. If the executor is [this
    /// processor](ProgramExecutor::is_host), the server's own code runs. Otherwise the inputs are
    /// uploaded and the results are downloaded.
    ///
    /// # Errors
    /// As [`Self::call`].
    pub fn compute(
        &self,
        routine: &Routine,
        inputs: &[&Ciphertext],
    ) -> Result<Vec<Ciphertext>, ExecutorError> {
        checked(routine, inputs)?;
        if self.executor.is_host() {
            return Ok(routine.apply(self.server.bootstrapper(), inputs)?);
        }
        let handles = inputs.iter().map(|input| self.upload(input));
        let handles = handles.collect::<Result<Vec<_>, _>>()?;
        let results = self.call(routine, &handles.iter().collect::<Vec<_>>())?;
        results.iter().map(|result| self.download(result)).collect()
    }

    fn one(
        &self,
        routine: &Routine,
        inputs: &[&CiphertextHandle],
    ) -> Result<CiphertextHandle, ExecutorError> {
        let (takes, got) = (routine.takes(), inputs.len());
        let none = ExecutorError::Inputs { routine: routine.name(), takes, got };
        self.call(routine, inputs)?.into_iter().next().ok_or(none)
    }

    /// a + b.
    ///
    /// # Errors
    /// As [`Self::call`].
    pub fn add(
        &self,
        a: &CiphertextHandle,
        b: &CiphertextHandle,
    ) -> Result<CiphertextHandle, ExecutorError> {
        self.one(&Routine::Add, &[a, b])
    }

    /// a · b, one level lower.
    ///
    /// # Errors
    /// As [`Self::call`].
    pub fn mul(
        &self,
        a: &CiphertextHandle,
        b: &CiphertextHandle,
    ) -> Result<CiphertextHandle, ExecutorError> {
        self.one(&Routine::Multiply, &[a, b])
    }

    /// a · a number, one level lower.
    ///
    /// # Errors
    /// As [`Self::call`].
    pub fn mul_number(
        &self,
        a: &CiphertextHandle,
        number: Complex,
    ) -> Result<CiphertextHandle, ExecutorError> {
        self.one(&Routine::MultiplyNumber(number), &[a])
    }

    /// Rotates the values to the left.
    ///
    /// # Errors
    /// As [`Self::call`].
    pub fn rotate(
        &self,
        a: &CiphertextHandle,
        steps: i64,
    ) -> Result<CiphertextHandle, ExecutorError> {
        self.one(&Routine::Rotate(vec![steps]), &[a])
    }

    /// Bootstraps: returns the same values at the output level of a bootstrap.
    ///
    /// # Errors
    /// As [`Self::call`].
    pub fn bootstrap(&self, a: &CiphertextHandle) -> Result<CiphertextHandle, ExecutorError> {
        self.one(&Routine::Bootstrap, &[a])
    }
}

/// Returns the first operand and the others, after a check of their number.
fn checked<'a, T>(
    routine: &Routine,
    inputs: &'a [&'a T],
) -> Result<(&'a T, &'a [&'a T]), ExecutorError> {
    let (takes, got) = (routine.takes(), inputs.len());
    match inputs {
        [first, others @ ..] if takes == got => Ok((first, others)),
        _ => Err(ExecutorError::Inputs { routine: routine.name(), takes, got }),
    }
}
