// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The number-theoretic transforms in vectors.
//!
//! The first stages of the forward transform (the last of the inverse) pair residues that are far
//! apart: each pass over the polynomial computes up to `LOG_RADIX` of these stages in registers.
//! The other stages are within tiles of L² residues, which are L vectors of L lanes: log₂ L stages
//! between vectors, a transposition, log₂ L stages between the former lanes, and a transposition
//! back. Between stages, residues are in [0, 4q) forward and in [0, 2q) backward (Harvey, "Faster
//! arithmetic for number-theoretic transforms", 2014).

use super::super::modulus::Shoup;
use super::super::twiddles::{has_tiles, Direction, Twiddles};
use super::vector::{Bounds, Factor, Vector, MAX_LANES};

/// A pass over the polynomial. It holds 2^`stages` vectors in registers.
#[derive(Clone, Copy)]
struct Pass {
    /// The number of groups of its first stage forward, or of its last stage backward.
    groups: usize,
    stages: u32,
}

/// The passes before the tiles, in the order of the forward transform.
fn passes(stages: u32, most: u32) -> impl DoubleEndedIterator<Item = Pass> {
    let count = stages.div_ceil(most);
    let before = move |pass: u32| stages * pass / count;
    (0..count).map(move |pass| Pass {
        groups: 1 << before(pass),
        stages: before(pass + 1) - before(pass),
    })
}

/// Returns `true` if the factors are laid out for these vectors. Otherwise they must have no tiles.
pub(super) fn fits<V: Vector>(twiddles: &Twiddles, residues: &[u32]) -> bool {
    let fits = has_tiles(residues.len(), V::LANES);
    twiddles.check(if fits { V::LANES } else { 1 }, residues);
    fits
}

/// The forward transform of N residues in [0, 4q), where N is at least 2·LANES².
#[inline(always)]
pub(super) unsafe fn forward<V: Vector>(twiddles: &Twiddles, residues: &mut [u32]) {
    let tiles = residues.len() / (V::LANES * V::LANES);
    // SAFETY: guaranteed by the caller; passes and tiles divide the residues.
    unsafe {
        let bounds = Bounds::<V>::new(twiddles.modulus());
        for pass in passes(tiles.trailing_zeros(), V::LOG_RADIX) {
            let stages = &twiddles.forward.stages;
            match pass.stages {
                1 => forward_pass::<V, 1>(bounds, stages, pass.groups, residues),
                2 => forward_pass::<V, 2>(bounds, stages, pass.groups, residues),
                3 => forward_pass::<V, 3>(bounds, stages, pass.groups, residues),
                _ => forward_pass::<V, 4>(bounds, stages, pass.groups, residues),
            }
        }
        for (tile, factors) in in_tiles::<V>(residues, &twiddles.forward) {
            forward_tile(bounds, factors, tile);
        }
    }
}

/// The inverse transform of N residues in [0, 2q), where N is at least 2·LANES².
#[inline(always)]
pub(super) unsafe fn inverse<V: Vector>(twiddles: &Twiddles, residues: &mut [u32]) {
    let tiles = residues.len() / (V::LANES * V::LANES);
    // SAFETY: guaranteed by the caller; passes and tiles divide the residues.
    unsafe {
        let bounds = Bounds::<V>::new(twiddles.modulus());
        for (tile, factors) in in_tiles::<V>(residues, &twiddles.inverse) {
            inverse_tile(bounds, factors, tile);
        }
        for pass in passes(tiles.trailing_zeros(), V::LOG_RADIX).rev() {
            match pass.stages {
                1 => inverse_pass::<V, 1>(bounds, twiddles, pass.groups, residues),
                2 => inverse_pass::<V, 2>(bounds, twiddles, pass.groups, residues),
                3 => inverse_pass::<V, 3>(bounds, twiddles, pass.groups, residues),
                _ => inverse_pass::<V, 4>(bounds, twiddles, pass.groups, residues),
            }
        }
    }
}

