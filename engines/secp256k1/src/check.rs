// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One signature's check (SEC 1, section 4.1.4). The equation is libsecp256k1's work; it says only
//! that a signature is good or not, and [`reason`](crate::reason) says why it is not.
//!
//! Keys, digests and signatures are public: time depends on them.

use halimede_arith::Backend;
use secp256k1::ecdsa::Signature;
use secp256k1::{Message, PublicKey};

use crate::constants::GROUP_ORDER;
use crate::operations::VerifyRequest;
use crate::reason::{mismatch, reasons, Failure};
use crate::{Check, Mask};

/// What is known of a signature once its equation was tried.
#[derive(Debug)]
pub(crate) enum Tried {
    /// The result of all checks.
    Known(Mask),
    /// The equation does not hold; the reason is to be found, with those of others.
    Failed(Box<Failure>),
}

impl Tried {
    /// The mask, for whoever has no other signature to check.
    pub(crate) fn mask(self) -> Mask {
        match self {
            Self::Known(mask) => mask,
            Self::Failed(failure) => {
                let masks = reasons(Backend::active(), &[*failure]);
                masks.first().copied().unwrap_or(mismatch())
            }
        }
    }
}

/// Makes every check of a request's numbers.
pub fn check(request: &VerifyRequest) -> Mask {
    try_numbers(request).mask()
}

/// The checks of a request's numbers.
pub(crate) fn try_numbers(request: &VerifyRequest) -> Tried {
    let VerifyRequest { r, s, digest, x, y } = request;
    let mut mask = out_of_range(r, s);
    match point(x, y) {
        Some(key) if mask.is_valid() => return equation(&key, r, s, digest),
        Some(_) => {}
        None => mask.set(Check::OnCurve),
    }
    Tried::Known(mask)
}

/// The checks of a signature under a key that is known to be on the curve.
pub(crate) fn try_under(key: &PublicKey, r: &[u8; 32], s: &[u8; 32], digest: &[u8; 32]) -> Tried {
    let mask = out_of_range(r, s);
    if !mask.is_valid() {
        return Tried::Known(mask);
    }
    equation(key, r, s, digest)
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

/// The point with these coordinates, where they are below p and the curve has it.
fn point(x: &[u8; 32], y: &[u8; 32]) -> Option<PublicKey> {
    let mut bytes = [4; 65];
    bytes[1..33].copy_from_slice(x);
    bytes[33..].copy_from_slice(y);
    PublicKey::from_byte_array_uncompressed(bytes).ok()
}

/// Whether x of u₁G + u₂Q is r modulo n, for r and s in [1, n).
fn equation(key: &PublicKey, r: &[u8; 32], s: &[u8; 32], digest: &[u8; 32]) -> Tried {
    let mut compact = [0; 64];
    compact[..32].copy_from_slice(r);
    compact[32..].copy_from_slice(s);
    let holds = Signature::from_compact(&compact).is_ok_and(|mut signature| {
        // libsecp256k1 takes low s alone; with n - s the point is the opposite one, its x the same.
        signature.normalize_s();
        signature.verify(Message::from_digest(*digest), key).is_ok()
    });
    if holds {
        return Tried::Known(Mask::VALID);
    }
    Tried::Failed(Box::new(Failure { key: *key, r: *r, digest: *digest }))
}
