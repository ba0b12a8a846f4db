// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A signature whose numbers are in range, under a key on the curve: only the equation is open. The
//! equation is checked by libsecp256k1, or in lanes.

use halimede_arith::serial::limbs::Limbs;
use secp256k1::ecdsa::Signature;
use secp256k1::{Message, PublicKey};

use crate::constants::GROUP_ORDER;
use crate::key::{coordinates, of_coordinates};
use crate::quotient::limbs;
use crate::verdict::{Check, Mask};

/// The five numbers of a check: 256 bits each, big-endian. They may be out of range, which the
/// check finds.
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

/// A signature with r and s in [1, n) under a key on the curve: only its equation is left to check.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub key: PublicKey,
    pub r: [u8; 32],
    pub s: [u8; 32],
    pub digest: [u8; 32],
}

impl Candidate {
    /// Performs the checks of a request's numbers except the equation.
    ///
    /// # Errors
    /// The failed checks.
    pub fn new(request: &VerifyRequest) -> Result<Self, Mask> {
        let VerifyRequest { r, s, digest, x, y } = request;
        let Some(key) = of_coordinates([x, y]) else {
            let mut mask = out_of_range(r, s);
            mask.set(Check::OnCurve);
            return Err(mask);
        };
        Self::under(key, r, s, digest)
    }

    /// Performs the checks of a signature except the equation, under a key that is known to be on
    /// the curve.
    ///
    /// # Errors
    /// The failed checks.
    pub fn under(
        key: PublicKey,
        r: &[u8; 32],
        s: &[u8; 32],
        digest: &[u8; 32],
    ) -> Result<Self, Mask> {
        let mask = out_of_range(r, s);
        if !mask.is_valid() {
            return Err(mask);
        }
        Ok(Self { key, r: *r, s: *s, digest: *digest })
    }

    /// Evaluates the equation with libsecp256k1: returns `true` if x of u₁G + u₂Q is r modulo n.
    pub fn holds(&self) -> bool {
        let mut compact = [0; 64];
        compact[..32].copy_from_slice(&self.r);
        compact[32..].copy_from_slice(&self.s);
        Signature::from_compact(&compact).is_ok_and(|mut signature| {
            // libsecp256k1 accepts only a low s. With n − s the point is negated, and its x is the
            // same.
            signature.normalize_s();
            signature.verify(Message::from_digest(self.digest), &self.key).is_ok()
        })
    }

    /// x and y of the key.
    pub fn coordinates(&self) -> [Limbs; 2] {
        coordinates(&self.key).map(|number| limbs(&number))
    }
}

/// Performs the range checks.
fn out_of_range(r: &[u8; 32], s: &[u8; 32]) -> Mask {
    let is_in_range = |number: &[u8; 32]| *number != [0; 32] && *number < GROUP_ORDER;
    let mut mask = Mask::VALID;
    if !is_in_range(r) {
        mask.set(Check::RRange);
    }
    if !is_in_range(s) {
        mask.set(Check::SRange);
    }
    mask
}
