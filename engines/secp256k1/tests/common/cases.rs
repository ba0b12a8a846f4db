// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Requests at every edge of the check, by name.

use std::sync::OnceLock;

use halimede_secp256k1::operations::VerifyRequest;
use num_bigint::BigUint;
use rand_chacha::ChaCha8Rng;

use super::reference::Point;
use super::{bytes, random, random_scalar, request, Curve};

pub type Case = (String, VerifyRequest);

/// Returns all cases, which are the same in each run.
pub fn edge_cases() -> &'static [Case] {
    static CASES: OnceLock<Vec<Case>> = OnceLock::new();
    CASES.get_or_init(make_cases)
}

fn make_cases() -> Vec<Case> {
    let curve = Curve::new();
    let mut random = random(6);
    let mut cases = Vec::new();
    numbers_out_of_range(&curve, &mut random, &mut cases);
    sums_of_r_and_n(&curve, &mut random, &mut cases);
    points_at_infinity(&curve, &mut random, &mut cases);
    digests(&curve, &mut random, &mut cases);
    special_keys(&curve, &mut random, &mut cases);
    keys_that_are_none(&curve, &mut random, &mut cases);
    tiny_numbers(&curve, &mut random, &mut cases);
    cases
}

/// A valid signature with a random key.
pub fn valid(curve: &Curve, random: &mut ChaCha8Rng) -> VerifyRequest {
    let key = curve.multiply(&random_scalar(random), &curve.g);
    curve.forge(&random_scalar(random), &random_scalar(random), &key)
}

/// Returns the least x from `start` on that belongs to a point, and that point.
pub fn first_point(curve: &Curve, start: &BigUint) -> (BigUint, Point) {
    let mut x = start.clone();
    loop {
        let point = curve.lift(&x);
        if point.is_some() {
            return (x, point);
        }
        x += 1u8;
    }
}

/// r and s at the ends of their range and beyond, in each combination, in a signature whose other
/// numbers are valid.
fn numbers_out_of_range(curve: &Curve, random: &mut ChaCha8Rng, cases: &mut Vec<Case>) {
    let top = (BigUint::from(1u8) << 256) - 1u8;
    let edges: Vec<(&str, BigUint)> = vec![
        ("0", BigUint::default()),
        ("1", 1u8.into()),
        ("n-1", &curve.n - 1u8),
        ("n", curve.n.clone()),
        ("n+1", &curve.n + 1u8),
        ("p", curve.p.clone()),
        ("2^256-1", top),
    ];
    for (r_name, r) in &edges {
        for (s_name, s) in &edges {
            let request = VerifyRequest { r: bytes(r), s: bytes(s), ..valid(curve, random) };
            cases.push((format!("r = {r_name}, s = {s_name}"), request));
        }
        let good = valid(curve, random);
        cases.push((format!("r = {r_name}"), VerifyRequest { r: bytes(r), ..good.clone() }));
        cases.push((format!("s = {r_name}"), VerifyRequest { s: bytes(r), ..good.clone() }));
        let off_curve = VerifyRequest { r: bytes(r), y: bytes(&random_scalar(random)), ..good };
        cases.push((format!("r = {r_name}, and the key off the curve"), off_curve));
    }
}

/// Signatures that lead to a point with a chosen x, and values of r that a faulty check could
/// accept.
fn sums_of_r_and_n(curve: &Curve, random: &mut ChaCha8Rng, cases: &mut Vec<Case>) {
    let two_256 = BigUint::from(1u8) << 256;
    for step in [1u32, 1000, 4_000_000_000] {
        let mut case = |name: &str, r: &BigUint, big_r: &Point| {
            let (s, e) = (random_scalar(random), random_scalar(random));
            let key = curve.key_for(r, &s, &e, big_r);
            cases.push((format!("{name}, from {step}"), request(r, &s, &e, &key)));
        };
        let (x, point) = first_point(curve, &(&curve.n + step));
        case("x of the point is r + n", &(&x - &curve.n), &point);
        let (x, point) = first_point(curve, &step.into());
        case("x of the point is r, small", &x, &point);
        case("x of the point is r + n - p", &(&x + &curve.p - &curve.n), &point);
        case("x of the point is r + n - 2^256", &(&x + &two_256 - &curve.n), &point);
        let (x, point) = first_point(curve, &(&curve.n - 1u8 - step));
        if x < curve.n {
            case("x of the point is r, just below n", &x, &point);
        }
    }
}

