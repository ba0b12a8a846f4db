// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The number-theoretic transforms in portable Rust: two stages in each pass over the polynomial,
//! except that the last four stages forward (the first four backward) are within tiles of four rows
//! of four residues. There, two stages are between rows and two between the former columns.
//!
//! Loops over indices and arrays of four are written such that compilers vectorize them: a
//! butterfly multiplies words of 32 bits to 64 bits, and compares by the sign of a difference. Thus
//! a processor with only SSE2 computes four butterflies at a time, with six products.
//!
//! Between stages, residues are in [0, 4q) forward and in [0, 2q) backward (Harvey, "Faster
//! arithmetic for number-theoretic transforms", 2014).

use super::super::modulus::{Modulus, Shoup};

/// The number of residues in a tile.
const TILE: usize = 16;

/// Replaces N coefficients in [0, 4q) by their values in [0, q). The factors of the stage with m
/// groups begin at index m of `factors`.
pub(super) fn forward(modulus: Modulus, factors: &[Shoup], residues: &mut [u32]) {
    let mut groups = 1;
    if is_odd(residues.len()) {
        for_halves(residues, |[a, b]| add_sub(modulus, a, b, factors[1]));
        groups = 2;
    }
    while groups < residues.len() / TILE {
        for (group, block) in residues.chunks_exact_mut(residues.len() / groups).enumerate() {
            let [first, second, third] = three_factors(factors, groups + group);
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
    match residues.len() {
        2 => forward_blocks::<2>(modulus, factors, residues),
        4 => forward_blocks::<4>(modulus, factors, residues),
        8 => forward_blocks::<8>(modulus, factors, residues),
        _ => forward_tiles(modulus, factors, residues),
    }
}

/// Replaces N values in [0, 2q) by their coefficients in [0, q). The factor of the stage with one
/// group already includes the division by N.
pub(super) fn inverse(
    modulus: Modulus,
    factors: &[Shoup],
    degree_inverse: Shoup,
    residues: &mut [u32],
) {
    match residues.len() {
        2 => inverse_blocks::<2>(modulus, factors, residues),
        4 => inverse_blocks::<4>(modulus, factors, residues),
        8 => inverse_blocks::<8>(modulus, factors, residues),
        _ => inverse_tiles(modulus, factors, residues),
    }
    let mut groups = (residues.len() / TILE).max(1);
    while groups > 2 {
        groups /= 4;
        for (group, block) in residues.chunks_exact_mut(residues.len() / groups).enumerate() {
            let [first, second, third] = three_factors(factors, groups + group);
            for_quarters(block, |[a, b, c, d]| {
                let ([a, b], [c, d]) =
                    (sum_and(modulus, a, b, second), sum_and(modulus, c, d, third));
                let ([a, c], [b, d]) =
                    (sum_and(modulus, a, c, first), sum_and(modulus, b, d, first));
                [a, b, c, d]
            });
        }
    }
    if is_odd(residues.len()) {
        for_halves(residues, |[a, b]| sum_and(modulus, a, b, factors[1]));
    }
    let (low, high) = residues.split_at_mut(residues.len() / 2);
    for residue in low {
        *residue = reduce(multiply(modulus, *residue, degree_inverse), modulus.value());
    }
    for residue in high {
        *residue = reduce(*residue, modulus.value());
    }
}

/// Returns `true` if the number of stages before the tiles is odd: one of them then needs its own
/// pass.
fn is_odd(degree: usize) -> bool {
    degree > TILE && degree.trailing_zeros() % 2 == 1
}

/// The factors of a group, and of its two groups in the next stage.
#[inline(always)]
fn three_factors(factors: &[Shoup], place: usize) -> [Shoup; 3] {
    [factors[place], factors[2 * place], factors[2 * place + 1]]
}

/// Applies `map` to the residues at equal indices of both halves.
#[inline(always)]
fn for_halves(block: &mut [u32], map: impl Fn([u32; 2]) -> [u32; 2]) {
    let (low, high) = block.split_at_mut(block.len() / 2);
    for (a, b) in low.iter_mut().zip(high) {
        [*a, *b] = map([*a, *b]);
    }
}

/// Applies `map` to the residues at equal indices of the four quarters of a block.
#[inline(always)]
fn for_quarters(block: &mut [u32], map: impl Fn([u32; 4]) -> [u32; 4]) {
    let (low, high) = block.split_at_mut(block.len() / 2);
    let (a, b) = low.split_at_mut(low.len() / 2);
    let (c, d) = high.split_at_mut(high.len() / 2);
    for (((a, b), c), d) in a.iter_mut().zip(b).zip(c).zip(d) {
        [*a, *b, *c, *d] = map([*a, *b, *c, *d]);
    }
}

/// x mod q, for x in [0, 2q) and q below 2³¹.
#[inline(always)]
fn reduce(x: u32, q: u32) -> u32 {
    let difference = x.wrapping_sub(q);
    difference.wrapping_add((difference as i32 >> 31) as u32 & q)
}

/// x·factor in [0, 2q), for any x ([`Modulus::mul_shoup_lazy`], in words of 64 bits).
#[inline(always)]
fn multiply(modulus: Modulus, x: u32, by: Shoup) -> u32 {
    let x = u64::from(x);
    let quotient = (x * u64::from(by.quotient)) >> 32;
    (x * u64::from(by.factor)).wrapping_sub(quotient * u64::from(modulus.value())) as u32
}

/// x ± y·factor in [0, 4q), for x in [0, 4q) (Cooley–Tukey butterfly).
#[inline(always)]
fn add_sub(modulus: Modulus, x: u32, y: u32, factor: Shoup) -> [u32; 2] {
    let twice = 2 * modulus.value();
    let (sum, product) = (reduce(x, twice), multiply(modulus, y, factor));
    [sum + product, sum + twice - product]
}

/// x + y and (x − y)·factor in [0, 2q), for x and y in [0, 2q) (Gentleman–Sande butterfly).
#[inline(always)]
fn sum_and(modulus: Modulus, x: u32, y: u32, factor: Shoup) -> [u32; 2] {
    let twice = 2 * modulus.value();
    [reduce(x + y, twice), multiply(modulus, x + twice - y, factor)]
}

/// Four residues.
type Row = [u32; 4];

/// Applies the butterfly to each column of two rows.
#[inline(always)]
fn on_rows(
    x: &mut Row,
    y: &mut Row,
    factors: [Shoup; 4],
    butterfly: impl Fn(u32, u32, Shoup) -> [u32; 2],
) {
    for place in 0..4 {
        [x[place], y[place]] = butterfly(x[place], y[place], factors[place]);
    }
}

#[inline(always)]
fn rows(tile: &[u32; TILE]) -> [Row; 4] {
    std::array::from_fn(|row| std::array::from_fn(|place| tile[4 * row + place]))
}

#[inline(always)]
fn transposed(rows: [Row; 4]) -> [Row; 4] {
    std::array::from_fn(|row| std::array::from_fn(|place| rows[place][row]))
}

/// The factors of the last two stages of a tile, for the columns that were its rows. `place` is the
/// index of the group of its first stage.
#[inline(always)]
fn column_factors(factors: &[Shoup], place: usize) -> [[Shoup; 4]; 3] {
    let every =
        |first: usize, step: usize| std::array::from_fn(|column| factors[first + step * column]);
    [every(4 * place, 1), every(8 * place, 2), every(8 * place + 1, 2)]
}

/// The last four stages.
fn forward_tiles(modulus: Modulus, factors: &[Shoup], residues: &mut [u32]) {
    let (tiles, _) = residues.as_chunks_mut::<TILE>();
    let groups = tiles.len();
    let butterfly = |x, y, factor| add_sub(modulus, x, y, factor);
    let q = modulus.value();
    for (number, tile) in tiles.iter_mut().enumerate() {
        let place = groups + number;
        let [mut a, mut b, mut c, mut d] = rows(tile);
        let [first, second, third] = three_factors(factors, place).map(|factor| [factor; 4]);
        on_rows(&mut a, &mut c, first, butterfly);
        on_rows(&mut b, &mut d, first, butterfly);
        on_rows(&mut a, &mut b, second, butterfly);
        on_rows(&mut c, &mut d, third, butterfly);
        let [mut a, mut b, mut c, mut d] = transposed([a, b, c, d]);
        let [first, second, third] = column_factors(factors, place);
        on_rows(&mut a, &mut c, first, butterfly);
        on_rows(&mut b, &mut d, first, butterfly);
        on_rows(&mut a, &mut b, second, butterfly);
        on_rows(&mut c, &mut d, third, butterfly);
        for (to, row) in tile.chunks_exact_mut(4).zip(transposed([a, b, c, d])) {
            for (to, residue) in to.iter_mut().zip(row) {
                *to = reduce(reduce(residue, 2 * q), q);
            }
        }
    }
}

/// The first four stages backward.
fn inverse_tiles(modulus: Modulus, factors: &[Shoup], residues: &mut [u32]) {
    let (tiles, _) = residues.as_chunks_mut::<TILE>();
    let groups = tiles.len();
    let butterfly = |x, y, factor| sum_and(modulus, x, y, factor);
    for (number, tile) in tiles.iter_mut().enumerate() {
        let place = groups + number;
        let [mut a, mut b, mut c, mut d] = transposed(rows(tile));
        let [first, second, third] = column_factors(factors, place);
        on_rows(&mut a, &mut b, second, butterfly);
        on_rows(&mut c, &mut d, third, butterfly);
        on_rows(&mut a, &mut c, first, butterfly);
        on_rows(&mut b, &mut d, first, butterfly);
        let [mut a, mut b, mut c, mut d] = transposed([a, b, c, d]);
        let [first, second, third] = three_factors(factors, place).map(|factor| [factor; 4]);
        on_rows(&mut a, &mut b, second, butterfly);
        on_rows(&mut c, &mut d, third, butterfly);
        on_rows(&mut a, &mut c, first, butterfly);
        on_rows(&mut b, &mut d, first, butterfly);
        for (to, row) in tile.chunks_exact_mut(4).zip([a, b, c, d]) {
            to.copy_from_slice(&row);
        }
    }
}

/// All stages of a transform that is smaller than a tile.
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
        *block = x.map(|residue| reduce(reduce(residue, 2 * q), q));
    }
}

/// All stages of a transform that is smaller than a tile, backward.
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
