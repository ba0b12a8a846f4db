// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The recovery operation of a device.

use halimede_arith::job::{Amount, Compute};
use halimede_arith::operation_over;

use super::{recover, recover_batch, RecoveredKey, Rejection, Rules};

/// The recovery of a public key.
pub struct Recover;

/// A request of [`Recover`]: bytes of any length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecoverRequest {
    /// The rules for the signature.
    pub rules: Rules,
    /// The digest, of which the leftmost 256 bits count.
    pub digest: Vec<u8>,
    /// r, s and the recovery id.
    pub signature: Vec<u8>,
}

operation_over!(
    Recover,
    RecoverRequest,
    Result<RecoveredKey, Rejection>,
    "secp256k1.recover",
    |_request| 1
);

impl Compute for Recover {
    const BRIEF: Amount = Amount::of_requests(1 << 11);
    const PIECE: Amount = Amount::of_requests(1 << 14);

    fn compute(request: &RecoverRequest) -> Result<RecoveredKey, Rejection> {
        recover(request.rules, &request.digest, &request.signature)
    }

    fn compute_batch(requests: &[RecoverRequest]) -> Vec<Result<RecoveredKey, Rejection>> {
        recover_batch(requests)
    }
}
