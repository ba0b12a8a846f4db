// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Arithmetic modulo any number below 2⁶⁰, by division: it shares nothing with the ring, so that a
//! replay checks the ring.

/// a·b mod q.
pub(super) fn multiply(a: u64, b: u64, q: u64) -> u64 {
    match (u32::try_from(a), u32::try_from(b)) {
        (Ok(a), Ok(b)) => u64::from(a) * u64::from(b) % q,
        _ => (u128::from(a) * u128::from(b) % u128::from(q)) as u64,
    }
}

/// a + b mod q, of residues.
pub(super) fn add(a: u64, b: u64, q: u64) -> u64 {
    (a + b) % q
}

/// a − b mod q, of residues.
pub(super) fn subtract(a: u64, b: u64, q: u64) -> u64 {
    (a + q - b) % q
}

/// aⁿ mod q.
pub(super) fn power(a: u64, n: u64, q: u64) -> u64 {
    let (mut result, mut square, mut rest) = (1 % q, a % q, n);
    while rest > 0 {
        if rest & 1 == 1 {
            result = multiply(result, square, q);
        }
        square = multiply(square, square, q);
        rest >>= 1;
    }
    result
}

/// a⁻¹ mod a prime.
pub(super) fn inverse(a: u64, prime: u64) -> u64 {
    power(a, prime - 2, prime)
}

/// Reverses the low bits of a number.
pub(super) fn reversed(number: usize, bits: u32) -> usize {
    match bits {
        0 => 0,
        _ => number.reverse_bits() >> (usize::BITS - bits),
    }
}

/// The powers of ψ in bit-reversed order of their exponents.
fn powers(root: u64, degree: usize, q: u64) -> Vec<u64> {
    let bits = degree.trailing_zeros();
    let (mut powers, mut power) = (vec![0; degree], 1 % q);
    for exponent in 0..degree {
        powers[reversed(exponent, bits)] = power;
        power = multiply(power, root, q);
    }
    powers
}

/// Transforms coefficients to values (Longa, Naehrig, "Speeding up the number theoretic transform",
/// CANS 2016, algorithm 1).
pub(super) fn forward(a: &mut [u64], root: u64, q: u64) {
    let powers = powers(root, a.len(), q);
    let (mut blocks, mut half) = (1, a.len() / 2);
    while half > 0 {
        for (block, values) in a.chunks_exact_mut(2 * half).enumerate() {
            let (low, high) = values.split_at_mut(half);
            for (low, high) in low.iter_mut().zip(high) {
                let turned = multiply(*high, powers[blocks + block], q);
                (*low, *high) = (add(*low, turned, q), subtract(*low, turned, q));
            }
        }
        (blocks, half) = (2 * blocks, half / 2);
    }
}

/// Transforms values to coefficients (algorithm 2).
pub(super) fn inverse_transform(a: &mut [u64], root: u64, q: u64) {
    let degree = a.len() as u64;
    // ψ^(2N) is 1.
    let powers = powers(power(root, 2 * degree - 1, q), a.len(), q);
    let (mut blocks, mut half) = (a.len() / 2, 1);
    while blocks > 0 {
        for (block, values) in a.chunks_exact_mut(2 * half).enumerate() {
            let (low, high) = values.split_at_mut(half);
            for (low, high) in low.iter_mut().zip(high) {
                let difference = subtract(*low, *high, q);
                *low = add(*low, *high, q);
                *high = multiply(difference, powers[blocks + block], q);
            }
        }
        (blocks, half) = (blocks / 2, 2 * half);
    }
    // q is odd: ½ is (q + 1)/2.
    let inverse = power(q.div_ceil(2), u64::from(a.len().trailing_zeros()), q);
    for value in a {
        *value = multiply(*value, inverse, q);
    }
}
