// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The kernels of lanes, emulated as in the registers of each backend.

use halimede_arith::field::batch_inverse;
use rand::Rng;

use super::*;
use crate::jubjub::powers::{powers as powers_of, Several, V};
use crate::jubjub::testing::{random, Sum};

const LANE_BACKENDS: [Backend; 3] = [Backend::Avx2, Backend::Avx512, Backend::Avx512Ifma];

/// Returns 0, 1, −1, 2 and random numbers, with their inverses.
fn ratios(count: usize) -> Vec<Ratio> {
    let mut random = random(count as u64);
    let mut number = || {
        let mut words: [u64; 4] = random.gen();
        words[3] >>= 2;
        Fr::from_canonical_limbs(words).unwrap()
    };
    let mut numbers: Vec<Fr> = (0..count).map(|_| number()).collect();
    let edges = [Fr::ZERO, Fr::ONE, -Fr::ONE, Fr::from(2), -Fr::from(2)];
    numbers.splice(..edges.len().min(count), edges.into_iter().take(count));
    let mut inverses = numbers.clone();
    batch_inverse(&mut inverses);
    numbers.into_iter().zip(inverses).collect()
}

fn serial_powers(number: &Fr, inverse: &Fr) -> Powers<Fr> {
    let Powers { root, odd } = powers_of(&Several([*number]), &Several([*inverse]));
    Powers { root: root.0[0], odd: odd.map(|power| power.0[0]) }
}

fn same(a: &Powers<Fr>, b: &Powers<Fr>) -> bool {
    a.root == b.root && a.odd == b.odd
}

#[test]
fn the_chain_computes_the_powers_of_a_root() {
    let y = V << 16;
    for (number, inverse) in ratios(8) {
        let Powers { root, odd } = serial_powers(&number, &inverse);
        // t is v²·(y² − 1), and t + 1 is even.
        let to_v = number.pow(&[V]).pow(&[V]);
        let to_t = to_v.pow(&[y]).pow(&[y]) * to_v.inverse().unwrap_or_default();
        assert_eq!(odd[0], to_t);
        assert_eq!(root.square(), to_t * number);
        for window in 1..odd.len() {
            assert_eq!(odd[window], odd[window - 1].pow(&[256]));
        }
    }
}

#[test]
fn lanes_compute_the_powers_of_serial_arithmetic() {
    for count in [1, 5, 15, 16, 17, 33] {
        let ratios = ratios(count);
        let expected: Vec<_> =
            ratios.iter().map(|(number, inverse)| serial_powers(number, inverse)).collect();
        for backend in LANE_BACKENDS {
            let got = powers_by(&ratios, |kernel| Some(eight::emulate(backend, kernel))).unwrap();
            assert_eq!(got.len(), count);
            assert!(got.iter().zip(&expected).all(|(got, expected)| same(got, expected)));
        }
        for backend in Backend::available() {
            if let Some(got) = powers(backend, &ratios) {
                assert!(got.iter().zip(&expected).all(|(got, expected)| same(got, expected)));
            }
        }
    }
}

#[test]
fn lanes_compute_the_sums_of_the_reference() {
    let sums = [Sum::random(3, 5, 4), Sum::random(4, 0, 2), Sum::random(5, 2, 0), Sum::extreme()];
    for (number, sum) in sums.iter().enumerate() {
        for width in [4, 8] {
            for backend in LANE_BACKENDS {
                let run = |group: Group<'_, Jubjub>| Some(eight::emulate(backend, group));
                let got = sum_by(backend, &sum.terms, width, run).unwrap();
                sum.check(&got, &format!("sum {number}, width {width}, {backend} emulated"));
            }
        }
        for backend in Backend::available().filter(|backend| eight::available(*backend)) {
            for width in 4..12 {
                let run = |group: Group<'_, Jubjub>| eight::run(backend, group);
                let got = sum_by(backend, &sum.terms, width, run).unwrap();
                sum.check(&got, &format!("sum {number}, width {width}, {backend}"));
            }
        }
    }
}
