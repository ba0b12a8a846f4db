// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The interface between operations on ciphertexts and the places that compute them.

use std::any::Any;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::on_card::CardTraffic;
use crate::circuit::CircuitError;
use crate::params::Parameters;
use crate::ring::{External, Named, Polynomial, Program, ProgramError};

/// A place that runs programs: the processor, a card, a GPU.
///
/// An executor handles only rings and programs, not scales or noise. It keeps both parts of
/// ciphertexts where it computes, and transfers keys and plaintexts there when a program first uses
/// them.
pub trait ProgramExecutor: Send + Sync {
    /// The name, such as "cpu".
    fn name(&self) -> &str;

    /// Returns `true` if the executor computes on the server's own processor. There, the fused code
    /// of the server is faster than programs.
    fn is_host(&self) -> bool {
        false
    }

    /// Transfers both parts of a ciphertext to where programs run.
    ///
    /// # Errors
    /// [`ExecutorError`] if there is not enough memory or the place does not answer.
    fn upload(&self, parts: [&Polynomial; 2]) -> Result<Resident, ExecutorError>;

    /// Returns both parts of a ciphertext, to be serialized or decrypted.
    ///
    /// # Errors
    /// [`ExecutorError::Foreign`] for a ciphertext of another executor, and another
    /// [`ExecutorError`] if the place does not answer.
    fn download(&self, resident: &Resident) -> Result<[Polynomial; 2], ExecutorError>;

    /// Checks that the place has enough memory for a program and its data.
    ///
    /// # Errors
    /// [`ExecutorError`] for a program that the place rejects for any inputs.
    fn supports(
        &self,
        _program: &Arc<Program>,
        _held: &ProgramConstants,
    ) -> Result<(), ExecutorError> {
        Ok(())
    }

    /// Runs a program. The outputs stay where they are computed, and two consecutive ones are the
    /// parts of a ciphertext.
    ///
    /// The first external values are the parts of `inputs` in their order, and `held` has the
    /// others. A program is in the same [`Arc`] for every call, so that it is compiled once. A
    /// polynomial of `held` keeps its [name](Polynomial::name) as long as its content is unchanged,
    /// so that it is transferred once.
    ///
    /// # Errors
    /// [`ExecutorError`] for a program that is damaged or of another ring, for missing keys, and if
    /// the place does not answer.
    fn run(
        &self,
        program: &Arc<Program>,
        held: &ProgramConstants,
        inputs: &[&Resident],
    ) -> Result<Vec<Resident>, ExecutorError>;
}

/// A place that provides executors of programs, one for each set of parameters.
pub trait ProgramPlace: Send + Sync {
    /// Returns an executor of programs with these parameters.
    ///
    /// # Errors
    /// [`ExecutorError::Unavailable`] if the place cannot run programs with them, or does not
    /// answer.
    fn executor(&self, parameters: &Parameters) -> Result<Arc<dyn ProgramExecutor>, ExecutorError>;

    /// Returns `true` if the place supports rings of degree N = 2^`log_degree`, as far as is known.
    fn takes(&self, _log_degree: u32) -> bool {
        true
    }

    /// Returns `true` if the place can fail during the work. A session then sends its jobs, and
    /// tries again.
    fn may_fail(&self) -> bool {
        true
    }

    /// The work of a card so far, if the place is a card that was used.
    fn traffic(&self) -> Option<CardTraffic> {
        None
    }
}

/// The residues of a ciphertext in the memory of an executor. They are freed with the last clone.
#[derive(Clone)]
pub struct Resident(Arc<dyn Any + Send + Sync>);

impl Resident {
    /// Wraps an executor's handle of the residues. Dropping the handle frees them.
    pub fn new(kept: impl Any + Send + Sync) -> Self {
        Self(Arc::new(kept))
    }

    /// Returns the handle of the executor `name`.
    ///
    /// # Errors
    /// [`ExecutorError::Foreign`] if the residues belong to another executor.
    pub fn kept<T: Any>(&self, name: &str) -> Result<&T, ExecutorError> {
        let foreign = || ExecutorError::Foreign { executor: name.to_owned() };
        self.0.downcast_ref().ok_or_else(foreign)
    }
}

/// The polynomials of the keys and plaintexts that a program uses, by their names in it. Clones
/// share them.
#[derive(Clone)]
pub struct ProgramConstants(Arc<HashMap<String, Polynomial>>);

impl ProgramConstants {
    /// Selects the polynomials that a program uses. Clones share their residues.
    pub fn of_program<'a>(program: &Program, named: impl IntoIterator<Item = Named<'a>>) -> Self {
        let taken: HashSet<&str> = program.externals.iter().map(|of| of.name.as_str()).collect();
        let taken = named.into_iter().filter(|(name, _)| taken.contains(name.as_str()));
        Self(Arc::new(taken.map(|(name, polynomial)| (name, polynomial.clone())).collect()))
    }

    /// Returns the polynomial of an external value.
    pub fn get(&self, external: &External) -> Option<&Polynomial> {
        self.0.get(&external.name)
    }
}

/// The reason why an operation cannot be run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "messages name the fields")]
pub enum ExecutorError {
    /// The operation is not possible on these ciphertexts.
    #[error(transparent)]
    Circuit(CircuitError),
    /// The program cannot be run.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// The operation needs another number of ciphertexts.
    #[error("{routine} takes {takes} ciphertexts; got {got}")]
    Inputs { routine: &'static str, takes: usize, got: usize },
    /// The ciphertext belongs to another executor.
    #[error(
        "the ciphertext is not on {executor}: download it from its executor, and upload it to \
         this one"
    )]
    Foreign { executor: String },
    /// A polynomial is marked secret and must stay on this machine.
    #[error("{name:?} is secret and must not be sent to {executor}")]
    Secret { executor: String, name: String },
    /// The place failed during the work.
    #[error("{executor} failed: {reason}")]
    Failed { executor: String, reason: String },
    /// The place cannot run programs, or not at the moment.
    #[error("{executor} cannot run the program: {reason}")]
    Unavailable { executor: String, reason: String },
}

impl<E: Into<CircuitError>> From<E> for ExecutorError {
    fn from(error: E) -> Self {
        Self::Circuit(error.into())
    }
}
