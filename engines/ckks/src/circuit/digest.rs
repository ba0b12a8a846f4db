// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Hashes of plans, including all their numbers.

use std::fmt::{self, Write};

use blake3::Hasher;

use super::graph::Operation;
use super::unary::Unary;

/// A hash of steps. It differs between versions of the library, since their operations may give
/// different bits.
pub(super) struct Digest(Hasher);

impl Digest {
    /// Starts a hash for parameters with this hash.
    pub fn new(parameters: &[u8; 32]) -> Self {
        let mut hasher = Hasher::new_derive_key("Halimede CKKS, a plan");
        hasher.update(env!("CARGO_PKG_VERSION").as_bytes()).update(parameters);
        Self(hasher)
    }

    /// Adds an operation and the other properties of its step.
    pub fn step(&mut self, operation: &Operation, about: &impl fmt::Debug) {
        // Writing to a hasher never fails. The text of a double determines all its bits.
        let _ = match operation {
            Operation::Unary(Unary::Transform(matrix)) => {
                self.0.update(&matrix.digest());
                write!(self, "transform")
            }
            Operation::Blocks { matrix, row } => {
                for block in &matrix.rows()[*row] {
                    let digest = block.as_ref().map_or([0; 32], |block| block.digest());
                    self.0.update(&digest);
                }
                write!(self, "row of blocks, {:?}", matrix.split())
            }
            other => write!(self, "{other:?}"),
        };
        let _ = writeln!(self, " {about:?}");
    }

    /// Adds the steps of results.
    pub fn results(&mut self, results: &[usize]) {
        let _ = writeln!(self, "results {results:?}");
    }

    /// Returns the hash.
    pub fn end(self) -> [u8; 32] {
        *self.0.finalize().as_bytes()
    }
}

impl Write for Digest {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.update(text.as_bytes());
        Ok(())
    }
}
