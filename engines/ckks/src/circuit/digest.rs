// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Hashes of plans, with all numbers in them.

use std::fmt::{self, Write};

use blake3::Hasher;

use super::graph::Operation;
use super::unary::Unary;

/// A hash of steps. That of another version of this library is another one, since its operations may
/// have other bits.
pub(super) struct Digest(Hasher);

impl Digest {
    /// A hash for parameters with this hash.
    pub fn new(parameters: &[u8; 32]) -> Self {
        let mut hasher = Hasher::new_derive_key("Halimede CKKS, a plan");
        hasher.update(env!("CARGO_PKG_VERSION").as_bytes()).update(parameters);
        Self(hasher)
    }

    /// Goes on with an operation, and with what else is to be told of a step.
    pub fn step(&mut self, operation: &Operation, about: &impl fmt::Debug) {
        // What is written to a hasher is never refused. Texts of doubles tell all their bits.
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

    /// Goes on with the steps of results.
    pub fn results(&mut self, results: &[usize]) {
        let _ = writeln!(self, "results {results:?}");
    }

    /// The hash.
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