/// u₁G = −u₂Q, and the related case u₁G = u₂Q, in which a sum is a doubling.
fn points_at_infinity(curve: &Curve, random: &mut ChaCha8Rng, cases: &mut Vec<Case>) {
    for (name, d) in [
        ("a random key", random_scalar(random)),
        ("the key G", 1u8.into()),
        ("the key -G", &curve.n - 1u8),
        ("the key 2G", 2u8.into()),
    ] {
        let (r, s) = (random_scalar(random), random_scalar(random));
        let key = curve.multiply(&d, &curve.g);
        let e = (&curve.n - &r * &d % &curve.n) % &curve.n;
        cases.push((format!("infinity under {name}"), request(&r, &s, &e, &key)));
        let high_s = request(&r, &(&curve.n - &s), &e, &key);
        cases.push((format!("infinity under {name}, n - s"), high_s));
        let beside = request(&r, &s, &(&e + 1u8), &key);
        cases.push((format!("beside infinity under {name}"), beside));
        let u2 = random_scalar(random);
        let doubling = curve.forge(&(&u2 * &d % &curve.n), &u2, &key);
        cases.push((format!("a doubling under {name}"), doubling));
    }
}

/// Digests that are 0 modulo n, so that u₁ = 0, or that must be reduced.
fn digests(curve: &Curve, random: &mut ChaCha8Rng, cases: &mut Vec<Case>) {
    let key = curve.multiply(&random_scalar(random), &curve.g);
    let good = curve.forge(&BigUint::default(), &random_scalar(random), &key);
    let of_n = VerifyRequest { digest: bytes(&curve.n), ..good.clone() };
    let of_one = VerifyRequest { digest: bytes(&1u8.into()), ..good.clone() };
    cases.push(("digest 0".into(), good));
    cases.push(("digest n".into(), of_n));
    cases.push(("digest 1 in place of 0".into(), of_one));
    for (name, e) in [
        ("2^256-1", (BigUint::from(1u8) << 256) - 1u8),
        ("n+1", &curve.n + 1u8),
        ("n-1", &curve.n - 1u8),
        ("p", curve.p.clone()),
    ] {
        let (_, point) = first_point(curve, &random_scalar(random));
        let (r, s) = (&point.as_ref().unwrap().0 % &curve.n, random_scalar(random));
        let key = curve.key_for(&r, &s, &e, &point);
        cases.push((format!("digest {name}"), request(&r, &s, &e, &key)));
        let reduced = request(&r, &s, &(&e % &curve.n), &key);
        cases.push((format!("digest {name}, reduced"), reduced));
        let changed = request(&r, &s, &(&e - 1u8), &key);
        cases.push((format!("digest {name}, less 1"), changed));
    }
}

