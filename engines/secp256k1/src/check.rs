// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The check of one signature (SEC 1, section 4.1.4). libsecp256k1 evaluates the equation, but
//! reports only whether it holds; [`reason`](crate::reason) finds why it does not.
//!
//! Keys, digests and signatures are public: the running time depends on them.

use halimede_arith::serial::limbs::Limbs;
use halimede_arith::Backend;
use secp256k1::ecdsa::Signature;
use secp256k1::{Message, PublicKey};

use crate::constants::GROUP_ORDER;
use crate::key::{coordinates, of_coordinates};
use crate::operations::VerifyRequest;
use crate::quotient::limbs;
use crate::reason::{mismatch, reasons};
use crate::{Check, Mask};

/// A signature with r and s in [1, n) under a key on the curve: only its equation is left to check.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub key: PublicKey,
    pub r: [u8; 32],
    pub s: [u8; 32],
    pub digest: [u8; 32],
}

/// Performs all checks of a request's numbers.
pub fn check(request: &VerifyRequest) -> Mask {
    match Candidate::new(request) {
        Ok(candidate) => candidate.mask(),
        Err(mask) => mask,
    }
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

    /// The result of all checks of a single signature.
    pub fn mask(self) -> Mask {
        if self.holds() {
            return Mask::VALID;
        }
        reasons(Backend::active(), &[self]).first().copied().unwrap_or(mismatch())
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
