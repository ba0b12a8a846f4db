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
use crate::quotient::quotient;
use crate::{Check, Mask};

/// Makes every check of a request's numbers.
pub fn check(request: &VerifyRequest) -> Mask {
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

/// Whether u₁G + u₂Q is the point at infinity. With u₁ = e/s and u₂ = r/s that is (r/s)(Q +
/// (e/r)G), so it is where Q + (e/r)G is, whatever s is: half the work of [`equation`], for a
/// quotient.
fn leads_to_infinity(key: &PublicKey, r: &[u8; 32], digest: &[u8; 32]) -> bool {
    let multiple = Scalar::from_be_bytes(quotient(&digest::modulo_n(digest), r));
    // A quotient lies below n: a sum fails where there is no point.
    multiple.is_ok_and(|multiple| key.add_exp_tweak(&multiple).is_err())
}

#[cfg(test)]
mod tests {
    use num_bigint::BigUint;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;
    use secp256k1::SecretKey;

    use super::*;

    fn bytes(number: &BigUint) -> [u8; 32] {
        digest::leftmost_bits(&number.to_bytes_be())
    }

    /// Under d·G, e = −rd leads to infinity, and no other e does.
    #[test]
    fn infinity_is_told_from_its_neighbours() {
        let n = BigUint::from_bytes_be(&GROUP_ORDER);
        let mut random = ChaCha8Rng::seed_from_u64(0x1f);
        let mut any = || BigUint::from_bytes_be(&random.gen::<[u8; 32]>()) % (&n - 1u8) + 1u8;
        let mut cases: Vec<_> = (0..100).map(|_| (any(), any(), any())).collect();
        let small = || (1..5u8).map(BigUint::from);
        let large = || (1..5u8).map(|below| &n - below);
        for d in small().chain(large()) {
            cases.extend(small().chain(large()).map(|r| (d.clone(), r, any())));
        }
        for (d, r, s) in cases {
            let key = PublicKey::from_secret_key(&SecretKey::from_secret_bytes(bytes(&d)).unwrap());
            let e = (&n - &r * &d % &n) % &n;
            let failed = |e: &BigUint| check_under(&key, &bytes(&r), &bytes(&s), &bytes(e)).first();
            assert_eq!(failed(&e), Some(Check::Infinity), "{d} {r}");
            // The same number, not reduced.
            let above = &e + &n;
            if above.bits() <= 256 {
                assert_eq!(failed(&above), Some(Check::Infinity), "{d} {r}");
            }
            let opposite = (&n - &e) % &n;
            for other in [&e + 1u8, (&e + &n - 1u8) % &n, opposite, BigUint::default()] {
                assert_eq!(failed(&other), Some(Check::Match), "{d} {r} {other}");
            }
        }
    }
}
