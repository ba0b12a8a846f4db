// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Encodings of points: round trips, and the errors of invalid encodings.

use halimede_bls12_381::{Curve, CurvePoint, Point, PointError, G1, G2};
use proptest::prelude::*;
use rand::Rng;

use crate::common::{cases, generator, random_point, stray_point};

const P_MINUS_1: &str = "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb\
                         153ffffb9feffffffffaaaa";
const P: &str =
    "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9\
                 feffffffffaaab";

fn published_multiples<C: Curve>(file: &[u8]) {
    let mut multiple = Point::<C>::default();
    assert_eq!(file.len(), 1000 * C::COMPRESSED_BYTES);
    for bytes in file.chunks(C::COMPRESSED_BYTES) {
        assert_eq!(multiple.to_compressed(), bytes);
        let read = Point::<C>::from_compressed(bytes).unwrap();
        assert_eq!(read, multiple);
        assert_eq!(Point::from_bytes(&multiple.to_uncompressed()).unwrap(), read);
        multiple = multiple.plus(&Point::generator());
    }
}

#[test]
fn published_multiples_of_the_generators() {
    published_multiples::<G1>(include_bytes!(
        "../../vectors/zkcrypto/g1_compressed_valid_test_vectors.dat"
    ));
    published_multiples::<G2>(include_bytes!(
        "../../vectors/zkcrypto/g2_compressed_valid_test_vectors.dat"
    ));
}

fn reasons<C: Curve>() {
    let mut rng = generator();
    let point = random_point::<C>(&mut rng);
    let (compressed, uncompressed) = (point.to_compressed(), point.to_uncompressed());
    let flags = |bytes: &[u8], flags: u8| [&[bytes[0] & 0x1f | flags << 5], &bytes[1..]].concat();
    for bad in [0b000, 0b001, 0b010, 0b011, 0b111] {
        let error = Point::<C>::from_compressed(&flags(&compressed, bad)).unwrap_err();
        assert_eq!(error, PointError::Flags { flags: bad, form: "a compressed" });
    }
    for bad in [0b001, 0b011, 0b100, 0b101, 0b110, 0b111] {
        let error = Point::<C>::from_uncompressed(&flags(&uncompressed, bad)).unwrap_err();
        assert_eq!(error, PointError::Flags { flags: bad, form: "an uncompressed" });
    }
    for (bytes, flag) in [(&compressed, 0b110), (&uncompressed, 0b010)] {
        let error = Point::<C>::from_bytes(&flags(bytes, flag)).unwrap_err();
        assert_eq!(error, PointError::BadInfinity);
        let mut infinity = vec![0; bytes.len()];
        infinity[0] = flag << 5;
        assert!(Point::<C>::from_bytes(&infinity).unwrap().is_infinity());
        infinity[bytes.len() - 1] = 1;
        assert_eq!(Point::<C>::from_bytes(&infinity).unwrap_err(), PointError::BadInfinity);
    }
    // Flipping the sign gives the opposite point.
    let mut opposite = compressed.clone();
    opposite[0] ^= 0x20;
    assert_eq!(Point::<C>::from_compressed(&opposite).unwrap(), point.negated());
    for element in 0..2 * C::DEGREE {
        let mut bytes = uncompressed.clone();
        hex::decode_to_slice(P, &mut bytes[48 * element..][..48]).unwrap();
        let error = Point::<C>::from_uncompressed(&bytes).unwrap_err();
        assert_eq!(error, PointError::NotCanonical { element });
        hex::decode_to_slice(P_MINUS_1, &mut bytes[48 * element..][..48]).unwrap();
        let error = Point::<C>::from_uncompressed(&bytes).unwrap_err();
        assert_eq!(error, PointError::NotOnCurve);
    }
    for length in [0, 1, 47, 49, 95, 97, 191, 193] {
        let error = Point::<C>::from_bytes(&vec![0x80; length]).unwrap_err();
        let (group, expected) = (C::NAME, C::COMPRESSED_BYTES);
        assert_eq!(error, PointError::Length { group, expected, got: length });
    }
    let stray = stray_point::<C>(&mut rng);
    for bytes in [stray.to_compressed(), stray.to_uncompressed()] {
        assert_eq!(Point::<C>::from_bytes(&bytes).unwrap_err(), PointError::WrongSubgroup);
        assert_eq!(CurvePoint::<C>::from_bytes(&bytes).unwrap(), stray);
    }
    let tested = CurvePoint::all_into_group(&[*point, stray, *point.negated()]);
    assert_eq!(tested, [Ok(point), Err(PointError::WrongSubgroup), Ok(point.negated())]);
}

#[test]
fn what_is_wrong_is_told() {
    reasons::<G1>();
    reasons::<G2>();
}

/// (0, ±2) have order three: they are points of the curve, but not of the group.
#[test]
fn points_of_order_three_are_on_the_curve() {
    let mut compressed = vec![0; 48];
    compressed[0] = 0x80;
    let mut uncompressed = vec![0; 96];
    uncompressed[95] = 2;
    let point = CurvePoint::<G1>::from_uncompressed(&uncompressed).unwrap();
    assert_eq!(point.to_uncompressed(), uncompressed);
    assert_eq!(CurvePoint::from_compressed(&compressed).unwrap(), point);
    compressed[0] = 0xa0;
    assert_eq!(CurvePoint::from_compressed(&compressed).unwrap(), point.negated());
    assert_eq!(point.plus(&point), point.negated());
    for bytes in [compressed, uncompressed] {
        assert_eq!(Point::<G1>::from_bytes(&bytes).unwrap_err(), PointError::WrongSubgroup);
    }
}

