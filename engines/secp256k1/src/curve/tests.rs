// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares multiples of G with libsecp256k1, on every backend and in every lane.

use halimede_arith::lanes::emulate;
use halimede_arith::lanes::secp256k1::MODULUS;
use num_bigint::BigUint;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::testing::{n, point, words};

/// Returns multiples that carry, multiples at the ends of tables, and random ones.
fn multiples(random: &mut ChaCha8Rng) -> Vec<BigUint> {
    let (n, one) = (n(), BigUint::from(1u8));
    let mut multiples: Vec<BigUint> = (1..6u8).map(BigUint::from).collect();
    multiples.extend((0..256).step_by(8).flat_map(|bit| [&one << bit, (&one << bit) * 255u8]));
    multiples
        .extend((1..256).step_by(31).flat_map(|bit| [(&one << bit) - 1u8, (&one << bit) + 1u8]));
    multiples.extend([(&n - 1u8) / 2u8, (&n + 1u8) / 2u8]);
    multiples.extend((0..40).map(|_| BigUint::from_bytes_be(&random.gen::<[u8; 32]>())));
    multiples.retain(|multiple| *multiple < n && *multiple > BigUint::default());
    let opposites: Vec<BigUint> = multiples.iter().map(|multiple| &n - multiple).collect();
    multiples.extend(opposites);
    multiples
}

fn cases() -> Vec<(Question, Answer)> {
    let mut random = ChaCha8Rng::seed_from_u64(0x6);
    let mut cases = Vec::new();
    let question = |multiple: &BigUint, [x, y]: [Limbs; 2]| Question {
        multiple: Digits::of(&words(multiple)),
        x,
        y,
    };
    for multiple in multiples(&mut random) {
        cases.push((question(&multiple, point(&multiple)), Answer::Same));
        let opposite = point(&(n() - &multiple));
        cases.push((question(&multiple, opposite), Answer::Different));
        let beside = (&multiple + 1u8) % n();
        if beside > BigUint::default() {
            cases.push((question(&multiple, point(&beside)), Answer::Different));
        }
    }
    let doubling = (BigUint::from(510u32) << 248u32) - n();
    for multiple in [BigUint::default(), n() - &doubling, doubling] {
        let other = point(&(&multiple + 1u8));
        cases.push((question(&multiple, other), Answer::Unknown));
    }
    cases
}

#[test]
fn multiples_are_those_of_the_library() {
    let cases = cases();
    for backend in Backend::available_for_fields() {
        for start in 0..LANES {
            let (questions, expected): (Vec<_>, Vec<_>) = cases[start..].iter().cloned().unzip();
            assert_eq!(compare(backend, &questions), expected, "{backend}, from {start}");
        }
        for length in 0..=LANES + 1 {
            let (questions, expected): (Vec<_>, Vec<_>) = cases[..length].iter().cloned().unzip();
            assert_eq!(compare(backend, &questions), expected, "{backend}, {length} of them");
        }
    }
}

#[test]
fn emulated_lanes_agree() {
    let cases = cases();
    let table = Table::of_generator();
    for backend in [Backend::Avx2, Backend::Avx512, Backend::Avx512Ifma] {
        for start in 0..LANES {
            for group in cases[start..].chunks_exact(LANES) {
                let questions = std::array::from_fn(|lane| &group[lane].0);
                let answers = emulate(backend, lanes::Comparison { table, questions });
                let expected: Vec<Answer> = group.iter().map(|(_, answer)| *answer).collect();
                assert_eq!(answers[..], expected, "{backend}");
            }
        }
    }
}

#[test]
fn digits_make_their_number() {
    let mut random = ChaCha8Rng::seed_from_u64(0x7);
    let mut numbers = multiples(&mut random);
    numbers.push(BigUint::default());
    for number in numbers {
        let digits = Digits::of(&words(&number));
        // Twice the digits minus 255 each: 2²⁵⁶ − 1 in total.
        let twice = BigUint::from_bytes_le(&digits.windows) * 2u8;
        let sum = (twice + &n() * 2u8 + 1u8 - (BigUint::from(1u8) << 256u32)) % n();
        let expected = if digits.is_opposite { n() - &number } else { number.clone() };
        assert_eq!(sum, expected % n(), "{number:x}");
    }
}

#[test]
fn ordinates_are_those_of_the_library() {
    let mut random = ChaCha8Rng::seed_from_u64(0xb);
    let points: Vec<[Limbs; 2]> = multiples(&mut random).iter().map(point).collect();
    let is_root = |y: &Limbs, [_, expected]: &[Limbs; 2]| {
        *y == *expected || *y == crate::quotient::subtract(&MODULUS, expected).0
    };
    for backend in [Backend::Avx2, Backend::Avx512, Backend::Avx512Ifma] {
        for start in 0..ROOTS {
            for group in points[start..].chunks_exact(ROOTS) {
                let y = emulate(backend, Roots(std::array::from_fn(|lane| &group[lane][0])));
                assert!(y.iter().zip(group).all(|(y, point)| is_root(y, point)), "{backend}");
            }
            let x: Vec<Limbs> = points[start..].iter().map(|point| point[0]).collect();
            for length in (0..2 * ROOTS + 2).chain([x.len()]) {
                let Some(y) = ordinates(backend, &x[..length]) else {
                    assert!(!eight::available(backend), "{backend}");
                    continue;
                };
                assert_eq!(y.len(), length);
                let mut both = y.iter().zip(&points[start..]);
                assert!(both.all(|(y, point)| is_root(y, point)), "{backend}, {length}");
            }
        }
    }
}
