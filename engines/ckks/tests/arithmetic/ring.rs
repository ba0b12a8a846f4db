// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Polynomials against big integers, at small N and on every backend.

#![allow(clippy::unwrap_used, reason = "a test's helpers are tests too")]

use halimede_arith::EngineBackend;
use halimede_ckks::ring::{
    primes_below, Basis, Form, LaneBackend, Modulus, ModulusError, Operation, Polynomial, Ring,
    RingError,
};
use num_bigint::BigInt;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Seed of the polynomials.
const SEED: u64 = 20_261_122;
/// Six primes of 30 bits, then four of 25.
const PRIMES: usize = 10;

fn ring(log_degree: u32, backend: LaneBackend) -> Ring {
    let large = primes_below(1 << 30, log_degree + 1).take(6);
    let small = primes_below(1 << 25, log_degree + 1).take(4);
    let primes: Vec<u32> = large.chain(small).collect();
    Ring::new(log_degree, &primes, backend).unwrap()
}

fn random(ring: &Ring, basis: &Basis, random: &mut ChaCha8Rng) -> Polynomial {
    let seeds: Vec<u64> = (0..PRIMES).map(|_| random.gen()).collect();
    ring.from_limbs(basis, Form::Coefficients, |modulus, limb| {
        let place = (0..PRIMES as u16).find(|place| ring.modulus(*place) == modulus).unwrap();
        let mut random = ChaCha8Rng::seed_from_u64(seeds[usize::from(place)]);
        limb.iter_mut().for_each(|residue| *residue = random.gen_range(0..modulus.value()));
    })
}

fn product(ring: &Ring, basis: &Basis) -> BigInt {
    ring.moduli(basis).into_iter().map(|modulus| BigInt::from(modulus.value())).product()
}

/// Returns the coefficients, in [0, Q).
fn integers(ring: &Ring, a: &Polynomial) -> Vec<BigInt> {
    let whole = product(ring, a.basis());
    let mut sums = vec![BigInt::from(0); a.degree()];
    for (modulus, limb) in ring.moduli(a.basis()).into_iter().zip(a.limbs()) {
        let cofactor = &whole / modulus.value();
        let inverse = modulus.inverse(residue(&cofactor, modulus));
        for (sum, residue) in sums.iter_mut().zip(limb) {
            *sum += &cofactor * modulus.mul(*residue, inverse);
        }
    }
    sums.into_iter().map(|sum| sum % &whole).collect()
}

fn residue(number: &BigInt, modulus: Modulus) -> u32 {
    let q = BigInt::from(modulus.value());
    u32::try_from(((number % &q) + &q) % &q).unwrap()
}

fn assert_is(ring: &Ring, a: &Polynomial, expected: &[BigInt], what: &str) {
    assert_eq!(a.form(), Form::Coefficients);
    for (modulus, limb) in ring.moduli(a.basis()).into_iter().zip(a.limbs()) {
        for (place, (ours, expected)) in limb.iter().zip(expected).enumerate() {
            assert_eq!(*ours, residue(expected, modulus), "{what}, {}, {place}", ring.backend());
        }
    }
}

