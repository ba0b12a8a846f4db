// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sums of multiples of points with known logarithms, on every backend and with windows of every
//! width.

use num_bigint::BigUint;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::testing::{any, lambda, n, point, words};

/// A factor, and the logarithm of its point.
type Pair = (BigUint, BigUint);

fn terms(pairs: &[Pair]) -> Vec<Term> {
    let term = |(factor, logarithm): &Pair| Term { factor: words(factor), point: point(logarithm) };
    pairs.iter().map(term).collect()
}

fn sum(pairs: &[Pair]) -> BigUint {
    pairs.iter().map(|(factor, logarithm)| factor * logarithm).sum::<BigUint>() % n()
}

/// Random pairs, and others that formulas or digits may treat specially.
fn cases(random: &mut ChaCha8Rng) -> Vec<Vec<Pair>> {
    let (n, one) = (n(), BigUint::from(1u8));
    let mut cases: Vec<Vec<Pair>> = vec![vec![]];
    for length in [1, 2, 3, 7, 8, 9, 40] {
        cases.push((0..length).map(|_| (any(random), any(random))).collect());
    }
    let factors = [
        BigUint::default(),
        one.clone(),
        &n - 1u8,
        &n / 2u8,
        &n / 2u8 + 1u8,
        lambda(),
        &n - lambda(),
        &one << 128,
        (&one << 128) - 1u8,
        &one << 255,
    ];
    let logarithm = any(random);
    // Multiples of one point.
    cases.push(factors.iter().map(|factor| (factor.clone(), logarithm.clone())).collect());
    // One factor, so that equal and opposite points have the same buckets.
    let factor = any(random);
    let special = [&one, &(&n - 1u8), &lambda(), &(lambda() * lambda() % &n), &BigUint::from(2u8)];
    cases.push(special.iter().map(|it| (factor.clone(), (*it).clone())).collect());
    cases.push(vec![(factor.clone(), logarithm.clone()); 20]);
    // The sum is the point at infinity.
    cases.push(vec![(factor.clone(), logarithm.clone()), (&n - &factor, logarithm)]);
    cases
}

#[test]
fn sums_are_compared_exactly() {
    let mut random = ChaCha8Rng::seed_from_u64(0xb0);
    let blinding = Blinding::new(Backend::Portable, &words(&any(&mut random)));
    for pairs in cases(&mut random) {
        let (terms, sum) = (terms(&pairs), sum(&pairs));
        let others = [(&sum + 1u8) % n(), any(&mut random), (n() - &sum) % n()];
        for backend in Backend::available_for_fields() {
            // The widest windows have 4,096 buckets each.
            let widest = (pairs.len() == 40).then_some(MOST_BITS);
            for bits in [2, 4, 7, 8].into_iter().chain(widest) {
                let windows = Windows::new(bits);
                let compare = |multiple: &BigUint| {
                    compare_blinded(backend, &blinding, windows, &terms, &words(multiple))
                };
                let name = format!("{backend}, {} terms, {bits} bits", pairs.len());
                assert_eq!(compare(&sum), Answer::Same, "{name}");
                for other in others.iter().filter(|other| **other != sum) {
                    assert_eq!(compare(other), Answer::Different, "{name}");
                }
            }
            assert_eq!(compare_sum(backend, &terms, &words(&sum)), Answer::Same, "{backend}");
        }
    }
}

/// With a known T, points can be chosen for which the formulas fail: the answer is never wrong.
#[test]
fn failing_formulas_are_unknown() {
    let mut random = ChaCha8Rng::seed_from_u64(0xb1);
    let logarithm = any(&mut random);
    let blinding = Blinding::new(Backend::Portable, &words(&logarithm));
    for bits in [3, 6, 9] {
        for digit in [1, 2, 1 << (bits - 1)] {
            // digit·(digit·T): the lowest window adds the start of its bucket to itself.
            let digit = BigUint::from(digit as u32);
            let equal = &digit * &logarithm % n();
            let opposite = n() - &equal;
            for start in [equal, opposite] {
                let pairs = [(digit.clone(), start), (any(&mut random), any(&mut random))];
                let (terms, sum) = (terms(&pairs), words(&sum(&pairs)));
                for backend in Backend::available_for_fields() {
                    let windows = Windows::new(bits);
                    let answer = compare_blinded(backend, &blinding, windows, &terms, &sum);
                    assert_eq!(answer, Answer::Unknown, "{backend}, {bits} bits");
                }
            }
        }
    }
}

#[test]
fn starts_are_multiples_of_the_random_point() {
    let mut random = ChaCha8Rng::seed_from_u64(0xb2);
    for logarithm in [BigUint::from(1u8), n() - 1u8, any(&mut random)] {
        let blinding = Blinding::new(Backend::active(), &words(&logarithm));
        assert_eq!(blinding.multiples.len(), 1 << (MOST_BITS - 1));
        for number in [1u32, 2, 3, random.gen_range(4..4096), 4096] {
            let [x, y] = point(&(&logarithm * BigUint::from(number) % n()));
            assert_eq!(blinding.multiples[number as usize - 1].0, row(x, y).0, "{number}");
        }
    }
    assert!(Blinding::new(Backend::Portable, &[0; 4]).logarithm == [1, 0, 0, 0]);
}
