// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The seam between operations on ciphertexts and the places that compute them.

use std::any::Any;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::on_card::CardTraffic;
use crate::circuit::CircuitError;
use crate::params::Parameters;
use crate::ring::{External, Named, Polynomial, Program, ProgramError};

/// A place that runs programs: the processor, a card, a GPU.
///
/// An executor knows rings and programs alone, neither scales nor noise. It keeps both parts of
/// ciphertexts where it computes, and brings keys and plaintexts there when a program first takes
/// them.
pub trait ProgramExecutor: Send + Sync {
    /// Its name, such as "cpu".
    fn name(&self) -> &str;

    /// Whether it computes on the processor that the server runs on: the server's own fused code is
    /// faster there than programs.
    fn is_host(&self) -> bool {
        false
    }

    /// Brings both parts of a ciphertext to where programs run.
    ///
    /// # Errors
    /// [`ExecutorError`] where there is no room, or the place does not answer.
    fn upload(&self, parts: [&Polynomial; 2]) -> Result<Resident, ExecutorError>;

    /// Both parts of a ciphertext, to be serialized or decrypted.
    ///
    /// # Errors
    /// [`ExecutorError::Foreign`] for a ciphertext of another executor, and where the place does
    /// not answer.
    fn download(&self, resident: &Resident) -> Result<[Polynomial; 2], ExecutorError>;

    /// Whether the place has room for a program and for what it takes.
    ///
    /// # Errors
    /// [`ExecutorError`] for a program that the place refuses whatever its inputs are.
    fn supports(
        &self,
        _program: &Arc<Program>,
        _held: &ProgramConstants,
    ) -> Result<(), ExecutorError> {
        Ok(())
    }

    /// Runs a program: its outputs, of which two are a ciphertext's parts, stay where they are
    /// computed.
    ///
    /// The first values from outside are the parts of `inputs`, in their order; `held` has the
    /// others. The same program comes in the same [`Arc`] each time, so that it is compiled once; a
    /// polynomial of `held` keeps its [name](Polynomial::name) as long as its content, so that it
    /// is brought there once.
    ///
    /// # Errors
    /// [`ExecutorError`] for a program that is damaged or of another ring, for missing keys, and
    /// where the place does not answer.
    fn run(
        &self,
        program: &Arc<Program>,
        held: &ProgramConstants,
        inputs: &[&Resident],
    ) -> Result<Vec<Resident>, ExecutorError>;
}

/// A place that has executors of programs, one for each set of parameters.
pub trait ProgramPlace: Send + Sync {
    /// An executor of programs with these parameters.
    ///
    /// # Errors
    /// [`ExecutorError::Unavailable`] where the place cannot run programs with them, or does not
    /// answer.
    fn executor(&self, parameters: &Parameters) -> Result<Arc<dyn ProgramExecutor>, ExecutorError>;

    /// Whether it takes rings of degree N = 2^`log_degree`, as far as it is known.
    fn takes(&self, _log_degree: u32) -> bool {
        true
    }

    /// Whether it can fail in the middle of the work: then it is asked by a session, which tries again.
    fn may_fail(&self) -> bool {
        true
    }

    /// What has been asked of it so far, where it is a card that was used.
    fn traffic(&self) -> Option<CardTraffic> {
        None
    }
}

/// A ciphertext's residues in the memory of an executor. They are freed with the last copy.
#[derive(Clone)]
pub struct Resident(Arc<dyn Any + Send + Sync>);

impl Resident {
    /// Wraps an executor's handle of the residues, whose drop frees them.
    pub fn new(kept: impl Any + Send + Sync) -> Self {
        Self(Arc::new(kept))
    }

    /// The handle of the executor `name`.
    ///
    /// # Errors
    /// [`ExecutorError::Foreign`] where they are another executor's.
    pub fn kept<T: Any>(&self, name: &str) -> Result<&T, ExecutorError> {
        let foreign = || ExecutorError::Foreign { executor: name.to_owned() };
        self.0.downcast_ref().ok_or_else(foreign)
    }
}

/// The polynomials of keys and plaintexts that a program takes, by their names in it. Copies share
/// them.
#[derive(Clone)]
pub struct ProgramConstants(Arc<HashMap<String, Polynomial>>);

impl ProgramConstants {
    /// Those of these polynomials that a program takes. Copies share their residues.
    pub fn of_program<'a>(program: &Program, named: impl IntoIterator<Item = Named<'a>>) -> Self {
        let taken: HashSet<&str> = program.externals.iter().map(|of| of.name.as_str()).collect();
        let taken = named.into_iter().filter(|(name, _)| taken.contains(name.as_str()));
        Self(Arc::new(taken.map(|(name, polynomial)| (name, polynomial.clone())).collect()))
    }

    /// The polynomial of an external value.
    pub fn get(&self, external: &External) -> Option<&Polynomial> {
        self.0.get(&external.name)
    }
}

/// Why an operation cannot be run.
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
    /// An operation takes another number of ciphertexts.
    #[error("{routine} takes {takes} ciphertexts; got {got}")]
    Inputs { routine: &'static str, takes: usize, got: usize },
    /// A ciphertext is kept by another executor.
    #[error("the ciphertext is not on {executor}: download it where it is, and upload it there")]
    Foreign { executor: String },
    /// A polynomial is marked secret: it stays here.
    #[error("{name:?} is secret, and does not go to {executor}")]
    Secret { executor: String, name: String },
    /// The place failed in the middle of the work.
    #[error("{executor} failed: {reason}")]
    Failed { executor: String, reason: String },
    /// The place does not run programs, or not at the moment.
    #[error("{executor} cannot run the program: {reason}")]
    Unavailable { executor: String, reason: String },
}

impl<E: Into<CircuitError>> From<E> for ExecutorError {
    fn from(error: E) -> Self {
        Self::Circuit(error.into())
    }
}
