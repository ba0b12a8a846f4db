// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sums, products of pairings, maps and hashes of BLS12-381.

use std::sync::Arc;

use halimede_arith::job::Operation;
use halimede_bls12_381::hash::HashError;
use halimede_bls12_381::operations::{Call, Evaluate, Hash};
use halimede_bls12_381::{Curve, Fr, Point, G1, G2};
use halimede_cuda::bls12_381::EvaluateOnGpu;
use rand::seq::SliceRandom;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::{agree, bytes, place, random};

fn scalar(random: &mut ChaCha8Rng) -> Fr {
    let mut number = || Fr::from(random.gen::<u64>());
    let radix = Fr::from(1 << 32) * Fr::from(1 << 32);
    ((number() * radix + number()) * radix + number()) * radix + number()
}

fn power_of_two(exponent: u64) -> Fr {
    Fr::from(2).pow(&[exponent])
}

/// A few points, from which sums are made: repeated, opposite, infinity.
fn points<C: Curve>(random: &mut ChaCha8Rng) -> Vec<Point<C>> {
    let point = Point::<C>::generator().times(&scalar(random));
    let other = Point::<C>::generator().times(&scalar(random));
    vec![point, point.negated(), other, Point::generator(), Point::default(), other.plus(&point)]
}

/// Scalars with digits at the bounds of windows.
fn scalars(random: &mut ChaCha8Rng) -> Vec<Fr> {
    let mut scalars: Vec<Fr> = [0, 1, 2, 3].map(Fr::from).to_vec();
    scalars.extend([-Fr::from(1), -Fr::from(2)]);
    scalars.extend([15, 16, 17, 64, 128, 200, 254].map(power_of_two));
    scalars.extend([16, 128, 254].map(|exponent| power_of_two(exponent) - Fr::from(1)));
    scalars.extend((0..6).map(|_| scalar(random)));
    scalars
}

fn terms<C: Curve>(random: &mut ChaCha8Rng, length: usize) -> Vec<(Point<C>, Fr)> {
    let (points, scalars) = (points::<C>(random), scalars(random));
    let mut term = || (*points.choose(random).unwrap(), *scalars.choose(random).unwrap());
    (0..length).map(|_| term()).collect()
}

fn list<C: Curve>(random: &mut ChaCha8Rng, length: usize) -> Vec<Point<C>> {
    terms::<C>(random, length).into_iter().map(|(point, _)| point).collect()
}

fn is_sweep() -> bool {
    std::env::var("HALIMEDE_SWEEP").is_ok_and(|value| value == "1")
}

#[test]
fn sums_of_multiples_are_those_of_the_processor() {
    let Some(place) = place() else { return };
    let mut random = random(21);
    let mut calls = Vec::new();
    for length in [0, 1, 2, 3, 17, 60, 300] {
        calls.push(Call::SumG1(terms(&mut random, length)));
    }
    for length in [0, 1, 4, 33] {
        calls.push(Call::SumG2(terms(&mut random, length)));
    }
    // All terms of a window are in one bucket.
    let point = Point::<G1>::generator();
    calls.push(Call::SumG1(vec![(point, power_of_two(200) - Fr::from(3)); 70]));
    calls.push(Call::SumG1(vec![(point, Fr::from(0)); 20]));
    let scalar = scalar(&mut random);
    calls.push(Call::SumG2(vec![(Point::generator(), scalar), (Point::generator(), -scalar)]));
    if is_sweep() {
        for length in [5000, 40_000] {
            calls.push(Call::SumG1(terms(&mut random, length)));
        }
        calls.push(Call::SumG2(terms(&mut random, 3000)));
    } else {
        println!("sums of more than 300 points run with HALIMEDE_SWEEP=1");
    }
    let replies = agree::<EvaluateOnGpu>(&place, Evaluate::batch(&calls));
    assert!(replies.iter().all(Result::is_ok));
}

#[test]
fn every_term_alone_is_that_of_the_processor() {
    let Some(place) = place() else { return };
    let mut random = random(22);
    let points = points::<G1>(&mut random);
    let calls = scalars(&mut random).into_iter().enumerate();
    let calls = calls.map(|(number, scalar)| Call::SumG1(vec![(points[number % 5], scalar)]));
    agree::<EvaluateOnGpu>(&place, Evaluate::batch(&calls.collect::<Vec<_>>()));
}

#[test]
fn sums_of_points_are_those_of_the_processor() {
    let Some(place) = place() else { return };
    let mut random = random(23);
    let mut calls = Vec::new();
    for length in [0, 1, 2, 9, 200, 0] {
        calls.push(Call::AddG1(list(&mut random, length)));
        calls.push(Call::AddG2(list(&mut random, length)));
    }
    calls.push(Call::AddG1(vec![Point::generator(); 100]));
    calls.push(Call::AddG2(vec![Point::default(); 10]));
    let point = Point::<G2>::generator();
    calls.push(Call::AddG2(vec![point, point.negated(), point, point.negated()]));
    agree::<EvaluateOnGpu>(&place, Evaluate::batch(&calls));
}

