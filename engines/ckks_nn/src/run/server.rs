// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The server: runs a network on encrypted inputs.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use halimede_ckks::circuit::Moment;
use halimede_ckks::executor::{ProgramExecutor, ProgramServer};
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
    /// The programs of an executor other than this processor.
    programs: Option<Arc<ProgramServer>>,
}

/// The progress of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress<'a> {
    /// The number of steps done.
    pub done: usize,
    /// The number of all steps.
    pub steps: usize,
    /// The layer of the last step, if it has a name.
    pub layer: Option<&'a str>,
}

impl<'a> NetworkServer<'a> {
    /// Returns a server with these keys.
    ///
    /// # Errors
    /// [`NetworkError::Circuit`] if keys are missing. The error names them.
    pub fn new(model: &'a Model, keys: EvaluationKeys) -> Result<Self, NetworkError> {
        Self::with_server(model, Arc::new(Server::new(keys)))
    }

    /// As [`Self::new`], from a server that already has the keys.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn with_server(model: &'a Model, server: Arc<Server>) -> Result<Self, NetworkError> {
        server.check_plan(model.plan())?;
        Ok(Self { model, server, checkpoints: None, programs: None })
    }

    /// Runs the network on an executor of programs, such as a GPU: inputs are uploaded and results
    /// downloaded, with the same bits. Runs there leave no checkpoints.
    #[must_use]
    pub fn on_executor(self, executor: Arc<dyn ProgramExecutor>) -> Self {
        let programs = Arc::new(ProgramServer::new(Arc::clone(&self.server), executor));
        self.on_programs(programs)
    }

    /// As [`Self::on_executor`], with programs of the same keys, which other servers may share.
    #[must_use]
    pub fn on_programs(self, programs: Arc<ProgramServer>) -> Self {
        let programs = (!programs.is_host()).then_some(programs);
        Self { programs, ..self }
    }

    /// Keeps checkpoints in a folder, which is created if it does not exist. A run leaves a
    /// checkpoint after each bootstrap, and removes it when it is complete. A run of the same
    /// network, input and keys, in this process or in a later one, continues from it and gives the
    /// same bits.
    ///
    /// A checkpoint has the size of several ciphertexts, and is [only for this
    /// server](halimede_ckks::circuit::Checkpoint): files have mode 0600. In a new process, set the
    /// folder before the first run.
    ///
    /// # Errors
    /// [`NetworkError::Checkpoint`] if the folder cannot be read or created, and for a file in it
    /// that is not a checkpoint of these parameters.
    pub fn keeping_checkpoints(self, folder: &Path) -> Result<Self, NetworkError> {
        let checkpoints = Some(Checkpoints::open(folder, &self.server)?);
        Ok(Self { checkpoints, ..self })
    }

    /// Checks an input as a run would: the number of its ciphertexts, their key, length, level and
    /// bound.
    ///
    /// # Errors
    /// [`NetworkError::Ciphertexts`], which says what to do.
    pub fn check_input(&self, input: &Ciphertexts) -> Result<(), NetworkError> {
        let wrong = |reason: String| NetworkError::Ciphertexts { what: "an input", reason };
        input.check_count("an input", self.model.interface().input_ciphertexts())?;
        let planned = self.model.plan().inputs();
        let lengths = self.model.interface().input_lengths();
        for ((name, part), length) in
            self.model.input_names().iter().zip(input.parts()).zip(lengths)
        {
            if self.server.keys().owner().is_some_and(|ours| ours != part.owner()) {
                let reason = "it and the evaluation keys belong to different secret keys: encrypt \
                              it with the key that made them";
                return Err(wrong(reason.to_owned()));
            }
            let Some(planned) = planned.get(name) else { continue };
            let bound = planned.estimate.bound;
            let fits = bound.contains_all(part.bound()) && part.level() >= planned.level;
            if part.length() != length || !fits {
                return Err(wrong(format!(
                    "{name} has {} values, level {} and {}, but the network needs {length} values, \
                     level {} and {bound}: encrypt it with this network's interface",
                    part.length(),
                    part.level(),
                    part.bound(),
                    planned.level
                )));
            }
        }
        Ok(())
    }

    /// Returns the sum of inputs, each [in its own
    /// place](crate::compile::Interface::encrypt_in_place) of a batch: one run computes all of
    /// them. If two inputs are in one place, the result of that place is meaningless.
    ///
    /// The errors of the encryptions add up. [Decryptions for
    /// others](super::NetworkClient::decrypt_for_sharing) assume one encryption: the owner of the
    /// key must state a larger bound.
    ///
    /// # Errors
    /// As [`Self::check_input`], and [`NetworkError::Batch`] for no inputs.
    pub fn join(&self, inputs: &[Ciphertexts]) -> Result<Ciphertexts, NetworkError> {
        inputs.iter().try_for_each(|input| self.check_input(input))?;
        let Some((first, others)) = inputs.split_first() else {
            let most = self.model.interface().batch();
            return Err(NetworkError::Batch { got: 0, most });
        };
        let mut parts = first.parts().to_vec();
        let planned = self.model.plan().inputs();
        for (number, (part, name)) in parts.iter_mut().zip(self.model.input_names()).enumerate() {
            for other in others {
                *part = self.server.add(part, &other.parts()[number])?;
            }
            // Values in different places do not add up.
            if let Some(planned) = planned.get(&name) {
                *part = part.bounded(planned.estimate.bound);
            }
        }
        Ok(Ciphertexts::result_of(first, parts))
    }

    /// Returns the ciphertexts of an input as vectors of the network's length: a shorter vector
    /// repeats in its slots already.
    ///
    /// # Errors
    /// [`NetworkError::Ciphertexts`] for a vector of another length than the interface's.
    fn in_slots(&self, input: &Ciphertexts) -> Result<Vec<Ciphertext>, NetworkError> {
        let interface = self.model.interface();
        let in_slots = |(part, length): (&Ciphertext, usize)| {
            if part.length() != length && interface.input_repeats() {
                let reason = format!(
                    "it has {} values, but the network needs {length}, which repeat in its slots: \
                     encrypt it with this network's interface",
                    part.length()
                );
                return Err(NetworkError::Ciphertexts { what: "an input", reason });
            }
            match length < interface.slots() {
                true => Ok(self.server.repeat(part, interface.slots())?),
                false => Ok(part.clone()),
            }
        };
        input.parts().iter().zip(interface.input_lengths()).map(in_slots).collect()
    }

    /// Removes the checkpoint of an input whose run was given up.
    ///
    /// # Errors
    /// [`NetworkError::Checkpoint`] if it cannot be removed.
    pub fn forget(&self, input: &Ciphertexts) -> Result<(), NetworkError> {
        let Some(checkpoints) = &self.checkpoints else { return Ok(()) };
        let (names, parts) = (self.model.input_names(), self.in_slots(input)?);
        let given: Vec<(&str, &Ciphertext)> =
            names.iter().map(String::as_str).zip(&parts).collect();
        checkpoints.remove(self.server.run_id(self.model.plan(), &given))
    }

    /// Returns the network's values for an encrypted input. `progress` is called after each step,
    /// and may end the run.
    ///
    /// # Errors
    /// [`NetworkError::Ciphertexts`] if the number of ciphertexts is wrong;
    /// [`NetworkError::Circuit`] for an input that does not match the plan, and if `progress`
    /// breaks; [`NetworkError::Executor`] if the executor fails; [`NetworkError::Checkpoint`] for a
    /// checkpoint that cannot be read or written.
    pub fn run(
        &self,
        input: &Ciphertexts,
        mut progress: impl FnMut(Progress<'_>) -> ControlFlow<()>,
    ) -> Result<Ciphertexts, NetworkError> {
        input.check_count("an input", self.model.interface().input_ciphertexts())?;
        let plan = self.model.plan();
        let (names, parts) = (self.model.input_names(), self.in_slots(input)?);
        let given: Vec<(&str, &Ciphertext)> =
            names.iter().map(String::as_str).zip(&parts).collect();
        let mut told = |place: usize| progress(told_of(plan, place));
        if let Some(programs) = &self.programs {
            let parts = programs.compute_plan_all(plan, &given, told)?;
            return Ok(Ciphertexts::result_of(input, parts));
        }
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
