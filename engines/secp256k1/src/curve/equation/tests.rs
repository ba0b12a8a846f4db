// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares u₁G + u₂Q with libsecp256k1, in every lane, with AVX-512 and its emulation. Checks that
//! the lanes give up exactly where a model of the additions says that the formulas fail.

use halimede_arith::lanes::{available, emulate};
use halimede_arith::Backend;
use num_bigint::{BigInt, BigUint};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::super::halves::{half_multiple, half_sign, halves, HALF_BITS, HALF_WINDOWS};
use super::super::{try_equations, Digits};
use super::*;
use crate::testing::{any, inverse, lambda, n, point, words};

/// Returns scalars at the ends of their range, with only one half, with negative halves, and with a
/// single nonzero digit.
fn scalars(random: &mut ChaCha8Rng) -> Vec<BigUint> {
    let (n, one) = (n(), BigUint::from(1u8));
    let mut scalars: Vec<BigUint> = (0..4u8).map(BigUint::from).collect();
    scalars.extend((1..4u8).map(|below| &n - below));
    scalars.extend([lambda(), &n - lambda(), lambda() + 1u8, &lambda() * &lambda() % &n]);
    scalars.extend([1, 5, 64, 127, 128, 129, 255].map(|bit| &one << bit));
    scalars.extend([(&one << 128) - 1u8, (&n - 1u8) / 2u8, (&n + 1u8) / 2u8, &n / 3u8]);
    scalars.extend((0..4).map(|_| any(random)));
    scalars
}

/// u₁, u₂ and the discrete logarithm of Q.
type Numbers = [BigUint; 3];

fn numbers(random: &mut ChaCha8Rng) -> Vec<Numbers> {
    let n = n();
    let mut numbers = Vec::new();
    let scalars = scalars(random);
    let mut keys: Vec<BigUint> = (1..9u8).map(BigUint::from).collect();
    keys.extend((1..4u8).map(|below| &n - below));
    keys.extend([lambda(), &n - lambda(), BigUint::from(1u8) << 128, (&n + 1u8) / 2u8]);
    keys.extend((0..3).map(|_| any(random)));
    for u1 in &scalars {
        for u2 in scalars.iter().filter(|u2| **u2 != BigUint::default()) {
            let key = keys[random.gen_range(0..keys.len())].clone();
            numbers.push([u1.clone(), u2.clone(), key]);
        }
    }
    for key in keys {
        let u2 = any(random);
        let product = &u2 * &key % &n;
        // Infinity, the multiples next to it, and a sum of two equal points.
        let opposite = (&n - &product) % &n;
        for u1 in [opposite.clone(), opposite + 1u8, &product + 1u8, product] {
            numbers.push([u1 % &n, u2.clone(), key.clone()]);
        }
        // The first window of u₁ is u₂Q or its opposite.
        let u1 = any(random);
        let digit = generator_digits(&u1)[0].clone();
        for digit in [digit.clone(), &n - digit] {
            let u2 = &digit * inverse(&key) % &n;
            numbers.push([u1.clone(), u2, key.clone()]);
        }
    }
    numbers.extend((0..300).map(|_| [any(random), any(random), any(random)]));
    numbers
}

fn modulo_n(number: BigInt) -> BigUint {
    let n = BigInt::from(n());
    ((number % &n + &n) % &n).to_biguint().unwrap()
}

/// Returns the multiples of G that are added for u₁, from the lowest window on.
fn generator_digits(u1: &BigUint) -> Vec<BigUint> {
    let Digits { windows, is_opposite } = Digits::of(&words(u1));
    let value = |(window, digit): (usize, &u8)| {
        let value = BigInt::from(2 * i32::from(*digit) - 255) << (8 * window);
        modulo_n(if is_opposite { -value } else { value })
    };
    windows.iter().enumerate().map(value).collect()
}

