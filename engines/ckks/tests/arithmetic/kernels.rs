// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The kernels of each backend against definitions and against the portable kernels.

#![allow(clippy::unwrap_used, reason = "a test's helpers are tests too")]

use halimede_arith::EngineBackend;
use halimede_ckks::ring::kernels::{self, Kernels, MAX_TERMS};
use halimede_ckks::ring::{
    primes_above, primes_below, LaneBackend, Modulus, Permutation, Twiddles,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Seed of the residues.
const SEED: u64 = 20_261_122;

/// Returns the largest modulus, one of the least terminal ones and a small one, for N =
/// 2^`log_degree`.
fn moduli(log_degree: u32) -> Vec<Modulus> {
    let order = log_degree + 1;
    let primes = [
        primes_below(1 << 30, order).next(),
        primes_below(1 << 25, order).next(),
        primes_above(3, order).next(),
    ];
    primes.into_iter().map(|prime| Modulus::new(prime.unwrap()).unwrap()).collect()
}

fn residues(random: &mut ChaCha8Rng, bound: u32, count: usize) -> Vec<u32> {
    let mut residues: Vec<u32> = (0..count).map(|_| random.gen_range(0..bound)).collect();
    for (place, edge) in [(0, 0), (count - 1, bound - 1), (count / 2, 1), (count / 3, bound - 2)] {
        residues[place] = edge;
    }
    residues
}

fn backends() -> impl Iterator<Item = (LaneBackend, &'static dyn Kernels)> {
    LaneBackend::available().map(|backend| (backend, kernels::of(backend)))
}

#[test]
fn the_transform_gives_the_values_at_the_odd_powers_of_the_root() {
    let mut random = ChaCha8Rng::seed_from_u64(SEED);
    for log_degree in 1..=9 {
        for modulus in moduli(log_degree) {
            let degree = 1 << log_degree;
            let coefficients = residues(&mut random, modulus.value(), degree);
            for (backend, kernels) in backends() {
                let twiddles = Twiddles::new(modulus, log_degree, kernels.lanes()).unwrap();
                let mut values = coefficients.clone();
                kernels.forward(&twiddles, &mut values);
                for (place, value) in values.iter().enumerate() {
                    let reversed = place.reverse_bits() >> (usize::BITS - log_degree);
                    let point = modulus.pow(twiddles.root(), 2 * reversed as u64 + 1);
                    let horner = |sum, c: &u32| modulus.add(modulus.mul(sum, point), *c);
                    let expected = coefficients.iter().rev().fold(0, horner);
                    assert_eq!(*value, expected, "{backend}, N = {degree}, place {place}");
                }
                kernels.inverse(&twiddles, &mut values);
                assert_eq!(values, coefficients, "{backend}, N = {degree}");
            }
        }
    }
}

#[test]
fn every_level_transforms_as_the_portable_one() {
    let mut random = ChaCha8Rng::seed_from_u64(SEED);
    let portable = kernels::of(LaneBackend::Portable);
    for log_degree in 5..=17 {
        for modulus in moduli(log_degree) {
            let q = modulus.value();
            let plain = Twiddles::new(modulus, log_degree, 1).unwrap();
            let coefficients = residues(&mut random, 4 * q, 1 << log_degree);
            let (mut values, mut back) = (coefficients.clone(), coefficients.clone());
            portable.forward(&plain, &mut values);
            back.iter_mut().for_each(|residue| *residue %= 2 * q);
            let lazy = back.clone();
            portable.inverse(&plain, &mut back);
            for (backend, kernels) in backends() {
                let twiddles = Twiddles::new(modulus, log_degree, kernels.lanes()).unwrap();
                let mut ours = coefficients.clone();
                kernels.forward(&twiddles, &mut ours);
                assert!(ours == values, "{backend}, forward, q = {q}, log N = {log_degree}");
                let mut ours = lazy.clone();
                kernels.inverse(&twiddles, &mut ours);
                assert!(ours == back, "{backend}, inverse, q = {q}, log N = {log_degree}");
            }
        }
    }
}

#[test]
fn every_level_computes_place_by_place_as_wide_integers_do() {
    let mut random = ChaCha8Rng::seed_from_u64(SEED);
    for (log_degree, count) in [(4, 16), (4, 48), (4, 21), (6, 64), (16, 4096)] {
        for modulus in moduli(log_degree) {
            let q = modulus.value();
            let [a, b, sum] = [(); 3].map(|()| residues(&mut random, q, count));
            let factor = random.gen_range(0..q);
            let wide = u64::from;
            let expect = |of: &dyn Fn(usize) -> u64| -> Vec<u32> {
                (0..count).map(|i| (of(i) % wide(q)) as u32).collect()
            };
            for (backend, kernels) in backends() {
                let check = |name: &str, run: &dyn Fn(&mut [u32]), of: &dyn Fn(usize) -> u64| {
                    let mut ours = a.clone();
                    run(&mut ours);
                    assert_eq!(ours, expect(of), "{backend}, {name}, q = {q}");
                };
                let by = modulus.shoup(factor);
                let f = wide(factor);
                let (x, y, s) = (|i| wide(a[i]), |i| wide(b[i]), |i| wide(sum[i]));
                check("add", &|a| kernels.add(modulus, a, &b), &|i| x(i) + y(i));
                check("sub", &|a| kernels.sub(modulus, a, &b), &|i| x(i) + wide(q) - y(i));
                check("neg", &|a| kernels.neg(modulus, a), &|i| wide(q) - x(i));
                check("mul", &|a| kernels.mul(modulus, a, &b), &|i| x(i) * y(i));
                check("mul_add", &|a| kernels.mul_add(modulus, a, &b, &sum), &|i| {
                    x(i) + y(i) * s(i)
                });
                check("scale", &|a| kernels.scale(modulus, a, by), &|i| x(i) * f);
                check("sub_scale", &|a| kernels.sub_scale(modulus, a, &b, by), &|i| {
                    (x(i) + wide(q) - y(i)) * f
                });
            }
        }
    }
}

#[test]
fn sums_of_products_do_not_overflow() {
    let mut random = ChaCha8Rng::seed_from_u64(SEED);
    let count = 80;
    for modulus in moduli(5) {
        let q = modulus.value();
        let wide = u128::from;
        for terms in [0, 1, 2, 5, MAX_TERMS] {
            for is_largest in [false, true] {
                let mut draw = |bound: u32| -> Vec<u32> {
                    let mut words = residues(&mut random, bound, count);
                    if is_largest {
                        words.fill(bound - 1);
                    }
                    words
                };
                let pairs: Vec<_> = (0..terms).map(|_| (draw(q), draw(q))).collect();
                let others: Vec<_> = (0..terms).map(|_| draw(1 << 30)).collect();
                let factors = draw(q);
                for (backend, kernels) in backends() {
                    let pairs: Vec<_> = pairs.iter().map(|(a, b)| (&a[..], &b[..])).collect();
                    let mut sum = vec![7; count];
                    kernels.inner_product(modulus, &mut sum, &pairs);
                    for (place, sum) in sum.iter().enumerate() {
                        let exact: u128 =
                            pairs.iter().map(|(a, b)| wide(a[place]) * wide(b[place])).sum();
                        let back = u128::from(*sum) << 32;
                        assert_eq!(back % wide(q), exact % wide(q), "{backend}, place {place}");
                        assert!(*sum < q);
                    }
                    for run in [2, 4, 8, 16, 32, 2 * count.next_power_of_two()] {
                        let mut in_runs = vec![7; count];
                        kernels.inner_product_in_runs(modulus, &mut in_runs, &pairs, run);
                        for (place, sum) in in_runs.iter().enumerate() {
                            let product =
                                |(a, b): &(&[u32], &[u32])| wide(a[place]) * wide(b[place / run]);
                            let exact: u128 = pairs.iter().map(product).sum();
                            let back = u128::from(*sum) << 32;
                            assert_eq!(
                                back % wide(q),
                                exact % wide(q),
                                "{backend}, runs of {run}, place {place}"
                            );
                            assert!(*sum < q);
                        }
                    }
                    let terms: Vec<_> =
                        others.iter().zip(&factors).map(|(a, by)| (&a[..], *by)).collect();
                    kernels.combine(modulus, &mut sum, &terms);
                    for (place, sum) in sum.iter().enumerate() {
                        let exact: u128 =
                            terms.iter().map(|(a, by)| wide(a[place]) * wide(*by)).sum();
                        let back = u128::from(*sum) << 32;
                        assert_eq!(back % wide(q), exact % wide(q), "{backend}, place {place}");
                        assert!(*sum < q);
                    }
                }
            }
        }
    }
}

#[test]
fn automorphisms_permute_the_values() {
    let mut random = ChaCha8Rng::seed_from_u64(SEED);
    for log_degree in [1, 4, 6, 10] {
        let degree = 1usize << log_degree;
        let modulus = moduli(log_degree)[0];
        let coefficients = residues(&mut random, modulus.value(), degree);
        for exponent in [1, 3, 5, 25, 2 * degree as u64 - 1, 2 * degree as u64 + 5] {
            // X^i maps to X^(i·exponent), and X^N is −1.
            let mut image = vec![0; degree];
            for (power, coefficient) in coefficients.iter().enumerate() {
                let power = power as u64 * exponent % (2 * degree as u64);
                let is_negative = power >= degree as u64;
                let value = if is_negative { modulus.neg(*coefficient) } else { *coefficient };
                image[power as usize % degree] = value;
            }
            for (backend, kernels) in backends() {
                let twiddles = Twiddles::new(modulus, log_degree, kernels.lanes()).unwrap();
                let (mut values, mut expected) = (coefficients.clone(), image.clone());
                kernels.forward(&twiddles, &mut values);
                kernels.forward(&twiddles, &mut expected);
                let mut permuted = vec![0; degree];
                let lanes = kernels.lanes();
                let permutation = Permutation::automorphism(log_degree, exponent, lanes).unwrap();
                kernels.permute(&mut permuted, &values, &permutation);
                assert_eq!(permuted, expected, "{backend}, N = {degree}, exponent {exponent}");
            }
        }
        assert!(Permutation::automorphism(log_degree, 4, 16).is_none());
    }
    assert!(Permutation::automorphism(0, 3, 1).is_none());
    assert!(Permutation::automorphism(32, 3, 1).is_none());
}
