// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The verification operation of a device.

use halimede_arith::job::{Amount, Compute};
use halimede_arith::operation_over;

use super::{verify, verify_batch, Rejection, Signed};

/// The check of a Schnorr signature.
pub struct VerifySchnorr;

/// A request of [`VerifySchnorr`]: bytes of any length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchnorrRequest {
    /// x of the key.
    pub key: Vec<u8>,
    /// The message.
    pub message: Vec<u8>,
    /// r and s.
    pub signature: Vec<u8>,
}

impl SchnorrRequest {
    /// Borrows the bytes.
    pub fn signed(&self) -> Signed<'_> {
        let Self { key, message, signature } = self;
        Signed { key, message, signature }
    }
}

operation_over!(
    VerifySchnorr,
    SchnorrRequest,
    Result<(), Rejection>,
    "secp256k1.verify_schnorr",
    |_request| 1
);

impl Compute for VerifySchnorr {
    const BRIEF: Amount = Amount::of_requests(1 << 11);
    const PIECE: Amount = Amount::of_requests(1 << 14);

    fn compute(request: &SchnorrRequest) -> Result<(), Rejection> {
        verify(request.signed())
    }

    fn compute_batch(requests: &[SchnorrRequest]) -> Vec<Result<(), Rejection>> {
        let signed: Vec<Signed<'_>> = requests.iter().map(SchnorrRequest::signed).collect();
        verify_batch(&signed)
    }
}
