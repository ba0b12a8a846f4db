// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Work of a server as one program on an executor.

use std::sync::Arc;

use super::executor::ExecutorError;
use super::recorded::Recorded;
use super::server::{CiphertextHandle, ProgramServer};
use crate::circuit::CircuitError;
use crate::evaluator::Ciphertext;
use crate::server::Server;

impl ProgramServer {
    /// Runs work of a server on ciphertexts of the executor, as one program. The results stay on
    /// the executor, and have the bits of a server that computes.
    ///
    /// `work` runs once, on a server without arithmetic and on ciphertexts without residues, to be
    /// recorded. It may neither bootstrap nor use encoded matrices. The program is recorded and
    /// compiled at each call: [`Self::call`] is faster for operations that repeat.
    ///
    /// # Errors
    /// [`ExecutorError`] for ciphertexts of several keys, the error of `work`, and if the executor
    /// fails.
    pub fn run_work(
        &self,
        inputs: &[&CiphertextHandle],
        work: impl FnOnce(&Server, &[&Ciphertext]) -> Result<Vec<Ciphertext>, CircuitError>,
    ) -> Result<Vec<CiphertextHandle>, ExecutorError> {
        self.check_owners(inputs)?;
        let about: Vec<&Ciphertext> = inputs.iter().map(|input| input.about()).collect();
        let (results, program, drafts) =
            self.programs().dry().record_with_drafts(&about, &[], |server| work(server, &about))?;
        let recorded = Recorded::new(program, drafts);
        let held = recorded.held(self.server.encoder(), || self.server.named(&[]))?;
        self.run_program("the work", &Arc::clone(&recorded.program), held, inputs, results)
    }
}
