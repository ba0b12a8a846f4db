// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tables of the factors of transforms (`engines/ckks/card/README.md`).

use super::arithmetic::powers;
use crate::ring::Modulus;

/// log₂ of the number by which the factors are multiplied.
const LOG_RADIX: u32 = 34;

/// Calls `each` for every word of a table that is a factor, with its index and the number of the
/// factor. Factor m + g belongs to group g of the stage with m groups. Returns the length of the
/// table.
fn for_each(log_degree: u32, log_radix: u32, mut each: impl FnMut(usize, usize)) -> usize {
    let ports = 1usize << log_radix;
    let mut start = 0;
    for low in (0..log_degree).step_by(log_radix as usize) {
        let width = log_radix.min(log_degree - low);
        let above = low + width;
        for block in 0..1usize << (log_degree - above) {
            for bit in 0..width {
                let first = 1 << (log_radix - 1 - bit);
                for of_port in 0..1usize << (log_radix - 1 - bit) {
                    // The ports may have bits that a pass with fewer stages lacks.
                    let port = of_port << (bit + 1) & ((1 << width) - 1);
                    let place = low + bit;
                    let group = (block << above | port << low) >> (place + 1);
                    each(start + first + of_port, (1 << (log_degree - 1 - place)) + group);
                }
            }
            start += ports;
        }
    }
    start
}

/// Returns the table of a prime, for the powers of ψ or of its inverse.
pub(super) fn table(modulus: Modulus, root: u32, degree: usize, log_radix: u32) -> Vec<u32> {
    let radix = modulus.reduce(1 << LOG_RADIX);
    let factors = powers(modulus, root, degree);
    let log_degree = degree.trailing_zeros();
    let mut words = Vec::new();
    let length = for_each(log_degree, log_radix, |_, _| {});
    words.resize(length, radix);
    words.iter_mut().step_by(1 << log_radix).for_each(|word| *word = 0);
    for_each(log_degree, log_radix, |at, number| words[at] = modulus.mul(factors[number], radix));
    words
}

/// Returns the factors of a table by their numbers, still multiplied by 2³⁴.
pub(super) fn factors_of(table: &[u32], log_degree: u32, log_radix: u32) -> Option<Vec<u32>> {
    if table.len() < for_each(log_degree, log_radix, |_, _| {}) {
        return None;
    }
    let mut factors = vec![0; 1 << log_degree];
    for_each(log_degree, log_radix, |at, number| factors[number] = table[at]);
    Some(factors)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ring::primes_below;

    #[test]
    fn factors_come_back_from_their_table() {
        let prime = primes_below(1 << 30, 17).next().unwrap();
        let modulus = Modulus::new(prime).unwrap();
        for (log_degree, log_radix) in [(6, 4), (10, 4), (10, 3), (7, 2), (6, 1)] {
            let degree = 1 << log_degree;
            let words = table(modulus, 3, degree, log_radix);
            let expected = powers(modulus, 3, degree);
            let found = factors_of(&words, log_degree, log_radix).unwrap();
            let radix = modulus.reduce(1 << LOG_RADIX);
            for (number, factor) in expected.iter().enumerate().skip(1) {
                assert_eq!(found[number], modulus.mul(*factor, radix), "{number}");
            }
            assert!(words.iter().step_by(1 << log_radix).all(|word| *word == 0));
            assert_eq!(factors_of(&words[1..], log_degree, log_radix), None);
        }
    }
}
