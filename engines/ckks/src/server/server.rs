// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The server: all operations in one place, with one set of keys.

use std::ops::Deref;

use crate::bootstrap::Bootstrapper;
use crate::evaluator::{EvaluationKeys, Evaluator};
use crate::sampling::Seed;

/// Evaluates operations on ciphertexts. It holds evaluation keys and no secret key.
///
/// It dereferences to a [`Bootstrapper`], which bootstraps and runs circuits, and to an
/// [`Evaluator`], to which each module adds its operations: sums, products, rotations, matrices,
/// polynomials, functions. Each operation returns the error of its module, which `?` converts to a
/// [`CircuitError`](crate::CircuitError).
pub struct Server {
    bootstrapper: Bootstrapper,
}

impl Deref for Server {
    type Target = Bootstrapper;

    fn deref(&self) -> &Bootstrapper {
        &self.bootstrapper
    }
}

impl Server {
    /// Creates a server with these keys.
    pub fn new(keys: EvaluationKeys) -> Self {
        Self { bootstrapper: Bootstrapper::new(Evaluator::new(keys)) }
    }

    /// Uses the angles of a seed in bootstraps: [`Bootstrapper::with_angles`].
    #[must_use]
    pub fn with_angles(self, seed: Seed) -> Self {
        Self { bootstrapper: self.bootstrapper.with_angles(seed) }
    }

    /// The bootstrapper with the server's keys.
    pub fn bootstrapper(&self) -> &Bootstrapper {
        &self.bootstrapper
    }
}
