// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The server: runs a network on encrypted inputs.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use halimede_ckks::circuit::Moment;
use halimede_ckks::{Ciphertext, EvaluationKeys, Plan, Server};

use super::checkpoints::Checkpoints;
use super::ciphertexts::Ciphertexts;
use crate::compile::Model;
use crate::error::NetworkError;

/// A network with the keys of a client.
pub struct NetworkServer<'a> {
    model: &'a Model,
    server: Arc<Server>,
    checkpoints: Option<Checkpoints>,
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress<'a> {
    /// Steps that are done.
    pub done: usize,
    /// All steps.
    pub steps: usize,
    /// The layer that the last step belongs to, where it has a name.
    pub layer: Option<&'a str>,
}

impl<'a> NetworkServer<'a> {
    /// Returns a server with these keys.
    ///
    /// # Errors
    /// [`NetworkError::Circuit`] for keys that are missing, which are named.
    pub fn new(model: &'a Model, keys: EvaluationKeys) -> Result<Self, NetworkError> {
        Self::with_server(model, Arc::new(Server::new(keys)))
    }

    /// The same by a server that has the keys.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn with_server(model: &'a Model, server: Arc<Server>) -> Result<Self, NetworkError> {
        server.check_plan(model.plan())?;
        Ok(Self { model, server, checkpoints: None })
    }

    /// The same with checkpoints in a folder, which is made where there is none. A run leaves one after
    /// each bootstrap, and removes it when it has its result. A run of the same network, input and
    /// keys, in this process or in a later one, goes on from it to the same bits.
    ///
    /// A checkpoint has the size of some ciphertexts, and is [for the server
    /// alone](halimede_ckks::circuit::Checkpoint): files have mode 0600. A server in a new process is
    /// given its folder before its first run.
    ///
    /// # Errors
    /// [`NetworkError::Checkpoint`] if the folder cannot be read or made, and for a file in it that
    /// is no checkpoint of these parameters.
    pub fn keeping_checkpoints(self, folder: &Path) -> Result<Self, NetworkError> {
        let checkpoints = Some(Checkpoints::open(folder, &self.server)?);
        Ok(Self { checkpoints, ..self })
    }

    /// Returns the network's values for an encrypted input. `progress` is told after each step, and
    /// may end the run.
    ///
    /// # Errors
    /// [`NetworkError::Ciphertexts`] for another number of ciphertexts, [`NetworkError::Circuit`] for an
    /// input that is not as planned, and where `progress` breaks; [`NetworkError::Checkpoint`] for one
    /// that cannot be read or written.
    pub fn run(
        &self,
        input: &Ciphertexts,
        mut progress: impl FnMut(Progress<'_>) -> ControlFlow<()>,
    ) -> Result<Ciphertexts, NetworkError> {
        input.check_count("an input", self.model.interface().input_ciphertexts())?;
        let plan = self.model.plan();
        let names = self.model.input_names();
        let given: Vec<(&str, &Ciphertext)> =
            names.iter().map(String::as_str).zip(input.parts()).collect();
        let mut told = |place: usize| progress(told_of(plan, place));
        let Some(checkpoints) = &self.checkpoints else {
            let told = |moment: &Moment<'_>| told(moment.place());
            let parts = self.server.run_plan_all(plan, &given, None, told)?;
            return Ok(Ciphertexts::result_of(input, parts));
        };
        let run = self.server.run_id(plan, &given);
        let checkpoint = checkpoints.of(run, plan.parameters())?;
        let mut failed = None;
        let result = self.server.run_plan_all(plan, &given, checkpoint, |moment| {
            let place = moment.place();
            if plan.steps()[place].is_bootstrap() {
                if let Err(error) = checkpoints.keep(&moment.checkpoint(), plan.parameters()) {
                    failed = Some(error);
                    return ControlFlow::Break(());
                }
            }
            told(place)
        });
        match failed {
            Some(error) => Err(error),
            None => {
                let parts = result?;
                checkpoints.remove(run)?;
                Ok(Ciphertexts::result_of(input, parts))
            }
        }
    }
}

fn told_of(plan: &Plan, place: usize) -> Progress<'_> {
    let layer = plan.steps().get(place).and_then(|step| step.label());
    Progress { done: place + 1, steps: plan.steps().len(), layer }
}
