// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Groth16 proofs (eprint 2016/260) over BLS12-381, in the encoding of `bellman`: one, and many
//! under one key with a verdict for each.

mod batch;
mod key;

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
    /// Of another length.
    #[error("a proof has {PROOF_BYTES} bytes, not {got}")]
    Length {
        /// Bytes given.
        got: usize,
    },
    /// A part is not a point of its group, or is infinity.
    #[error("{part}: {error}")]
    Point {
        /// `A`, `B` or `C`.
        part: &'static str,
        /// Why.
        error: PointError,
    },
    /// The key is for another number of public inputs.
    #[error("the key takes {expected} public inputs, not {got}")]
    Inputs {
        /// Inputs that it takes.
        expected: usize,
        /// Inputs given.
        got: usize,
    },
    /// The proof does not prove the inputs.
    #[error("the proof does not match")]
    Mismatch,
}

/// A proof to be verified.
#[derive(Clone, Copy, Debug)]
pub struct Proof<'a> {
    /// [`PROOF_BYTES`].
    pub proof: &'a [u8],
    /// The public inputs.
    pub inputs: &'a [Fr],
}

/// The point, unless it is infinity.
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

/// The pairs and the factor, a value before the final exponentiation, whose product is 1 where a proof
/// is valid.
pub(crate) fn pairs(
    key: &VerifyingKey,
    proof: Proof<'_>,
) -> Result<([Pair; 3], Miller), Rejection> {
    batch::pairs(key, proof)
}

/// Verifies proofs under one key together, over the threads of the current pool; a verdict for
/// each.
pub fn verify_batch(key: &VerifyingKey, proofs: &[Proof<'_>]) -> Vec<Result<(), Rejection>> {
    batch::verdicts(key, proofs)
}
