// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Groth16 proofs in batches.

use std::sync::Arc;

use halimede_arith::job::{Amount, Compute};
use halimede_arith::{operation_over, Fr};

use super::grouped;
use crate::groth16::{verify, verify_batch, Proof, Rejection, VerifyingKey};

/// The check of a proof.
pub struct VerifyProof;

/// A request of [`VerifyProof`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProofRequest {
    /// The key; requests that share it are verified together.
    pub key: Arc<VerifyingKey>,
    /// The proof.
    pub proof: Vec<u8>,
    /// The public inputs.
    pub inputs: Vec<Fr>,
}

impl ProofRequest {
    pub(crate) fn borrow(&self) -> Proof<'_> {
        Proof { proof: &self.proof, inputs: &self.inputs }
    }
}

operation_over!(
    VerifyProof,
    ProofRequest,
    Result<(), Rejection>,
    "bls12_381.verify_proof",
    |_row| 1
);

impl Compute for VerifyProof {
    const BRIEF: Amount = Amount::of_requests(8);
    const PIECE: Amount = Amount::of_requests(128);

    fn compute(row: &ProofRequest) -> Result<(), Rejection> {
        verify(&row.key, row.borrow())
    }

    /// Requests that share a key are verified together.
    fn compute_batch(batch: &[ProofRequest]) -> Vec<Result<(), Rejection>> {
        grouped(
            batch,
            |a, b| Arc::ptr_eq(&a.key, &b.key),
            |rows| {
                let proofs: Vec<_> = rows.iter().map(|row| row.borrow()).collect();
                verify_batch(&rows[0].key, &proofs)
            },
        )
    }
}