#[test]
fn products_of_pairings_are_those_of_the_processor() {
    let Some(place) = place() else { return };
    let mut random = random(24);
    let mut lists: Vec<Vec<(Point<G1>, Point<G2>)>> = Vec::new();
    for length in [0, 1, 2, 3, 19] {
        let (first, second) = (list(&mut random, length), list(&mut random, length));
        lists.push(first.into_iter().zip(second).collect());
    }
    let (p, q) = (Point::<G1>::generator(), Point::<G2>::generator());
    let scalar = scalar(&mut random);
    lists.push(vec![(p.times(&scalar), q), (p.negated(), q.times(&scalar))]);
    lists.push(vec![(p, Point::default()), (Point::default(), q)]);
    let calls = lists
        .into_iter()
        .flat_map(|pairs| [Call::IsPairingProductOne(pairs.clone()), Call::PairingProduct(pairs)]);
    let replies = agree::<EvaluateOnGpu>(&place, Evaluate::batch(&calls.collect::<Vec<_>>()));
    let checks: Vec<u8> =
        replies.iter().step_by(2).map(|reply| reply.as_ref().unwrap()[0]).collect();
    assert_eq!(checks, [1, 0, 0, 0, 0, 1, 1]);
}

#[test]
fn maps_are_those_of_the_processor() {
    let Some(place) = place() else { return };
    let mut random = random(25);
    let p = hex::decode(
        "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffff\
         ffffaaab",
    )
    .unwrap();
    let below = [&p[..47], &[0xaa]].concat();
    let mut small = || [&[0; 1][..], &bytes(&mut random, 47)].concat();
    let elements = [vec![0; 48], p.clone(), below.clone(), small(), vec![0xff; 48], small()];
    let mut calls: Vec<Call> = elements.iter().cloned().map(Call::MapG1).collect();
    for first in &elements[..4] {
        for second in &elements[..4] {
            calls.push(Call::MapG2([&first[..], second].concat()));
        }
    }
    for length in [0, 1, 47, 49, 95, 96, 97] {
        calls.push(Call::MapG1(vec![1; length]));
        calls.push(Call::MapG2(vec![1; length]));
    }
    let replies = agree::<EvaluateOnGpu>(&place, Evaluate::batch(&calls));
    for wanted in [
        HashError::NotCanonical { element: 0 },
        HashError::NotCanonical { element: 1 },
        HashError::Length { group: "G1", expected: 48, got: 0 },
        HashError::Length { group: "G2", expected: 96, got: 97 },
    ] {
        assert!(replies.contains(&Err(wanted)), "{wanted:?}");
    }
}

#[test]
fn hashes_are_those_of_the_processor() {
    let Some(place) = place() else { return };
    let mut random = random(26);
    let mut calls = Vec::new();
    // Bounds of the blocks of the hashes that the domain ends, of its length, and none.
    for (number, length) in [1, 21, 22, 43, 85, 86, 149, 255, 256, 300, 0].into_iter().enumerate() {
        let domain: Arc<[u8]> = bytes(&mut random, length).into();
        for encode in [false, true] {
            let message = bytes(&mut random, 13 * number);
            let hash = Hash { domain: Arc::clone(&domain), message, encode };
            calls.push(Call::HashG1(hash.clone()));
            calls.push(Call::HashG2(hash));
        }
    }
    let replies = agree::<EvaluateOnGpu>(&place, Evaluate::batch(&calls));
    assert_eq!(replies.iter().filter(|reply| reply.is_err()).count(), 4);
    // Also if all requests have no domain.
    let hash = Hash { domain: Arc::new([]), message: Vec::new(), encode: false };
    let calls = [Call::HashG1(hash.clone()), Call::HashG1(hash)];
    let replies = agree::<EvaluateOnGpu>(&place, Evaluate::batch(&calls));
    assert!(replies.iter().all(|reply| *reply == Err(HashError::EmptyDomain)));
}

#[test]
fn a_batch_mixes_calls() {
    let Some(place) = place() else { return };
    let mut random = random(27);
    let mut calls = Vec::new();
    for number in 0..3 {
        calls.push(Call::MapG1(bytes(&mut random, 48)));
        calls.push(Call::AddG2(list(&mut random, number)));
        calls.push(Call::SumG1(terms(&mut random, 2 * number)));
        calls.push(Call::AddG1(list(&mut random, 3 * number)));
        calls.push(Call::SumG2(terms(&mut random, number)));
        calls.push(Call::PairingProduct(vec![(Point::generator(), Point::generator()); number]));
        let domain = bytes(&mut random, number).into();
        let hash = Hash { domain, message: bytes(&mut random, 5), encode: number == 1 };
        calls.push(Call::HashG1(hash));
        calls.push(Call::MapG2(vec![number as u8; 96]));
    }
    agree::<EvaluateOnGpu>(&place, Evaluate::batch(&calls));
}
