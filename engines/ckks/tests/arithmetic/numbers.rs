// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Products and sums of polynomials with Gaussian integers, and sums of many products, against
//! separate operations on coefficients, on every backend.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use halimede_arith::EngineBackend;
use halimede_ckks::ring::{
    primes_below, Basis, Form, Gaussian, LaneBackend, Modulus, Polynomial, Ring,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Seed of the polynomials.
const SEED: u64 = 20_261_123;
const PRIMES: usize = 4;

fn ring(log_degree: u32, backend: LaneBackend) -> Ring {
    let primes: Vec<u32> = primes_below(1 << 30, log_degree + 1).take(PRIMES).collect();
    Ring::new(log_degree, &primes, backend).unwrap()
}

fn random(ring: &Ring, basis: &Basis, form: Form, rng: &mut ChaCha8Rng) -> Polynomial {
    let seed: u64 = rng.gen();
    ring.from_limbs(basis, form, |modulus, limb| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed ^ u64::from(modulus.value()));
        limb.iter_mut().for_each(|residue| *residue = rng.gen_range(0..modulus.value()));
    })
}

/// Returns a different Gaussian integer for each term and prime.
fn number(term: usize, modulus: Modulus) -> Gaussian {
    let word = |salt: u64| {
        let mixed = (u64::from(modulus.value()) ^ salt).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        modulus.reduce((mixed >> 8).wrapping_mul(term as u64 + 3))
    };
    match term {
        0 => [modulus.value() - 1, 0],
        1 => [0, modulus.value() - 1],
        _ => [word(1), word(2)],
    }
}

/// Coefficient j of (re + im·X^(N/2))·a: X^N is −1.
fn product(modulus: Modulus, a: &[u32], [re, im]: Gaussian) -> Vec<u32> {
    let half = a.len() / 2;
    let turned = |j: usize| if j < half { modulus.neg(a[j + half]) } else { a[j - half] };
    let at = |j: usize| modulus.add(modulus.mul(a[j], re), modulus.mul(turned(j), im));
    (0..a.len()).map(at).collect()
}

#[test]
fn gaussian_integers_are_polynomials() {
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    for backend in LaneBackend::available() {
        for (log_degree, count) in [(5, 1), (6, 2), (8, 13), (10, 30), (11, 12), (5, 0)] {
            let ring = ring(log_degree, backend);
            let (all, basis) = (ring.all(), Basis::new([0, 2, 3]));
            let terms: Vec<Polynomial> =
                (0..count).map(|_| random(&ring, &all, Form::Coefficients, &mut rng)).collect();
            let values: Vec<Polynomial> = terms
                .iter()
                .map(|term| {
                    let mut values = term.clone();
                    ring.forward(&mut values);
                    values
                })
                .collect();
            let mut sum = ring.combine(&basis, &values.iter().collect::<Vec<_>>(), number);
            ring.add_number(&mut sum, |modulus| number(7, modulus));
            ring.inverse(&mut sum);
            for (limb, modulus) in ring.moduli(&basis).into_iter().enumerate() {
                let mut expected = vec![0; ring.degree()];
                let [re, im] = number(7, modulus);
                (expected[0], expected[ring.degree() / 2]) = (re, im);
                for (index, term) in terms.iter().enumerate() {
                    let limb = term.basis().limb_of(basis.places()[limb]).unwrap();
                    let part = product(modulus, term.limb(limb), number(index, modulus));
                    for (sum, part) in expected.iter_mut().zip(part) {
                        *sum = modulus.add(*sum, part);
                    }
                }
                assert_eq!(
                    sum.limb(limb),
                    expected,
                    "{count} terms, N = 2^{log_degree}, {backend}"
                );
            }
        }
    }
}

/// Returns the values of a polynomial in X^`run`.
fn in_power(ring: &Ring, basis: &Basis, run: usize, rng: &mut ChaCha8Rng) -> Polynomial {
    let mut a = random(ring, basis, Form::Coefficients, rng);
    for limb in a.limbs_mut() {
        let others = limb.iter_mut().enumerate().filter(|(place, _)| place % run != 0);
        others.for_each(|(_, residue)| *residue = 0);
    }
    ring.forward(&mut a);
    a
}

