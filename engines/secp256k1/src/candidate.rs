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

/// A signature whose r and s lie in [1, n), under a key that is on the curve: its equation decides.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub key: PublicKey,
    pub r: [u8; 32],
    pub s: [u8; 32],
    pub digest: [u8; 32],
}

impl Candidate {
    /// Makes the checks of a request's numbers but for the equation.
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

    /// Makes the checks of a signature under a key that is known to be on the curve, but for the
    /// equation.
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

    /// Whether x of u₁G + u₂Q is r modulo n, by libsecp256k1.
    pub fn holds(&self) -> bool {
        let mut compact = [0; 64];
        compact[..32].copy_from_slice(&self.r);
        compact[32..].copy_from_slice(&self.s);
        Signature::from_compact(&compact).is_ok_and(|mut signature| {
            // libsecp256k1 takes low s alone; with n - s the point is the opposite one, its x the
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

/// The range checks.
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
