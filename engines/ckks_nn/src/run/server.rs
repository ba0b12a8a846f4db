// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The server: runs a network on encrypted inputs.

use std::ops::ControlFlow;
use std::sync::Arc;

use halimede_ckks::{Ciphertext, EvaluationKeys, Server};

use crate::compile::Model;
use crate::error::NetworkError;

/// A network with the keys of a client.
pub struct NetworkServer<'a> {
    model: &'a Model,
    server: Arc<Server>,
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
    /// A server with these keys.
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
        Ok(Self { model, server })
    }

    /// The network's values for an encrypted input. `progress` is told after each step, and may
    /// end the run.
    ///
    /// # Errors
    /// [`NetworkError::Circuit`] for an input that is not as planned, and where `progress` breaks.
    pub fn run(
        &self,
        input: &Ciphertext,
        mut progress: impl FnMut(Progress<'_>) -> ControlFlow<()>,
    ) -> Result<Ciphertext, NetworkError> {
        let steps = self.model.plan().steps();
        let given = [(self.model.input_name(), input)];
        let mut done = 0;
        let result = self.server.run_plan_while(self.model.plan(), &given, |place| {
            done += 1;
            let layer = steps.get(place).and_then(|step| step.label());
            progress(Progress { done, steps: steps.len(), layer })
        })?;
        Ok(result)
    }
}
