// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One signature's check (SEC 1, section 4.1.4), every reason told apart. The equation is
//! libsecp256k1's work; it says only that a signature is good or not.
//!
//! Keys, digests and signatures are public: time depends on them.

use secp256k1::ecdsa::Signature;
use secp256k1::{Message, PublicKey, Scalar};

use crate::constants::GROUP_ORDER;
use crate::digest;
use crate::operations::VerifyRequest;
use crate::{Check, Mask};

/// Makes every check of a request.
pub(crate) fn check(request: &VerifyRequest) -> Mask {
    let VerifyRequest { r, s, digest, x, y } = request;
    let mut mask = out_of_range(r, s);
    match point(x, y) {
        Some(key) if mask.is_valid() => mask = equation(&key, r, s, digest),
        Some(_) => {}
        None => mask.set(Check::OnCurve),
    }
    mask
}

/// The checks of a signature under a key that is known to be on the curve.
pub(crate) fn check_under(key: &PublicKey, r: &[u8; 32], s: &[u8; 32], digest: &[u8; 32]) -> Mask {
    let mask = out_of_range(r, s);
    if !mask.is_valid() {
        return mask;
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
fn equation(key: &PublicKey, r: &[u8; 32], s: &[u8; 32], digest: &[u8; 32]) -> Mask {
    let mut compact = [0; 64];
    compact[..32].copy_from_slice(r);
    compact[32..].copy_from_slice(s);
    let mut mask = Mask::VALID;
    let holds = Signature::from_compact(&compact).is_ok_and(|mut signature| {
        // libsecp256k1 takes low s alone; with n - s the point is the opposite one, its x the same.
        signature.normalize_s();
        signature.verify(Message::from_digest(*digest), key).is_ok()
    });
    if !holds {
        let leads_to_infinity = leads_to_infinity(key, r, digest);
        mask.set(if leads_to_infinity { Check::Infinity } else { Check::Match });
    }
    mask
}

/// Whether u₁G + u₂Q is the point at infinity. With u₁ = e/s and u₂ = r/s that is s⁻¹(eG + rQ),
/// so s does not matter. Twice the work of [`equation`]: only for what has failed.
fn leads_to_infinity(key: &PublicKey, r: &[u8; 32], digest: &[u8; 32]) -> bool {
    let scalars = (Scalar::from_be_bytes(*r), Scalar::from_be_bytes(digest::modulo_n(digest)));
    let (Ok(r), Ok(e)) = scalars else { return false };
    // A multiple by r in [1, n) is a point; a sum fails where there is none.
    key.mul_tweak(&r).is_ok_and(|multiple| multiple.add_exp_tweak(&e).is_err())
}
