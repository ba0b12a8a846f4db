// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Conversions between moduli against big integers.

#![allow(clippy::unwrap_used, reason = "a test's helpers are tests too")]

use halimede_arith::EngineBackend;
use halimede_ckks::ring::{kernels, primes_below, Conversion, LaneBackend, Modulus, MAX_SOURCES};
use num_bigint::BigInt;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Seed of the numbers.
const SEED: u64 = 20_261_122;
/// Words of a cache line.
const LINE_WORDS: usize = 16;

/// The numbers of values converted at a time: a multiple of every group of vectors, and another
/// number.
const COUNTS: [usize; 2] = [96, 37];

fn moduli(random: &mut ChaCha8Rng, count: usize) -> Vec<Modulus> {
    let sizes = [30, 29, 25, 20];
    let mut moduli: Vec<Modulus> = sizes
        .into_iter()
        .flat_map(|bits| primes_below(1 << bits, 6).take(20))
        .map(|prime| Modulus::new(prime).unwrap())
        .collect();
    moduli.shuffle(random);
    moduli.truncate(count);
    moduli
}

fn residue(number: &BigInt, modulus: Modulus) -> u32 {
    let q = BigInt::from(modulus.value());
    u32::try_from(((number % &q) + &q) % &q).unwrap()
}

/// Returns numbers from −B/2 to B/2, including the extreme ones, 0 and ±1. None of them is
/// ambiguous.
fn numbers(random: &mut ChaCha8Rng, product: &BigInt, count: usize) -> Vec<BigInt> {
    let safe: BigInt = product / 2 - (product >> 22u32);
    let mut numbers: Vec<BigInt> = (0..count)
        .map(|_| {
            let fraction = BigInt::from(random.gen_range(-(1i64 << 40)..1 << 40));
            &safe * fraction / BigInt::from(1i64 << 40) + BigInt::from(random.gen_range(-9..9))
        })
        .map(|number| number.clamp(-&safe, safe.clone()))
        .collect();
    let edges = [BigInt::from(0), BigInt::from(1), BigInt::from(-1), safe.clone(), -safe];
    numbers[..5].clone_from_slice(&edges);
    numbers
}

#[test]
fn the_number_of_least_absolute_value_is_converted() {
    let mut random = ChaCha8Rng::seed_from_u64(SEED);
    for sources in [1, 2, 3, 4, 11, 12, 13, MAX_SOURCES] {
        for count in COUNTS {
            let targets = random.gen_range(1..6);
            let all = moduli(&mut random, sources + targets);
            let (from, to) = all.split_at(sources);
            let product: BigInt =
                from.iter().map(|modulus| BigInt::from(modulus.value())).product();
            let numbers = numbers(&mut random, &product, count);
            let (before, after) = (random.gen_range(1..1000), random.gen_range(1..1000));
            // The conversion uses x·before, of least absolute value: x is computed from that.
            let conversion = Conversion::new(from, to, |_| before, |_| after);
            let rows: Vec<Vec<u32>> = from
                .iter()
                .map(|modulus| {
                    let inverse = modulus.inverse(before);
                    let row = numbers.iter().map(|n| modulus.mul(residue(n, *modulus), inverse));
                    row.collect()
                })
                .collect();
            let rows: Vec<&[u32]> = rows.iter().map(|row| &row[..]).collect();
            for backend in LaneBackend::available() {
                // Bypassing the caches or not, at whole cache lines or not.
                for (are_far, offset) in [(false, 0), (true, 0), (true, 1)] {
                    let stride = count.next_multiple_of(LINE_WORDS);
                    let mut words = vec![7; to.len() * stride + 2 * LINE_WORDS];
                    let start = words.as_ptr().align_offset(LINE_WORDS * size_of::<u32>()) + offset;
                    let mut converted: Vec<&mut [u32]> = words[start..]
                        .chunks_mut(stride)
                        .take(to.len())
                        .map(|row| &mut row[..count])
                        .collect();
                    kernels::of(backend).convert(&conversion, &rows, &mut converted, are_far);
                    for (row, modulus) in converted.iter().zip(to) {
                        for (place, (ours, number)) in row.iter().zip(&numbers).enumerate() {
                            let expected = residue(&(number * after), *modulus);
                            assert_eq!(
                                *ours, expected,
                                "{backend}, {sources} sources, place {place}"
                            );
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn numbers_in_doubt_are_converted_alike_on_every_level_and_to_one_of_two_values() {
    let mut random = ChaCha8Rng::seed_from_u64(SEED);
    let all = moduli(&mut random, 15);
    let (from, to) = all.split_at(12);
    let product: BigInt = from.iter().map(|modulus| BigInt::from(modulus.value())).product();
    let numbers: Vec<BigInt> =
        (-48..48).map(|offset| &product / 2 + (&product >> 26u32) * offset / 10).collect();
    let conversion = Conversion::new(from, to, |_| 1, |_| 1);
    let rows: Vec<Vec<u32>> = from
        .iter()
        .map(|modulus| numbers.iter().map(|number| residue(number, *modulus)).collect())
        .collect();
    let rows: Vec<&[u32]> = rows.iter().map(|row| &row[..]).collect();
    let mut first: Option<Vec<Vec<u32>>> = None;
    for backend in LaneBackend::available() {
        let mut converted = vec![vec![0; numbers.len()]; to.len()];
        let mut targets: Vec<&mut [u32]> = converted.iter_mut().map(|row| &mut row[..]).collect();
        kernels::of(backend).convert(&conversion, &rows, &mut targets, false);
        for (place, number) in numbers.iter().enumerate() {
            let is = |number: &BigInt| {
                converted
                    .iter()
                    .zip(to)
                    .all(|(row, modulus)| row[place] == residue(number, *modulus))
            };
            assert!(is(number) || is(&(number - &product)), "{backend}, place {place}");
        }
        assert_eq!(*first.get_or_insert_with(|| converted.clone()), converted, "{backend}");
    }
}
