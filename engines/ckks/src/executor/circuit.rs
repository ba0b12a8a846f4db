// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Circuits on executors: each step of a plan is a program, and intermediate ciphertexts stay on
//! the executor.

use std::ops::ControlFlow;

use super::executor::ExecutorError;
use super::server::{CiphertextHandle, ProgramServer};
use crate::bootstrap::Bootstrapper;
use crate::circuit::{only, run_steps, CircuitError, Moment, Plan, Routine, Runner};
use crate::estimate::Bound;
use crate::evaluator::Ciphertext;

impl ProgramServer {
    /// Evaluates a planned expression as [`Bootstrapper::run_plan_while`] does, for inputs on the
    /// executor. The result stays there.
    ///
    /// # Errors
    /// [`ExecutorError`] for inputs that differ from the plan, for missing keys, for an operation
    /// that is not possible, if the executor fails, and if `progress` breaks.
    ///
    /// [`Bootstrapper::run_plan_while`]: crate::Bootstrapper::run_plan_while
    pub fn run_plan(
        &self,
        plan: &Plan,
        inputs: &[(&str, &CiphertextHandle)],
        progress: impl FnMut(usize) -> ControlFlow<()>,
    ) -> Result<CiphertextHandle, ExecutorError> {
        Ok(only(self.run_plan_all(plan, inputs, progress)?)?)
    }

    /// As [`Self::run_plan`], with the values of all planned expressions, in their order.
    ///
    /// # Errors
    /// As [`Self::run_plan`].
    pub fn run_plan_all(
        &self,
        plan: &Plan,
        inputs: &[(&str, &CiphertextHandle)],
        mut progress: impl FnMut(usize) -> ControlFlow<()>,
    ) -> Result<Vec<CiphertextHandle>, ExecutorError> {
        self.server.check_plan(plan)?;
        run_steps(self, plan, inputs, None, |_, place| progress(place))
    }

    /// Like [`Self::run_plan`], for ciphertexts in this process. If the executor is [this
    /// processor], the server's own code runs. Otherwise the inputs are uploaded and the result is
    /// downloaded.
    ///
    /// # Errors
    /// As [`Self::run_plan`].
    ///
    /// [this processor]: super::ProgramExecutor::is_host
    pub fn compute_plan(
        &self,
        plan: &Plan,
        inputs: &[(&str, &Ciphertext)],
        progress: impl FnMut(usize) -> ControlFlow<()>,
    ) -> Result<Ciphertext, ExecutorError> {
        Ok(only(self.compute_plan_all(plan, inputs, progress)?)?)
    }

    /// As [`Self::compute_plan`], with the values of all planned expressions, in their order.
    ///
    /// # Errors
    /// As [`Self::run_plan`].
    pub fn compute_plan_all(
        &self,
        plan: &Plan,
        inputs: &[(&str, &Ciphertext)],
        mut progress: impl FnMut(usize) -> ControlFlow<()>,
    ) -> Result<Vec<Ciphertext>, ExecutorError> {
        if self.executor.is_host() {
            let progress = |moment: &Moment<'_>| progress(moment.place());
            return Ok(self.server.run_plan_all(plan, inputs, None, progress)?);
        }
        let upload = |(name, a): &(&'_ str, &Ciphertext)| Ok((name.to_string(), self.upload(a)?));
        let handles = inputs.iter().map(upload).collect::<Result<Vec<_>, ExecutorError>>()?;
        let inputs: Vec<(&str, &CiphertextHandle)> =
            handles.iter().map(|(name, handle)| (name.as_str(), handle)).collect();
        let results = self.run_plan_all(plan, &inputs, progress)?;
        results.iter().map(|result| self.download(result)).collect()
    }
}

impl Runner for ProgramServer {
    type Value = CiphertextHandle;
    type Error = ExecutorError;
    const HOLDS_PLAINTEXTS: bool = true;

    fn bootstrapper(&self) -> &Bootstrapper {
        self.server.bootstrapper()
    }

    fn about<'v>(&self, value: &'v CiphertextHandle) -> &'v Ciphertext {
        value.about()
    }

    fn check_own(&self, value: &CiphertextHandle) -> Result<(), ExecutorError> {
        self.check_own(value)
    }

    fn apply(
        &self,
        routine: &Routine,
        operands: &[&CiphertextHandle],
    ) -> Result<Vec<CiphertextHandle>, ExecutorError> {
        self.call(routine, operands)
    }

    fn bounded(&self, value: &CiphertextHandle, bound: Bound) -> CiphertextHandle {
        value.bounded(bound)
    }

    fn at(what: String, reason: ExecutorError) -> ExecutorError {
        match reason {
            ExecutorError::Circuit(reason) => CircuitError::at(what, reason).into(),
            other => other,
        }
    }
}
