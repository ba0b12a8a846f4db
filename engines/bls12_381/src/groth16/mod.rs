// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Groth16 proofs (eprint 2016/260) over BLS12-381, in the encoding of `bellman`: verifies one
//! proof, or many under one key with a verdict for each. [`prove`] makes proofs.

mod batch;
mod key;
pub mod prove;

pub use key::{KeyError, VerifyingKey, KEY_LIMIT_BYTES};

use halimede_arith::Fr;

use crate::library::{Curve, Miller};
use crate::pairing::Pair;
use crate::{Point, PointError};

/// Bytes of a proof: A and C in G1, B in G2, compressed.
pub const PROOF_BYTES: usize = 192;

/// Why a proof is not valid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    /// The length is wrong.
    #[error("a proof has {PROOF_BYTES} bytes, not {got}")]
    Length {
        /// The number of bytes given.
        got: usize,
    },
    /// An element of the proof is not a point of its group, or is infinity.
    #[error("{part}: {error}")]
    Point {
        /// `A`, `B` or `C`.
        part: &'static str,
        /// The reason.
        error: PointError,
    },
    /// The number of public inputs does not match the key.
    #[error("the key takes {expected} public inputs, not {got}")]
    Inputs {
        /// The number of inputs that the key takes.
        expected: usize,
        /// The number of inputs given.
        got: usize,
    },
    /// The proof does not hold for these inputs.
    #[error("the proof does not match")]
    Mismatch,
}

/// A proof to verify.
#[derive(Clone, Copy, Debug)]
pub struct Proof<'a> {
    /// The proof, [`PROOF_BYTES`] long.
    pub proof: &'a [u8],
    /// The public inputs.
    pub inputs: &'a [Fr],
}

/// Returns the point, unless it is infinity.
fn finite<C: Curve>(point: Point<C>) -> Result<Point<C>, PointError> {
    match point.is_infinity() {
        true => Err(PointError::Infinity),
        false => Ok(point),
    }
}

/// Verifies a proof.
///
/// # Errors
/// [`Rejection`].
pub fn verify(key: &VerifyingKey, proof: Proof<'_>) -> Result<(), Rejection> {
    verify_batch(key, &[proof]).pop().unwrap_or(Err(Rejection::Mismatch))
}

/// Returns the pairs and the factor, a value before the final exponentiation, whose product is 1 if
/// a proof is valid.
pub(crate) fn pairs(
    key: &VerifyingKey,
    proof: Proof<'_>,
) -> Result<([Pair; 3], Miller), Rejection> {
    batch::pairs(key, proof)
}

/// Verifies proofs under one key together, on the threads of the current pool. Returns a verdict
/// for each.
pub fn verify_batch(key: &VerifyingKey, proofs: &[Proof<'_>]) -> Vec<Result<(), Rejection>> {
    batch::verdicts(key, proofs)
}
