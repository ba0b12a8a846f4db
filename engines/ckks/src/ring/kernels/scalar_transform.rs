// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The number-theoretic transforms in Rust alone: two stages a pass over the polynomial, and the
//! last three or four forward (the first backward) within blocks that stay in registers.
//!
//! Between stages residues lie in [0, 4q) forward and in [0, 2q) backward (Harvey, "Faster
//! arithmetic for number-theoretic transforms", 2014).

use super::super::modulus::{reduce_once, Modulus, Shoup};

/// Replaces N coefficients in [0, 4q) by their values in [0, q). `factors` are those of the stage
/// with m groups from place m on.
pub(super) fn forward(modulus: Modulus, factors: &[Shoup], residues: &mut [u32]) {
    let length = block_length(residues.len());
    let blocks = residues.len() / length;
    let mut groups = 1;
    while groups < blocks {
        for (group, block) in residues.chunks_exact_mut(residues.len() / groups).enumerate() {
            let first = factors[groups + group];
            let [second, third] = [0, 1].map(|half| factors[2 * (groups + group) + half]);
            for_quarters(block, |[a, b, c, d]| {
                let ([a, c], [b, d]) =
                    (add_sub(modulus, a, c, first), add_sub(modulus, b, d, first));
                let ([a, b], [c, d]) =
                    (add_sub(modulus, a, b, second), add_sub(modulus, c, d, third));
                [a, b, c, d]
            });
        }
        groups *= 4;
    }
    match length {
        2 => forward_blocks::<2>(modulus, factors, residues),
        4 => forward_blocks::<4>(modulus, factors, residues),
        8 => forward_blocks::<8>(modulus, factors, residues),
        _ => forward_blocks::<16>(modulus, factors, residues),
    }
}

/// Replaces N values in [0, 2q) by their coefficients in [0, q). The factor of the stage with one
/// group is divided by N already.
pub(super) fn inverse(
    modulus: Modulus,
    factors: &[Shoup],
    degree_inverse: Shoup,
    residues: &mut [u32],
) {
    let length = block_length(residues.len());
    let blocks = residues.len() / length;
    match length {
        2 => inverse_blocks::<2>(modulus, factors, residues),
        4 => inverse_blocks::<4>(modulus, factors, residues),
        8 => inverse_blocks::<8>(modulus, factors, residues),
        _ => inverse_blocks::<16>(modulus, factors, residues),
    }
    let mut groups = blocks;
    while groups > 1 {
        groups /= 4;
        for (group, block) in residues.chunks_exact_mut(residues.len() / groups).enumerate() {
            let first = factors[groups + group];
            let [second, third] = [0, 1].map(|half| factors[2 * (groups + group) + half]);
            for_quarters(block, |[a, b, c, d]| {
                let ([a, b], [c, d]) =
                    (sum_and(modulus, a, b, second), sum_and(modulus, c, d, third));
                let ([a, c], [b, d]) =
                    (sum_and(modulus, a, c, first), sum_and(modulus, b, d, first));
                [a, b, c, d]
            });
        }
    }
    let (low, high) = residues.split_at_mut(residues.len() / 2);
    for residue in low {
        *residue = modulus.mul_shoup(*residue, degree_inverse);
    }
    for residue in high {
        *residue = reduce_once(*residue, modulus.value());
    }
}

/// The length of the blocks that hold the last stages: the number of the stages before is even.
fn block_length(degree: usize) -> usize {
    match degree.trailing_zeros() {
        1 => 2,
        2 => 4,
        odd if odd % 2 == 1 => 8,
        _ => 16,
    }
}

/// Replaces the residues at the same place of the four quarters of a block, for every place.
#[inline(always)]
fn for_quarters(block: &mut [u32], map: impl Fn([u32; 4]) -> [u32; 4]) {
    let (low, high) = block.split_at_mut(block.len() / 2);
    let (a, b) = low.split_at_mut(low.len() / 2);
    let (c, d) = high.split_at_mut(high.len() / 2);
    for (((a, b), c), d) in a.iter_mut().zip(b).zip(c).zip(d) {
        [*a, *b, *c, *d] = map([*a, *b, *c, *d]);
    }
}

/// x ± y·factor in [0, 4q), of x in [0, 4q) (Cooley and Tukey's butterfly).
#[inline(always)]
fn add_sub(modulus: Modulus, x: u32, y: u32, factor: Shoup) -> [u32; 2] {
    let twice = 2 * modulus.value();
    let (sum, product) = (reduce_once(x, twice), modulus.mul_shoup_lazy(y, factor));
    [sum + product, sum + twice - product]
}

/// x + y and (x − y)·factor in [0, 2q), of x and y there (Gentleman and Sande's butterfly).
#[inline(always)]
fn sum_and(modulus: Modulus, x: u32, y: u32, factor: Shoup) -> [u32; 2] {
    let twice = 2 * modulus.value();
    [reduce_once(x + y, twice), modulus.mul_shoup_lazy(x + twice - y, factor)]
}

#[inline(always)]
fn forward_blocks<const LENGTH: usize>(modulus: Modulus, factors: &[Shoup], residues: &mut [u32]) {
    let (blocks, _) = residues.as_chunks_mut::<LENGTH>();
    let groups = blocks.len();
    for (number, block) in blocks.iter_mut().enumerate() {
        let mut x = *block;
        let mut parts = 1;
        while parts < LENGTH {
            let half = LENGTH / (2 * parts);
            for part in 0..parts {
                let factor = factors[(groups + number) * parts + part];
                for low in 2 * half * part..2 * half * part + half {
                    [x[low], x[low + half]] = add_sub(modulus, x[low], x[low + half], factor);
                }
            }
            parts *= 2;
        }
        let q = modulus.value();
        *block = x.map(|residue| reduce_once(reduce_once(residue, 2 * q), q));
    }
}

#[inline(always)]
fn inverse_blocks<const LENGTH: usize>(modulus: Modulus, factors: &[Shoup], residues: &mut [u32]) {
    let (blocks, _) = residues.as_chunks_mut::<LENGTH>();
    let groups = blocks.len();
    for (number, block) in blocks.iter_mut().enumerate() {
        let mut x = *block;
        let mut parts = LENGTH / 2;
        while parts > 0 {
            let half = LENGTH / (2 * parts);
            for part in 0..parts {
                let factor = factors[(groups + number) * parts + part];
                for low in 2 * half * part..2 * half * part + half {
                    [x[low], x[low + half]] = sum_and(modulus, x[low], x[low + half], factor);
                }
            }
            parts /= 2;
        }
        *block = x;
    }
}
