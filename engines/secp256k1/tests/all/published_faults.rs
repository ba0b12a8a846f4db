// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Faults of a published engine. Each test constructs an input that the engine would accept, shows
//! that a check with the fault accepts it, and that this one names the error.

use crate::common::cases::{first_point, valid};
use crate::common::{bytes, number, random, random_scalar, request, Curve};
use halimede_secp256k1::operations::VerifyRequest;
use halimede_secp256k1::{check, Check};
use num_bigint::BigUint;

/// Parts of the check that can be omitted.
#[derive(Clone, Copy, Default)]
struct Faults {
    /// r + n is compared after wrapping in 256 bits.
    wrapping_sum: bool,
    /// r and s may be 0; then 1/0 is 0, and infinity has the x 0.
    zeros: bool,
    /// The key's coordinates are reduced modulo p.
    unreduced_key: bool,
    /// The key may be off the curve.
    key_off_curve: bool,
}

/// A check with faults, in plain arithmetic.
fn accepts(curve: &Curve, request: &VerifyRequest, faults: Faults) -> bool {
    let [r, s, e, mut x, mut y] =
        [request.r, request.s, request.digest, request.x, request.y].map(|n| number(&n));
    let zero = BigUint::default();
    if faults.unreduced_key {
        (x, y) = (x % &curve.p, y % &curve.p);
    }
    let in_range = |n: &BigUint| (faults.zeros || *n != zero) && *n < curve.n;
    if !in_range(&r) || !in_range(&s) || !(faults.key_off_curve || curve.has(&x, &y)) {
        return false;
    }
    let inverse = if s == zero { zero.clone() } else { s.modinv(&curve.n).unwrap() };
    let u1 = e * &inverse % &curve.n;
    let u2 = &r * &inverse % &curve.n;
    let sum = curve.add(&curve.multiply(&u1, &curve.g), &curve.multiply(&u2, &Some((x, y))));
    let x = match sum {
        Some((x, _)) => x,
        None if faults.zeros => zero,
        None => return false,
    };
    let other = if faults.wrapping_sum {
        (&r + &curve.n) % (BigUint::from(1u8) << 256)
    } else {
        &r + &curve.n
    };
    x == r || x == other
}

/// Checks that the faulty check accepts, and that the check without faults and the engine do not.
fn assert_rejected(request: &VerifyRequest, faults: Faults, because: Check) {
    let curve = Curve::new();
    assert!(accepts(&curve, request, faults), "the fault does not show: {request:?}");
    assert!(!accepts(&curve, request, Faults::default()), "{request:?}");
    assert_eq!(check(request).first(), Some(because), "{request:?}");
}

#[test]
fn a_check_without_faults_accepts_what_is_valid() {
    let curve = Curve::new();
    let mut random = random(7);
    for _ in 0..4 {
        let good = valid(&curve, &mut random);
        assert!(accepts(&curve, &good, Faults::default()) && check(&good).is_valid());
    }
}

/// x = r + n − 2²⁵⁶ passes if the sum wraps.
#[test]
fn the_sum_of_r_and_n_does_not_wrap() {
    let curve = Curve::new();
    let mut random = random(8);
    for start in [1u64, 77, 1 << 40] {
        let (x, point) = first_point(&curve, &start.into());
        let r = x + (BigUint::from(1u8) << 256) - &curve.n;
        let (s, e) = (random_scalar(&mut random), random_scalar(&mut random));
        let request = request(&r, &s, &e, &curve.key_for(&r, &s, &e, &point));
        assert_rejected(&request, Faults { wrapping_sum: true, ..Faults::default() }, Check::Match);
    }
}

/// r = s = 0 passes under any key if 1/0 is 0.
#[test]
fn zeros_are_out_of_range() {
    let curve = Curve::new();
    let mut random = random(9);
    let faults = Faults { zeros: true, ..Faults::default() };
    let zeros = VerifyRequest { r: [0; 32], s: [0; 32], ..valid(&curve, &mut random) };
    assert_rejected(&zeros, faults, Check::RRange);
    // Only r = 0, with u₁ = 0 as well: the sum of two infinities.
    let r_zero = VerifyRequest { r: [0; 32], digest: [0; 32], ..valid(&curve, &mut random) };
    assert_rejected(&r_zero, faults, Check::RRange);
    // Only s = 0 never matches, since r would have to be 0; but the engine must not wait for the
    // inverse.
    let s_zero = VerifyRequest { s: [0; 32], ..valid(&curve, &mut random) };
    assert_eq!(check(&s_zero).first(), Some(Check::SRange));
}

/// x + p represents the same key.
#[test]
fn the_keys_coordinates_are_checked_for_range() {
    let curve = Curve::new();
    let mut random = random(10);
    let faults = Faults { unreduced_key: true, ..Faults::default() };
    for start in [1u32, 500, 4_000_000_000] {
        let (x, key) = first_point(&curve, &start.into());
        let good = curve.forge(&random_scalar(&mut random), &random_scalar(&mut random), &key);
        assert!(check(&good).is_valid());
        let renamed = VerifyRequest { x: bytes(&(x + &curve.p)), ..good };
        assert_rejected(&renamed, faults, Check::OnCurve);
    }
}

/// Off the curve, a forger knows more: with the digest 0, a forger can sign for any such key.
#[test]
fn the_key_is_checked_for_the_curve() {
    let curve = Curve::new();
    let mut random = random(11);
    let faults = Faults { key_off_curve: true, ..Faults::default() };
    for _ in 0..3 {
        let off = Some((random_scalar(&mut random), random_scalar(&mut random)));
        let forged = curve.forge(&BigUint::default(), &random_scalar(&mut random), &off);
        assert_rejected(&forged, faults, Check::OnCurve);
    }
}