/// Points of the curve, some of them in the group, get the crate's verdict, in batches that fill
/// lanes and in others.
fn compare_groups<C: Curve>(is_in_group: impl Fn(&[u8]) -> bool) {
    let mut rng = generator();
    let mut left = cases(200, 10_000);
    while left > 0 {
        let count = rng.gen_range(1..=left.min(40));
        left -= count;
        let points: Vec<CurvePoint<C>> = (0..count)
            .map(|_| match rng.gen_range(0..8) {
                0 => CurvePoint::default(),
                1..4 => *random_point::<C>(&mut rng),
                4 => stray_point::<C>(&mut rng).plus(&random_point::<C>(&mut rng)),
                _ => stray_point::<C>(&mut rng),
            })
            .collect();
        let tested = CurvePoint::all_into_group(&points);
        for (point, tested) in points.iter().zip(tested) {
            assert_eq!(tested.is_ok(), is_in_group(&point.to_compressed()), "{point:?}");
        }
    }
}

#[test]
fn points_of_the_groups_are_those_of_the_crate() {
    compare_groups::<G1>(|bytes| {
        let point = bls12_381::G1Affine::from_compressed_unchecked(bytes.try_into().unwrap());
        point.unwrap().is_torsion_free().into()
    });
    compare_groups::<G2>(|bytes| {
        let point = bls12_381::G2Affine::from_compressed_unchecked(bytes.try_into().unwrap());
        point.unwrap().is_torsion_free().into()
    });
}

/// Mutated encodings decode as in the crate.
fn compare<C: Curve>(bytes: &[u8], peer: Option<Vec<u8>>) {
    let read = Point::<C>::from_bytes(bytes);
    assert_eq!(read.is_ok(), peer.is_some(), "{read:?} {}", hex::encode(bytes));
    if let (Ok(point), Some(peer)) = (read, peer) {
        assert_eq!(point.to_compressed(), peer);
        let again = [point.to_compressed(), point.to_uncompressed()];
        assert!(again.iter().any(|again| again == bytes), "a noncanonical encoding was accepted");
    }
}

#[test]
fn mutated_encodings_are_read_as_by_the_crate() {
    let mut rng = generator();
    for round in 0..cases(600, 10_000) {
        let (p, q) = (random_point::<G1>(&mut rng), random_point::<G2>(&mut rng));
        let mutate = |bytes: Vec<u8>, rng: &mut rand_chacha::ChaCha8Rng| {
            let mut bytes = bytes;
            let (place, bit) = (rng.gen_range(0..bytes.len()), 1u8 << rng.gen_range(0..8));
            match round % 3 {
                0 => bytes[0] ^= 1 << rng.gen_range(0..8),
                1 => bytes[place] ^= bit,
                _ => {}
            }
            bytes
        };
        let bytes = mutate(p.to_compressed(), &mut rng);
        let peer = bls12_381::G1Affine::from_compressed(&bytes[..].try_into().unwrap());
        compare::<G1>(
            &bytes,
            Option::from(peer).map(|p: bls12_381::G1Affine| p.to_compressed().to_vec()),
        );
        let bytes = mutate(p.to_uncompressed(), &mut rng);
        let peer = bls12_381::G1Affine::from_uncompressed(&bytes[..].try_into().unwrap());
        compare::<G1>(
            &bytes,
            Option::from(peer).map(|p: bls12_381::G1Affine| p.to_compressed().to_vec()),
        );
        let bytes = mutate(q.to_compressed(), &mut rng);
        let peer = bls12_381::G2Affine::from_compressed(&bytes[..].try_into().unwrap());
        compare::<G2>(
            &bytes,
            Option::from(peer).map(|q: bls12_381::G2Affine| q.to_compressed().to_vec()),
        );
        let bytes = mutate(q.to_uncompressed(), &mut rng);
        let peer = bls12_381::G2Affine::from_uncompressed(&bytes[..].try_into().unwrap());
        compare::<G2>(
            &bytes,
            Option::from(peer).map(|q: bls12_381::G2Affine| q.to_compressed().to_vec()),
        );
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(
        mut bytes in prop::sample::select(vec![0usize, 1, 47, 48, 49, 96, 97, 192, 193])
            .prop_flat_map(|length| prop::collection::vec(any::<u8>(), length)),
        flags in 0u8..8,
    ) {
        if let Some(first) = bytes.first_mut() {
            *first = *first & 0x1f | flags << 5;
        }
        if let Ok(point) = CurvePoint::<G1>::from_bytes(&bytes) {
            prop_assert!(point.to_compressed() == bytes || point.to_uncompressed() == bytes);
        }
        if let Ok(point) = CurvePoint::<G2>::from_bytes(&bytes) {
            prop_assert!(point.to_compressed() == bytes || point.to_uncompressed() == bytes);
        }
    }
}