/// Keys that formulas or tables may treat specially.
fn special_keys(curve: &Curve, random: &mut ChaCha8Rng, cases: &mut Vec<Case>) {
    // The eigenvalue of the endomorphism (x, y) -> (βx, y), β³ = 1 (Gallant, Lambert, Vanstone
    // 2001).
    let lambda = super::hex("5363ad4cc05c30e0a5261c028812645a122e22ea20816678df02967c1b23bd72");
    let square = &lambda * &lambda % &curve.n;
    let logarithms: [(&str, BigUint); 10] = [
        ("G", 1u8.into()),
        ("-G", &curve.n - 1u8),
        ("2G", 2u8.into()),
        ("-2G", &curve.n - 2u8),
        ("3G", 3u8.into()),
        ("G/2", (&curve.n + 1u8) >> 1),
        ("λG", lambda.clone()),
        ("-λG", &curve.n - &lambda),
        ("λ²G", square),
        ("2^128 G", BigUint::from(1u8) << 128),
    ];
    for (name, d) in logarithms {
        let key = curve.multiply(&d, &curve.g);
        let good = curve.forge(&random_scalar(random), &random_scalar(random), &key);
        let (x, y) = curve.negate(&key).unwrap();
        let opposite = VerifyRequest { x: bytes(&x), y: bytes(&y), ..good.clone() };
        cases.push((format!("the key {name}"), good));
        cases.push((format!("the opposite of the key {name}"), opposite));
        let one = BigUint::from(1u8);
        for (u1, u2) in [(&one, &one), (&lambda, &one), (&one, &lambda), (&d, &one)] {
            let sum = curve.add(&curve.multiply(u1, &curve.g), &curve.multiply(u2, &key));
            if sum.is_some() {
                let name = format!("the key {name}, u1 of {} bits, u2 of {}", u1.bits(), u2.bits());
                cases.push((name, curve.forge(u1, u2, &key)));
            }
        }
    }
    // x below 2^32 + 977 has a second 256-bit number that is the same modulo p.
    for start in [1u32, 977] {
        let (x, key) = first_point(curve, &start.into());
        let good = curve.forge(&random_scalar(random), &random_scalar(random), &key);
        let unreduced = VerifyRequest { x: bytes(&(&x + &curve.p)), ..good.clone() };
        cases.push((format!("a key with the x {x}"), good));
        cases.push((format!("a key with the x {x} + p"), unreduced));
    }
    let (x, key) = first_point(curve, &(&curve.p - 200u8));
    let good = curve.forge(&random_scalar(random), &random_scalar(random), &key);
    cases.push((format!("a key with an x of {} bits, just below p", x.bits()), good));
}

/// Coordinates that are not those of a point.
fn keys_that_are_none(curve: &Curve, random: &mut ChaCha8Rng, cases: &mut Vec<Case>) {
    let good = valid(curve, random);
    let (p, zero) = (bytes(&curve.p), [0; 32]);
    let top = [0xff; 32];
    for (name, x, y) in [
        ("0, 0", zero, zero),
        ("x = 0", zero, good.y),
        ("y = 0", good.x, zero),
        ("x = p", p, good.y),
        ("y = p", good.x, p),
        ("p, p", p, p),
        ("x = 2^256-1", top, good.y),
        ("y = 2^256-1", good.x, top),
        ("y, x", good.y, good.x),
    ] {
        cases.push((format!("the key ({name})"), VerifyRequest { x, y, ..good.clone() }));
    }
    let mut flipped = good.clone();
    flipped.y[31] ^= 1;
    cases.push(("a key with the last bit of y flipped".into(), flipped));
    // Points of another curve y² = x³ + b; with u₁ = 0 the formulas never use b.
    for _ in 0..3 {
        let off = Some((random_scalar(random), random_scalar(random)));
        let request = curve.forge(&BigUint::default(), &random_scalar(random), &off);
        cases.push(("good on another curve".into(), request));
    }
}

/// Small r, s and digests, and the top ends of their ranges.
fn tiny_numbers(curve: &Curve, random: &mut ChaCha8Rng, cases: &mut Vec<Case>) {
    let numbers = |least: u8| {
        [BigUint::from(least), BigUint::from(least + 1), &curve.n - 1u8, &curve.n - 2u8]
    };
    for s in numbers(1) {
        for e in numbers(0) {
            let (x, point) = first_point(curve, &1u8.into());
            let key = curve.key_for(&x, &s, &e, &point);
            let name = format!("r = {x}, s of {} bits, digest of {}", s.bits(), e.bits());
            cases.push((name.clone(), request(&x, &s, &e, &key)));
            cases.push((format!("{name}, n - s"), request(&x, &(&curve.n - &s), &e, &key)));
            let wrong = random_scalar(random);
            cases.push((format!("{name}, another r"), request(&wrong, &s, &e, &key)));
        }
    }
}
