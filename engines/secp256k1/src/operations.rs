// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a device can be asked of this engine, and this processor's answers.

use halimede_arith::job::{Amount, Compute};
use halimede_arith::operation_over;

use crate::{check, Mask};

/// A signature's check.
pub struct Verify;

/// Numbers of 256 bits, big-endian, none of which need be in range: that is what is checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyRequest {
    /// r of the signature.
    pub r: [u8; 32],
    /// s of the signature.
    pub s: [u8; 32],
    /// The digest's leftmost 256 bits.
    pub digest: [u8; 32],
    /// x of the public key.
    pub x: [u8; 32],
    /// y of the public key.
    pub y: [u8; 32],
}

operation_over!(Verify, VerifyRequest, Mask, "secp256k1.verify");

impl Compute for Verify {
    const BRIEF: Amount = Amount::of_requests(1 << 11);
    const PIECE: Amount = Amount::of_requests(1 << 14);

    fn compute(request: &VerifyRequest) -> Mask {
        check::check(request)
    }
}
