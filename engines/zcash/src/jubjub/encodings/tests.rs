// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Encodings on every backend against the crate `jubjub`.

use halimede_arith::field::{Bls12381Scalar, Modulus};
use jubjub::AffinePoint;
use rand::Rng;

use super::*;
use crate::jubjub::testing::{affine, bytes, point, random, small_order_points};

fn expected(encoding: &[u8; 32]) -> Option<Affine> {
    Option::<AffinePoint>::from(AffinePoint::from_bytes(*encoding)).map(|point| affine(&point))
}

fn check(encodings: &[[u8; 32]]) {
    let expected: Vec<_> = encodings.iter().map(expected).collect();
    for backend in Backend::available() {
        assert_eq!(decode(backend, encodings), expected, "{backend}");
    }
}

/// Encodings near the bounds of canonical ones, each with both sign bits.
fn edges() -> Vec<[u8; 32]> {
    let [r0, r1, r2, r3] = Bls12381Scalar::VALUE;
    let near = [r0 - 2, r0 - 1, r0, r0 + 1, r0 + 2].map(|low| [low, r1, r2, r3]);
    let mut numbers = near.to_vec();
    numbers.extend((0..40).map(|low| [low, 0, 0, 0]));
    numbers.push([u64::MAX, u64::MAX, u64::MAX, u64::MAX >> 1]);
    let mut encodings: Vec<_> = numbers.into_iter().map(bytes).collect();
    encodings.extend(small_order_points().iter().map(AffinePoint::to_bytes));
    let flipped = encodings.iter().map(|encoding| {
        let mut encoding = *encoding;
        encoding[31] ^= 0x80;
        encoding
    });
    let flipped: Vec<_> = flipped.collect();
    [encodings, flipped].concat()
}

#[test]
fn edges_are_decoded_as_the_reference_does() {
    let edges = edges();
    check(&edges);
    let one = bytes([1, 0, 0, 0]);
    let mut with_sign = one;
    with_sign[31] |= 0x80;
    // The neutral element, and its second encoding of before ZIP 216.
    assert_eq!(
        decode(Backend::Portable, &[one, with_sign]),
        [Some(Affine { u: Fr::ZERO, v: Fr::ONE }), None]
    );
    let refused = edges.iter().filter(|encoding| expected(encoding).is_none()).count();
    assert!(refused > 10 && refused < edges.len() - 10, "{refused} of {}", edges.len());
}

#[test]
fn random_bytes_are_decoded_as_the_reference_does() {
    let mut random = random(1);
    for count in [0, 1, 2, 5, 6, 7, 15, 16, 17, 33, TOGETHER - 1, TOGETHER, TOGETHER + 3] {
        let encodings: Vec<[u8; 32]> = (0..count).map(|_| random.gen()).collect();
        check(&encodings);
    }
}

#[test]
fn points_come_back_from_their_encodings_and_a_flipped_sign_is_the_opposite() {
    let mut random = random(2);
    let points: Vec<_> = (0..40).map(|_| point(&mut random)).collect();
    let mut encodings: Vec<_> = points.iter().map(AffinePoint::to_bytes).collect();
    let decoded: Vec<_> = points.iter().map(|point| Some(affine(point))).collect();
    let opposite = |point: &Option<Affine>| point.map(|Affine { u, v }| Affine { u: -u, v });
    let opposites: Vec<_> = decoded.iter().map(opposite).collect();
    for backend in Backend::available() {
        assert_eq!(decode(backend, &encodings), decoded, "{backend}");
        encodings.iter_mut().for_each(|encoding| encoding[31] ^= 0x80);
        assert_eq!(decode(backend, &encodings), opposites, "{backend}");
        encodings.iter_mut().for_each(|encoding| encoding[31] ^= 0x80);
    }
}
