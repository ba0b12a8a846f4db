// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares x and y of sums with libsecp256k1, in every lane and with every number of groups.

use halimede_arith::lanes::{available, emulate};
use halimede_arith::Backend;
use num_bigint::BigUint;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::super::sums;
use super::*;
use crate::testing::{any, n, point, words};

/// Returns sums with their points; a tenth of them are infinity.
fn cases() -> Vec<(Terms, Point)> {
    let (n, mut random) = (n(), ChaCha8Rng::seed_from_u64(0x51));
    let case = |number: u32| {
        let [mut u1, u2, key] = [any(&mut random), any(&mut random), any(&mut random)];
        match random.gen_range(0..10) {
            0 => u1 = (&n - &u2 * &key % &n) % &n,
            1 => u1 = BigUint::from(number % 3),
            _ => {}
        }
        let sum = (&u1 + &u2 * &key) % &n;
        let expected = (sum != BigUint::default()).then(|| point(&sum));
        (Terms::new(&words(&u1), &words(&u2), point(&key)), expected)
    };
    (0..200).map(case).collect()
}

#[test]
fn sums_are_those_of_the_library() {
    let cases = cases();
    assert!(cases.iter().filter(|(_, point)| point.is_none()).count() > 5);
    for backend in [Backend::Avx2, Backend::Avx512, Backend::Avx512Ifma] {
        for length in (0..=20).chain([63, 64, 65, 150]) {
            let start = length % LANES;
            let around = cases[start..start + length].iter().cloned();
            let (terms, expected): (Vec<_>, Vec<Point>) = around.unzip();
            let found = sums(backend, &terms);
            if available(backend) || length == 0 {
                assert_eq!(found, Some(expected), "{backend}, {length}");
            } else {
                assert_eq!(found, None, "{backend}");
            }
        }
    }
}

#[test]
fn emulated_lanes_agree() {
    let (cases, table) = (cases(), Table::of_generator());
    for backend in [Backend::Avx2, Backend::Avx512, Backend::Avx512Ifma] {
        for groups in [1, 3, GROUPS] {
            let lanes = |group: usize| std::array::from_fn(|lane| &cases[LANES * group + lane].0);
            let terms: Vec<[&Terms; LANES]> = (0..groups).map(lanes).collect();
            let found = emulate(backend, Sums { table, groups: &terms });
            for (found, (_, expected)) in found.iter().flatten().zip(&cases[..LANES * groups]) {
                assert_eq!(found, expected, "{backend}");
            }
        }
    }
}