/// Iterates over the tiles with their factors.
#[inline(always)]
fn in_tiles<'a, V: Vector>(
    residues: &'a mut [u32],
    direction: &'a Direction,
) -> impl Iterator<Item = (*mut u32, *const u32)> + 'a {
    let square = V::LANES * V::LANES;
    let factors = direction.tiles.words().chunks_exact(2 * square).map(<[u32]>::as_ptr);
    residues.chunks_exact_mut(square).map(<[u32]>::as_mut_ptr).zip(factors)
}

#[inline(always)]
unsafe fn forward_pass<V: Vector, const STAGES: u32>(
    bounds: Bounds<V>,
    factors: &[Shoup],
    groups: usize,
    residues: &mut [u32],
) {
    let rows = 1 << STAGES;
    let stride = residues.len() / (groups * rows);
    for group in 0..groups {
        let block = residues[group * stride * rows..][..stride * rows].as_mut_ptr();
        for column in (0..stride).step_by(V::LANES) {
            // SAFETY: guaranteed by the caller; the block has `rows` rows of `stride` residues.
            unsafe {
                let start = block.add(column);
                let mut x = load_rows::<V>(start, stride, rows);
                for stage in 0..STAGES {
                    for j in 0..1 << stage {
                        let factor = factors[((groups + group) << stage) + j];
                        forward_group(bounds, &mut x, rows >> stage, j, Factor::splat(factor));
                    }
                }
                store_rows(&x, start, stride, rows);
            }
        }
    }
}

#[inline(always)]
unsafe fn inverse_pass<V: Vector, const STAGES: u32>(
    bounds: Bounds<V>,
    twiddles: &Twiddles,
    groups: usize,
    residues: &mut [u32],
) {
    let rows = 1 << STAGES;
    let stride = residues.len() / (groups * rows);
    for group in 0..groups {
        let block = residues[group * stride * rows..][..stride * rows].as_mut_ptr();
        for column in (0..stride).step_by(V::LANES) {
            // SAFETY: guaranteed by the caller; the block has `rows` rows of `stride` residues.
            unsafe {
                let start = block.add(column);
                let mut x = load_rows::<V>(start, stride, rows);
                for stage in (0..STAGES).rev() {
                    for j in 0..1 << stage {
                        let factor = twiddles.inverse.stages[((groups + group) << stage) + j];
                        inverse_group(bounds, &mut x, rows >> stage, j, Factor::splat(factor));
                    }
                }
                if groups == 1 {
                    let by = Factor::splat(twiddles.degree_inverse);
                    for low in x.iter_mut().take(rows / 2) {
                        *low = bounds.mul(*low, by);
                    }
                    for row in x.iter_mut().take(rows) {
                        *row = bounds.below_once(*row);
                    }
                }
                store_rows(&x, start, stride, rows);
            }
        }
    }
}

#[inline(always)]
unsafe fn forward_tile<V: Vector>(bounds: Bounds<V>, factors: *const u32, tile: *mut u32) {
    let lanes = V::LANES;
    // SAFETY: guaranteed by the caller; a tile has `lanes` rows, and its factors are laid out so.
    unsafe {
        let mut x = load_rows::<V>(tile, lanes, lanes);
        for stage in 0..lanes.trailing_zeros() {
            for j in 0..1 << stage {
                let factor = row_factor(factors, lanes, (1 << stage) - 1 + j);
                forward_group(bounds, &mut x, lanes >> stage, j, factor);
            }
        }
        V::transpose(&mut x);
        for stage in 0..lanes.trailing_zeros() {
            for j in 0..1 << stage {
                let factor = lane_factor(factors, lanes, (1 << stage) - 1 + j);
                forward_group(bounds, &mut x, lanes >> stage, j, factor);
            }
        }
        for row in x.iter_mut().take(lanes) {
            *row = bounds.reduce(*row);
        }
        V::transpose(&mut x);
        store_rows(&x, tile, lanes, lanes);
    }
}

