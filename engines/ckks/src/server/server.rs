// SPDX-License-Identifier: Apache-2.0 OR MIT
//! All rungs of the ladder in one place, each by the same keys.

use std::ops::Deref;

use crate::bootstrap::Bootstrapper;
use crate::evaluator::{EvaluationKeys, Evaluator};
use crate::sampling::Seed;

/// Computes on ciphertexts. It holds evaluation keys, and no secret key.
///
/// Its operations are those of a [`Bootstrapper`], which bootstraps and runs circuits, and of an
/// [`Evaluator`], to which each rung of the ladder adds its own: sums, products, rotations,
/// matrices, polynomials, functions. Each has the error of its rung, which becomes a
/// [`CircuitError`](crate::CircuitError) by `?`.
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
    /// A server with these keys.
    pub fn new(keys: EvaluationKeys) -> Self {
        Self { bootstrapper: Bootstrapper::new(Evaluator::new(keys)) }
    }

    /// The same with bootstraps by the angles of a seed: [`Bootstrapper::with_angles`].
    #[must_use]
    pub fn with_angles(self, seed: Seed) -> Self {
        Self { bootstrapper: self.bootstrapper.with_angles(seed) }
    }

    /// The bootstrapper of these keys.
    pub fn bootstrapper(&self) -> &Bootstrapper {
        &self.bootstrapper
    }
}