#[test]
fn sums_of_products_have_any_number_of_terms_and_factors_that_repeat_themselves() {
    let mut rng = ChaCha8Rng::seed_from_u64(SEED + 1);
    for backend in LaneBackend::available() {
        let alike = (14..=18).map(|count| (12, count));
        for (log_degree, count) in [(5, 1), (7, 12), (8, 13), (6, 40)].into_iter().chain(alike) {
            let ring = ring(log_degree, backend);
            let (all, basis) = (ring.all(), Basis::new([1, 2]));
            let mut a = || random(&ring, &all, Form::Values, &mut rng);
            let pairs: Vec<[Polynomial; 2]> = (0..count).map(|_| [a(), a()]).collect();
            // Numbers for all terms, for some of them and for none.
            let counts = [count, rng.gen_range(0..count), 0];
            let zeros = || [0, 1].map(|_| ring.zero(&basis, Form::Values));
            let mut expected = counts.map(|_| zeros());
            let mut factors = Vec::new();
            for (index, pair) in pairs.iter().enumerate() {
                // The last sums have factors with the same repetition.
                let run = match count {
                    14..=18 => 1 << (count - 13),
                    _ => 1 << (5 * index % (log_degree as usize + 1)),
                };
                let by = in_power(&ring, &basis, run, &mut rng);
                let with_it = counts.iter().zip(&mut expected).filter(|(count, _)| index < **count);
                for (sum, a) in with_it.flat_map(|(_, sums)| sums.iter_mut().zip(pair)) {
                    ring.mul_add(sum, a, &by);
                }
                let by = ring.repeated(by, run);
                // At least 16 values are kept.
                assert_eq!(by.run(), run.min(ring.degree() / 16));
                assert_eq!(by.bytes() * by.run(), 2 * 4 * ring.degree());
                factors.push(by);
            }
            let terms: Vec<_> = pairs.iter().map(|pair| pair.each_ref()).zip(&factors).collect();
            let all = counts.map(|count| terms[..count].to_vec());
            let sums = ring.sums_of_products(&basis, &all);
            assert_eq!(sums.len(), all.len());
            for (sum, expected) in sums.iter().flatten().zip(expected.iter().flatten()) {
                assert!(sum.limbs().eq(expected.limbs()), "{counts:?} terms, {backend}");
            }
        }
    }
}

#[test]
fn factors_of_coefficients_are_those_of_their_values() {
    let mut rng = ChaCha8Rng::seed_from_u64(SEED + 2);
    for backend in LaneBackend::available() {
        for log_degree in [5, 8, 11] {
            let ring = ring(log_degree, backend);
            let basis = Basis::new([0, 2]);
            for log_count in 0..=log_degree {
                for bits in [1, 30, 58, 59, 62] {
                    let (count, exponent) = (1usize << log_count, rng.gen_range(0..40));
                    let limit = (1i64 << bits) - 1;
                    let mut numbers: Vec<i64> =
                        (0..count).map(|_| rng.gen_range(-limit..=limit)).collect();
                    numbers[count - 1] = -limit;
                    let gap = ring.degree() / count;
                    let mut all = vec![0; ring.degree()];
                    all.iter_mut().step_by(gap).zip(&numbers).for_each(|(to, from)| *to = *from);
                    let mut values = ring.from_coefficients(&basis, &all, exponent);
                    ring.forward(&mut values);
                    let expected = ring.repeated(values, gap);
                    let got = ring.factor_of_coefficients(&basis, &numbers, exponent);
                    assert_eq!(got.run(), expected.run());
                    assert!(
                        got.values().limbs().eq(expected.values().limbs()),
                        "{count} coefficients of {bits} bits, {backend}"
                    );
                }
            }
        }
    }
}
