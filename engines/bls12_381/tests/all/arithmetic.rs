// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares sums, multiples and pairings with those of the crate `bls12_381`.

use bls12_381::{
    multi_miller_loop, pairing, G1Affine, G1Projective, G2Affine, G2Prepared, G2Projective,
};
use halimede_bls12_381::pairing::{is_pairing_product_one, pairing_product};
use halimede_bls12_381::{sum_of_products, Curve, Point, G1, G2};
use rand::Rng;

use crate::common::{
    cases, generator, peer_g1, peer_g2, peer_scalar, random_point, random_scalar, scalars,
    stray_point,
};

#[test]
fn sums_and_multiples_are_the_crates() {
    let mut rng = generator();
    for scalar in scalars(&mut rng, cases(100, 10_000)) {
        let (p, q) = (random_point::<G1>(&mut rng), random_point::<G1>(&mut rng));
        let sum: G1Affine = (G1Projective::from(peer_g1(&p)) + peer_g1(&q)).into();
        assert_eq!(p.plus(&q).to_compressed(), sum.to_compressed());
        let multiple: G1Affine = (peer_g1(&p) * peer_scalar(&scalar)).into();
        assert_eq!(p.times(&scalar).to_compressed(), multiple.to_compressed());
        let (p, q) = (random_point::<G2>(&mut rng), random_point::<G2>(&mut rng));
        let sum: G2Affine = (G2Projective::from(peer_g2(&p)) + peer_g2(&q)).into();
        assert_eq!(p.plus(&q).to_compressed(), sum.to_compressed());
        let multiple: G2Affine = (peer_g2(&p) * peer_scalar(&scalar)).into();
        assert_eq!(p.times(&scalar).to_compressed(), multiple.to_compressed());
    }
}

fn edges<C: Curve>() {
    let mut rng = generator();
    let (p, infinity) = (random_point::<C>(&mut rng), Point::<C>::default());
    assert_eq!(p.plus(&p), p.times(&2.into()));
    assert!(p.plus(&p.negated()).is_infinity() && infinity.negated().is_infinity());
    assert_eq!([p.plus(&infinity), infinity.plus(&p)], [p, p]);
    assert!(infinity.times(&random_scalar(&mut rng)).is_infinity());
    let stray = stray_point::<C>(&mut rng);
    assert_eq!(stray.plus(&stray).plus(&stray.negated()), stray);
}

#[test]
fn equal_opposite_and_infinite_points() {
    edges::<G1>();
    edges::<G2>();
}

fn sums<C: Curve>() {
    let mut rng = generator();
    for count in [0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 65, 130, 257] {
        let mut points: Vec<Point<C>> = (0..count).map(|_| random_point(&mut rng)).collect();
        let scalars = scalars(&mut rng, 300);
        for number in (0..count).step_by(5) {
            points[number] = match number % 3 {
                0 => Point::default(),
                1 => points[number / 2],
                _ => points[number / 2].negated(),
            };
        }
        let expected = points
            .iter()
            .zip(&scalars)
            .fold(Point::<C>::default(), |sum, (p, k)| sum.plus(&p.times(k)));
        assert_eq!(sum_of_products(&points, &scalars), expected, "{count}");
        let reversed: Vec<_> = scalars.iter().rev().copied().collect();
        let expected = points
            .iter()
            .zip(&reversed)
            .fold(Point::<C>::default(), |sum, (p, k)| sum.plus(&p.times(k)));
        assert_eq!(sum_of_products(&points, &reversed), expected, "{count}");
    }
}