#[test]
fn sums_and_products_are_those_of_polynomials() {
    for backend in LaneBackend::available() {
        for log_degree in [5, 7] {
            let ring = ring(log_degree, backend);
            let mut rng = ChaCha8Rng::seed_from_u64(SEED);
            let (basis, more) = (Basis::new([0, 2, 7]), Basis::new([0, 1, 2, 7, 9]));
            let (a, b) = (random(&ring, &basis, &mut rng), random(&ring, &more, &mut rng));
            let c = random(&ring, &more, &mut rng);
            let degree = ring.degree();
            let [x, y, z] = [&a, &b, &c].map(|polynomial| integers(&ring, polynomial));
            let mut negacyclic = vec![BigInt::from(0); degree];
            for (i, x) in x.iter().enumerate() {
                for (j, y) in y.iter().enumerate() {
                    let sign = if i + j < degree { 1 } else { -1 };
                    negacyclic[(i + j) % degree] += x * y * sign;
                }
            }
            let each = |of: &dyn Fn(usize) -> BigInt| (0..degree).map(of).collect::<Vec<_>>();
            let mut sum = a.clone();
            ring.add(&mut sum, &b);
            assert_is(&ring, &sum, &each(&|i| &x[i] + &y[i]), "sum");
            let mut difference = a.clone();
            ring.sub(&mut difference, &b);
            assert_is(&ring, &difference, &each(&|i| &x[i] - &y[i]), "difference");
            let mut negative = a.clone();
            ring.neg(&mut negative);
            assert_is(&ring, &negative, &each(&|i| -&x[i]), "negative");
            let mut scaled = a.clone();
            ring.scale(&mut scaled, |_| 12_345);
            assert_is(&ring, &scaled, &each(&|i| &x[i] * 12_345), "multiple");

            let [mut values, mut others, mut third] = [a.clone(), b.clone(), c.clone()];
            for polynomial in [&mut values, &mut others, &mut third] {
                ring.forward(polynomial);
            }
            ring.mul(&mut values, &others);
            ring.inverse(&mut values);
            assert_is(&ring, &values, &negacyclic, "product");
            let mut sum = ring.restrict(&third, &basis);
            let mut values = a.clone();
            ring.forward(&mut values);
            ring.mul_add(&mut sum, &values, &others);
            ring.inverse(&mut sum);
            let expected = each(&|i| &z[i] + &negacyclic[i]);
            assert_is(&ring, &sum, &expected, "product and sum");
        }
    }
}

#[test]
fn a_quotient_is_the_nearest_integer() {
    let cases: [(&[u16], &[u16], &[u16]); 5] = [
        (&[0, 1, 2], &[2], &[]),
        (&[0, 1, 2, 3], &[1, 2, 3], &[6, 7]),
        (&[0, 6, 7, 8, 9], &[6, 7, 8, 9], &[1, 2]),
        (&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], &[1, 2, 3, 4, 5, 6, 7, 8, 9], &[]),
        (&[3, 5], &[5], &[0, 1, 2, 4, 6, 7, 8, 9]),
    ];
    for backend in LaneBackend::available() {
        let ring = ring(6, backend);
        let mut rng = ChaCha8Rng::seed_from_u64(SEED);
        for (from, removed, added) in cases {
            let [from, removed, added] =
                [from, removed, added].map(|places| Basis::new(places.iter().copied()));
            let mut a = random(&ring, &from, &mut rng);
            let numbers = integers(&ring, &a);
            let (divisor, factor) = (product(&ring, &removed), product(&ring, &added));
            let half: BigInt = &divisor / 2;
            let expected: Vec<BigInt> =
                numbers.iter().map(|number| (number * &factor + &half) / &divisor).collect();
            ring.forward(&mut a);
            let mut quotient = ring.divide(&a, &removed, &added);
            assert_eq!(*quotient.basis(), from.without(&removed).union(&added));
            ring.inverse(&mut quotient);
            assert_is(&ring, &quotient, &expected, "quotient");
        }
    }
}

#[test]
fn automorphisms_compose_and_commute_with_products() {
    for backend in LaneBackend::available() {
        let ring = ring(8, backend);
        let mut rng = ChaCha8Rng::seed_from_u64(SEED);
        let basis = Basis::new([1, 8]);
        let [mut a, mut b] = [(); 2].map(|()| random(&ring, &basis, &mut rng));
        ring.forward(&mut a);
        ring.forward(&mut b);
        let order = 2 * ring.degree() as u64;
        let both = ring.automorphism(&ring.automorphism(&a, 5), 27);
        assert!(both.limbs().eq(ring.automorphism(&a, 5 * 27 % order).limbs()));
        let back = ring.automorphism(&ring.automorphism(&a, order - 1), order - 1);
        assert!(back.limbs().eq(a.limbs()));
        let mut product = ring.automorphism(&a, 25);
        ring.mul(&mut product, &ring.automorphism(&b, 25));
        ring.mul(&mut a, &b);
        assert!(ring.automorphism(&a, 25).limbs().eq(product.limbs()));
    }
}

