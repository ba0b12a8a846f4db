// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Signatures in batches.

use halimede_arith::job::{Amount, Compute};
use halimede_arith::operation_over;

use crate::signature::{verify, verify_batch, Rejection, Signed, Suite};

/// The check of a signature.
pub struct VerifySignature;

/// A kept request of [`VerifySignature`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignatureRequest {
    /// The suite.
    pub suite: Suite,
    /// The public key.
    pub key: Vec<u8>,
    /// The message.
    pub message: Vec<u8>,
    /// The signature.
    pub signature: Vec<u8>,
}

operation_over!(
    VerifySignature,
    SignatureRequest,
    Result<(), Rejection>,
    "bls12_381.verify_signature",
    |_row| 1
);

impl SignatureRequest {
    /// Borrows key, message and signature.
    pub fn signed(&self) -> Signed<'_> {
        Signed { key: &self.key, message: &self.message, signature: &self.signature }
    }
}

impl Compute for VerifySignature {
    const BRIEF: Amount = Amount::of_requests(16);
    const PIECE: Amount = Amount::of_requests(256);

    fn compute(row: &SignatureRequest) -> Result<(), Rejection> {
        verify(row.suite, row.signed())
    }

    /// Requests of the same suite are verified together.
    fn compute_batch(batch: &[SignatureRequest]) -> Vec<Result<(), Rejection>> {
        let mut replies = vec![Err(Rejection::Mismatch); batch.len()];
        for suite in Suite::ALL {
            let rows: Vec<usize> =
                (0..batch.len()).filter(|&number| batch[number].suite == suite).collect();
            let signed: Vec<Signed<'_>> =
                rows.iter().map(|&number| batch[number].signed()).collect();
            for (number, verdict) in rows.into_iter().zip(verify_batch(suite, &signed)) {
                replies[number] = verdict;
            }
        }
        replies
    }
}