#[inline(always)]
unsafe fn inverse_tile<V: Vector>(bounds: Bounds<V>, factors: *const u32, tile: *mut u32) {
    let lanes = V::LANES;
    // SAFETY: guaranteed by the caller; a tile has `lanes` rows, and its factors are laid out so.
    unsafe {
        let mut x = load_rows::<V>(tile, lanes, lanes);
        V::transpose(&mut x);
        for stage in (0..lanes.trailing_zeros()).rev() {
            for j in 0..1 << stage {
                let factor = lane_factor(factors, lanes, (1 << stage) - 1 + j);
                inverse_group(bounds, &mut x, lanes >> stage, j, factor);
            }
        }
        V::transpose(&mut x);
        for stage in (0..lanes.trailing_zeros()).rev() {
            for j in 0..1 << stage {
                let factor = row_factor(factors, lanes, (1 << stage) - 1 + j);
                inverse_group(bounds, &mut x, lanes >> stage, j, factor);
            }
        }
        store_rows(&x, tile, lanes, lanes);
    }
}

/// Loads the factor that all lanes of a row share (`Direction::tiles`).
#[inline(always)]
unsafe fn row_factor<V: Vector>(factors: *const u32, lanes: usize, place: usize) -> Factor<V> {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let (factor, quotient) = (*factors.add(place), *factors.add(lanes + place));
        Factor::splat(Shoup { factor, quotient })
    }
}

/// Loads one factor for each lane (`Direction::tiles`).
#[inline(always)]
unsafe fn lane_factor<V: Vector>(factors: *const u32, lanes: usize, place: usize) -> Factor<V> {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let start = factors.add(2 * lanes * (place + 1));
        Factor::load(start, start.add(lanes))
    }
}

/// Computes group `j` of a stage whose groups have `size` vectors.
#[inline(always)]
unsafe fn forward_group<V: Vector>(
    bounds: Bounds<V>,
    x: &mut [V; MAX_LANES],
    size: usize,
    j: usize,
    factor: Factor<V>,
) {
    for low in j * size..j * size + size / 2 {
        let high = low + size / 2;
        // SAFETY: guaranteed by the caller.
        unsafe {
            let sum = bounds.below_twice(x[low]);
            let product = bounds.mul(x[high], factor);
            x[low] = sum.add(product);
            x[high] = sum.add(bounds.twice).sub(product);
        }
    }
}

/// Computes group `j` of a backward stage whose groups have `size` vectors.
#[inline(always)]
unsafe fn inverse_group<V: Vector>(
    bounds: Bounds<V>,
    x: &mut [V; MAX_LANES],
    size: usize,
    j: usize,
    factor: Factor<V>,
) {
    for low in j * size..j * size + size / 2 {
        let high = low + size / 2;
        // SAFETY: guaranteed by the caller.
        unsafe {
            let difference = x[low].add(bounds.twice).sub(x[high]);
            x[low] = bounds.below_twice(x[low].add(x[high]));
            x[high] = bounds.mul(difference, factor);
        }
    }
}

#[inline(always)]
unsafe fn load_rows<V: Vector>(from: *const u32, stride: usize, rows: usize) -> [V; MAX_LANES] {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let mut x = [V::splat(0); MAX_LANES];
        for (row, x) in x.iter_mut().enumerate().take(rows) {
            *x = V::load(from.add(row * stride));
        }
        x
    }
}

#[inline(always)]
unsafe fn store_rows<V: Vector>(x: &[V; MAX_LANES], to: *mut u32, stride: usize, rows: usize) {
    for (row, x) in x.iter().enumerate().take(rows) {
        // SAFETY: guaranteed by the caller.
        unsafe { x.store(to.add(row * stride)) };
    }
}

#[cfg(test)]
mod tests {
    use super::passes;

    #[test]
    fn passes_make_every_stage_once() {
        for most in 1..=4 {
            for stages in 1..=13 {
                let mut groups = 1;
                for pass in passes(stages, most) {
                    assert_eq!(pass.groups, groups);
                    assert!((1..=most).contains(&pass.stages));
                    groups <<= pass.stages;
                }
                assert_eq!(groups, 1 << stages);
            }
        }
    }
}