#[test]
fn what_is_no_ring_is_refused() {
    let refused = |log_degree, primes: &[u32]| {
        Ring::new(log_degree, primes, LaneBackend::Portable).err().unwrap()
    };
    let prime = primes_below(1 << 30, 7).next().unwrap();
    assert_eq!(refused(4, &[prime]), RingError::Degree { got: 4 });
    assert_eq!(refused(18, &[prime]), RingError::Degree { got: 18 });
    assert_eq!(refused(6, &[prime, prime]), RingError::Repeated { modulus: prime });
    let error = RingError::Modulus(ModulusError::Order { modulus: 97, order: 128 });
    assert_eq!(refused(6, &[prime, 97]), error);
}

#[test]
fn a_trace_counts_what_was_done_while_it_was_taken() {
    let ring = ring(6, LaneBackend::active());
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let mut a = random(&ring, &Basis::new(0..7), &mut rng);
    ring.forward(&mut a);
    let recording = ring.start_recording();
    let quotient = ring.divide(&a, &Basis::new([5, 6]), &Basis::new([9]));
    let trace = recording.end();
    ring.automorphism(&a, 5);
    let counts = trace.counts();
    assert_eq!((counts.inverse_limbs, counts.forward_limbs), (2, 6));
    assert_eq!((counts.conversion_products, counts.scale_limbs), (12, 5));
    assert_eq!((counts.permute_limbs, counts.key_bytes), (0, 0));
    let is_conversion = |operation: &_| match operation {
        Operation::Convert { from, .. } => from.places() == [5, 6],
        _ => false,
    };
    assert!(trace.steps.iter().any(|step| is_conversion(&step.operation)));
    assert_eq!(trace.steps.last().unwrap().output, quotient.name());
    let text = counts.to_string();
    assert!(text.contains("products of conversions               12 limbs"), "{text}");
}

#[test]
fn a_ring_is_known_by_its_degree_and_its_primes_in_their_order() {
    let primes: Vec<u32> = primes_below(1 << 30, 11).take(3).collect();
    let id = |log_degree, primes: &[u32]| {
        Ring::new(log_degree, primes, LaneBackend::Portable).unwrap().id()
    };
    let turned = [primes[1], primes[0], primes[2]];
    assert_eq!(id(10, &primes), Ring::new(10, &primes, LaneBackend::active()).unwrap().id());
    let others = [id(9, &primes), id(10, &primes[..2]), id(10, &turned)];
    assert!(others.iter().all(|other| *other != id(10, &primes)), "{others:?}");
}

#[test]
fn integers_of_128_bits_are_reduced_modulo_each_prime() {
    let mut rng = ChaCha8Rng::seed_from_u64(SEED + 8);
    let limit = 1i128 << 126;
    let ends = [0, 1, -1, limit - 1, 1 - limit, 1 << 62, -(1 << 62), (1 << 90) - 1, 1 << 30];
    for backend in LaneBackend::available() {
        let ring = ring(5, backend);
        let mut numbers: Vec<i128> = ends.to_vec();
        numbers.resize_with(32, || rng.gen_range(1 - limit..limit) >> rng.gen_range(0..120));
        let got = ring.from_wide(&ring.all(), &numbers);
        let expected: Vec<BigInt> = numbers.iter().map(|number| BigInt::from(*number)).collect();
        assert_is(&ring, &got, &expected, "integers of 128 bits");
        let small: Vec<i64> = numbers.iter().map(|number| (number >> 65) as i64).collect();
        let got = ring.from_coefficients(&ring.all(), &small, 3);
        let expected: Vec<BigInt> = small.iter().map(|number| BigInt::from(*number) << 3).collect();
        assert_is(&ring, &got, &expected, "integers of 64 bits");
    }
}