#[test]
fn sums_of_products_are_the_crates() {
    let mut rng = generator();
    for round in 0..cases(100, 10_000) {
        // Large counts, from which buckets pay off, are rare.
        let count = if round % 100 == 7 { 40 } else { round % 6 };
        let all = scalars(&mut rng, 3);
        let scalars: Vec<_> = (0..count).map(|_| all[rng.gen_range(0..all.len())]).collect();
        let p: Vec<Point<G1>> = (0..count).map(|_| some_point(&mut rng)).collect();
        let terms = p.iter().zip(&scalars);
        let sum: G1Projective = terms.map(|(p, k)| peer_g1(p) * peer_scalar(k)).sum();
        let expected = G1Affine::from(sum).to_compressed();
        assert_eq!(sum_of_products(&p, &scalars).to_compressed(), expected);
        let q: Vec<Point<G2>> = (0..count).map(|_| some_point(&mut rng)).collect();
        let terms = q.iter().zip(&scalars);
        let sum: G2Projective = terms.map(|(q, k)| peer_g2(q) * peer_scalar(k)).sum();
        let expected = G2Affine::from(sum).to_compressed();
        assert_eq!(sum_of_products(&q, &scalars).to_compressed(), expected);
    }
}

/// Returns infinity, the generator or its opposite, or a random point.
fn some_point<C: Curve>(rng: &mut impl rand::RngCore) -> Point<C> {
    match rng.gen_range(0..8) {
        0 => Point::default(),
        1 => Point::generator(),
        2 => Point::generator().negated(),
        _ => random_point(rng),
    }
}

#[test]
fn sums_of_products_are_sums_of_multiples() {
    sums::<G1>();
    sums::<G2>();
}

/// Returns the twelve elements of Fp that the crate prints for an element of GT.
fn printed(element: &bls12_381::Gt) -> Vec<u8> {
    let text = element.to_string();
    let digits = text.split("0x").skip(1).map(|rest| &rest[..96]);
    digits.flat_map(|digits| hex::decode(digits).unwrap()).collect()
}

#[test]
fn pairings_are_the_crates() {
    let mut rng = generator();
    for _ in 0..cases(30, 10_000) {
        let (p, q) = (random_point::<G1>(&mut rng), random_point::<G2>(&mut rng));
        let expected = printed(&pairing(&peer_g1(&p), &peer_g2(&q)));
        assert_eq!(pairing_product(&[(p, q)]).to_vec(), expected);
    }
}

#[test]
fn products_of_pairings_are_the_crates() {
    let mut rng = generator();
    for round in 0..cases(30, 10_000) {
        // Up to one pair more than there are lanes; usually few.
        let count = if round % 20 == 7 { 9 } else { round % 4 };
        let pairs: Vec<(Point<G1>, Point<G2>)> =
            (0..count).map(|_| (some_point(&mut rng), some_point(&mut rng))).collect();
        let peers: Vec<(G1Affine, G2Prepared)> =
            pairs.iter().map(|(p, q)| (peer_g1(p), peer_g2(q).into())).collect();
        let product = multi_miller_loop(&peers.iter().map(|(p, q)| (p, q)).collect::<Vec<_>>());
        let expected = printed(&product.final_exponentiation());
        assert_eq!(pairing_product(&pairs).to_vec(), expected);
    }
}

#[test]
fn products_of_pairings() {
    let mut rng = generator();
    for count in [0, 1, 2, 3, 15, 16, 17, 33, 70] {
        let mut pairs: Vec<_> = (0..count)
            .map(|_| (random_point::<G1>(&mut rng), random_point::<G2>(&mut rng)))
            .collect();
        if count > 3 {
            pairs[1].0 = Point::default();
            pairs[2].1 = Point::default();
        }
        let peers = pairs.iter().map(|(p, q)| pairing(&peer_g1(p), &peer_g2(q)));
        let expected = peers.fold(bls12_381::Gt::identity(), |product, value| product + value);
        assert_eq!(pairing_product(&pairs).to_vec(), printed(&expected), "{count}");
        assert_eq!(is_pairing_product_one(&pairs), count == 0);
        // e(aP, Q)·e(P, −aQ) = 1, whatever else cancels.
        let (p, q, a) = (random_point(&mut rng), random_point(&mut rng), random_scalar(&mut rng));
        let mut cancelling = vec![(p.times(&a), q), (p, q.times(&a).negated())];
        cancelling.extend(pairs.iter().flat_map(|(p, q)| [(*p, *q), (p.negated(), *q)]));
        assert!(is_pairing_product_one(&cancelling));
        cancelling[0].0 = cancelling[0].0.plus(&Point::generator());
        assert!(!is_pairing_product_one(&cancelling));
    }
}