/// Returns the discrete logarithm of the sum, following the additions of the lanes; `None` if an
/// addition has two equal or opposite points.
fn sum_of([u1, u2, key]: &Numbers) -> Option<BigUint> {
    let n = n();
    let add = |a: BigUint, b: BigUint| (a != b && &a + &b != n).then(|| (a + b) % &n);
    let halves = halves(&words(u2));
    let bases = [key.clone(), key * lambda() % &n];
    let multiple = |half: usize, window: usize| {
        let digit = halves[half][window];
        let value = BigInt::from(2 * half_multiple(digit) + 1);
        let value = if half_sign(digit) >> 63 == 1 { -value } else { value };
        modulo_n(value * BigInt::from(bases[half].clone()))
    };
    let mut sum = add(multiple(0, HALF_WINDOWS - 1), multiple(1, HALF_WINDOWS - 1))?;
    for window in (0..HALF_WINDOWS - 1).rev() {
        sum = (sum << HALF_BITS) % &n;
        sum = add(add(sum, multiple(0, window))?, multiple(1, window))?;
    }
    generator_digits(u1).into_iter().try_fold(sum, add)
}

/// Returns equations with the x of their sum as either candidate, and with another x.
fn cases() -> Vec<(Equation, Sum)> {
    let mut random = ChaCha8Rng::seed_from_u64(0x9);
    let mut cases = Vec::new();
    for numbers in numbers(&mut random) {
        let [u1, u2, key] = &numbers;
        let (key, sum) = (point(key), sum_of(&numbers));
        let other: Limbs = words(&any(&mut random));
        // If the sum is infinity, the model has no sum.
        let right = sum.as_ref().map_or(key[0], |sum| point(sum)[0]);
        let mut beside = right;
        beside[random.gen_range(0..4)] ^= 1 << random.gen_range(0..63);
        for (x, holds) in [([right, other], true), ([other, right], true), ([beside, other], false)]
        {
            let expected = match (&sum, holds) {
                (None, _) => Sum::Unknown,
                (Some(_), true) => Sum::Match,
                (Some(_), false) => Sum::Mismatch,
            };
            let equation = Equation::new(&words(u1), &words(u2), key, &other);
            cases.push((Equation { x, ..equation }, expected));
        }
    }
    cases
}

#[test]
fn sums_are_those_of_the_library() {
    let cases = cases();
    let count = |sum| cases.iter().filter(|(_, expected)| *expected == sum).count();
    assert!(count(Sum::Match) > 1000 && count(Sum::Unknown) > 100, "too few cases of a kind");
    for backend in [Backend::Avx2, Backend::Avx512, Backend::Avx512Ifma] {
        if !available(backend) {
            println!("{backend} is not available; testing only its emulation");
            assert!(try_equations(backend, &[cases[0].0.clone()]).is_none());
            continue;
        }
        for start in 0..LANES {
            let (equations, expected): (Vec<_>, Vec<_>) = cases[start..].iter().cloned().unzip();
            assert_eq!(try_equations(backend, &equations), Some(expected), "{backend}, {start}");
        }
        for length in 0..=2 * LANES + 1 {
            let (equations, expected): (Vec<_>, Vec<_>) = cases[..length].iter().cloned().unzip();
            assert_eq!(try_equations(backend, &equations), Some(expected), "{backend}, {length}");
        }
    }
}

#[test]
fn emulated_lanes_agree() {
    let cases = cases();
    let table = Table::of_generator();
    for (backend, start) in [(Backend::Avx512, 0), (Backend::Avx512Ifma, 3)] {
        for group in cases[start..].chunks_exact(LANES) {
            let equations = std::array::from_fn(|lane| &group[lane].0);
            let sums = emulate(backend, Equations { table, equations });
            let expected: Vec<Sum> = group.iter().map(|(_, sum)| *sum).collect();
            assert_eq!(sums[..], expected, "{backend}");
        }
    }
}

#[test]
fn candidates_are_r_and_its_sum_with_n_below_p() {
    let p = MODULUS.iter().rev().fold(BigUint::default(), |sum, limb| (sum << 64) + limb);
    let edge = &p - n();
    let mut random = ChaCha8Rng::seed_from_u64(0xa);
    let small = (0..50).map(|_| BigUint::from(random.gen::<u128>()) + &edge - (&edge >> 1));
    let mut numbers: Vec<BigUint> = small.collect();
    numbers.extend([1u8.into(), &edge - 1u8, edge.clone(), &edge + 1u8, n() - 1u8, n() - 2u8]);
    for r in numbers {
        let one = [1, 0, 0, 0];
        let x = Equation::new(&one, &one, point(&BigUint::from(1u8)), &words(&r)).x;
        let other = if r < edge { &r + n() } else { r.clone() };
        assert_eq!(x, [words(&r), words(&other)], "{r:x}");
    }
}
