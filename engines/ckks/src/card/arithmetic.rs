// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The arithmetic of the card's units, residue by residue.

use crate::ring::Modulus;

/// Bits of a Montgomery step. Two steps multiply a product by 2⁻³⁴.
const LOG_STEP: u32 = 17;
const FRACTION_BITS: u32 = 59;
/// Sums below this bound are reduced in words of 64 bits.
const SMALL: u128 = 1 << 62;

/// Multiplies a sum by 2⁻³⁴, with two Montgomery steps and a correction (`ckks_reduce`).
pub(super) fn reduce(modulus: Modulus, sum: u128) -> u32 {
    let q = i128::from(modulus.value());
    if sum < SMALL {
        let q = i64::from(modulus.value());
        let step = |value: i64| (value >> LOG_STEP) - (value & 0x1_ffff) * (q >> LOG_STEP);
        let reduced = step(step(sum as i64));
        let corrected = if reduced < 0 { reduced + q } else { reduced };
        return (if corrected >= q { corrected - q } else { corrected }) as u32;
    }
    let step = |value: i128| (value >> LOG_STEP) - (value & 0x1_ffff) * (q >> LOG_STEP);
    let reduced = step(step(sum as i128));
    let corrected = if reduced < 0 { reduced + q } else { reduced };
    (if corrected >= q { corrected - q } else { corrected }) as u32
}

/// The nearest integer to a sum with 59 fractional bits.
pub(super) fn whole(sum: u128) -> u32 {
    ((sum + (1 << (FRACTION_BITS - 1))) >> FRACTION_BITS) as u32
}

fn reversed(index: usize, bits: u32) -> usize {
    if bits == 0 {
        0
    } else {
        index.reverse_bits() >> (usize::BITS - bits)
    }
}

/// root^rev(i) for each i below N.
pub(super) fn powers(modulus: Modulus, root: u32, degree: usize) -> Vec<u32> {
    let bits = degree.trailing_zeros();
    (0..degree).map(|index| modulus.pow(root, reversed(index, bits) as u64)).collect()
}

/// Transforms coefficients to values. `product` multiplies by factor m + g, which is for group g of
/// m.
pub(super) fn forward(
    modulus: Modulus,
    product: impl Fn(u32, usize) -> u32,
    from: &[u32],
) -> Vec<u32> {
    let mut values = from.to_vec();
    let mut groups = 1;
    while groups < values.len() {
        let half = values.len() / (2 * groups);
        for (group, chunk) in values.chunks_exact_mut(2 * half).enumerate() {
            let (low, high) = chunk.split_at_mut(half);
            for (a, b) in low.iter_mut().zip(high) {
                let product = product(*b, groups + group);
                (*a, *b) = (modulus.add(*a, product), modulus.sub(*a, product));
            }
        }
        groups *= 2;
    }
    values
}

/// The inverse of [`forward`], N times too large.
pub(super) fn inverse(
    modulus: Modulus,
    product: impl Fn(u32, usize) -> u32,
    from: &[u32],
) -> Vec<u32> {
    let mut values = from.to_vec();
    let mut groups = values.len() / 2;
    while groups > 0 {
        let half = values.len() / (2 * groups);
        for (group, chunk) in values.chunks_exact_mut(2 * half).enumerate() {
            let (low, high) = chunk.split_at_mut(half);
            for (a, b) in low.iter_mut().zip(high) {
                let difference = modulus.sub(*a, *b);
                *a = modulus.add(*a, *b);
                *b = product(difference, groups + group);
            }
        }
        groups /= 2;
    }
    values
}

/// X → X^exponent: index i, which is the value at ψ^(2·rev(i) + 1), comes from
/// ψ^(exponent·(2·rev(i) + 1)).
pub(super) fn permuted(from: &[u32], exponent: u64) -> Vec<u32> {
    let (degree, bits) = (from.len(), from.len().trailing_zeros());
    let source = |index: usize| {
        let power =
            exponent.wrapping_mul(2 * reversed(index, bits) as u64 + 1) % (2 * degree as u64);
        from[reversed((power >> 1) as usize, bits)]
    };
    (0..degree).map(source).collect()
}
