// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Proving keys together with their circuits, in the files of snarkjs and bellman.

use super::circom::{CircomError, CircomKey};
use super::{
    Assignment, Constraints, PointChecks, ProveError, ProvingKey, ProvingKeyError, Secrets,
};

/// The first bytes of a file of snarkjs.
const ZKEY_MAGIC: &[u8] = b"zkey";

/// Why bytes are not a proving key of either kind.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CircuitKeyError {
    /// The bytes begin as a file of snarkjs does.
    #[error(transparent)]
    Circom(#[from] CircomError),
    /// The bytes begin otherwise, so they would be a key of bellman.
    #[error(transparent)]
    Bellman(#[from] ProvingKeyError),
}

/// A proving key. A `.zkey` of snarkjs has its circuit; a key of bellman needs the circuit's
/// [`Constraints`] beside it.
#[derive(Clone, Debug)]
pub struct CircuitKey {
    key: Kind,
    constraints: Option<Constraints>,
}

#[derive(Clone, Debug)]
enum Kind {
    Circom(Box<CircomKey>),
    Bellman(Box<ProvingKey>),
}

impl CircuitKey {
    /// Reads a `.zkey`, or a key as bellman writes it. Points are tested on the threads of the
    /// current pool.
    ///
    /// # Errors
    /// [`CircuitKeyError`].
    pub fn read(bytes: &[u8], checks: PointChecks) -> Result<Self, CircuitKeyError> {
        let key = match bytes.starts_with(ZKEY_MAGIC) {
            true => Kind::Circom(Box::new(CircomKey::read(bytes, checks)?)),
            false => Kind::Bellman(Box::new(ProvingKey::read(bytes, checks)?)),
        };
        Ok(Self { key, constraints: None })
    }

    /// Adds the constraints of the circuit. A wrong witness for a `.zkey` then gets an error with
    /// the constraint that it does not satisfy; otherwise the finished proof is refused.
    #[must_use]
    pub fn with_constraints(self, constraints: Constraints) -> Self {
        Self { constraints: Some(constraints), ..self }
    }

    /// The key without the circuit.
    pub fn key(&self) -> &ProvingKey {
        match &self.key {
            Kind::Circom(key) => key.key(),
            Kind::Bellman(key) => key,
        }
    }

    /// Evaluates the circuit for a witness: the values of all variables, the first of them 1.
    ///
    /// # Errors
    /// [`ProveError`]; among others, [`ProveError::NoCircuit`] for a key of bellman without
    /// constraints.
    pub fn assign(&self, witness: &Secrets) -> Result<Assignment, ProveError> {
        let own = self.constraints.as_ref().map(|circuit| circuit.assign(witness)).transpose()?;
        match (&self.key, own) {
            (Kind::Circom(key), _) => key.assign(witness),
            (Kind::Bellman(_), Some(assignment)) => Ok(assignment),
            (Kind::Bellman(_), None) => Err(ProveError::NoCircuit),
        }
    }
}
