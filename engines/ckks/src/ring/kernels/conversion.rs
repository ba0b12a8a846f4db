// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Conversions between moduli, in vectors: the sources are read once for all targets.

use super::super::conversion::{Conversion, FRACTION_BITS, MAX_SOURCES};
use super::super::modulus::Modulus;
use super::vector::{Bounds, Factor, Reducer, Vector};
use super::{check_conversion, MAX_TERMS};

/// The number of vectors that are converted at a time, so that they share the factors.
const GROUP: usize = 2;

/// yᵢ and its odd words, for each source.
type Ready<V> = [[(V, V); GROUP]; MAX_SOURCES];

/// Returns `true` if the residues are whole groups of vectors.
pub(super) fn fits<V: Vector>(from: &[&[u32]], _to: &[&mut [u32]]) -> bool {
    from.first().is_some_and(|from| from.len() % (GROUP * V::LANES) == 0)
}

/// Converts residues modulo the sources to residues modulo the targets.
#[inline(always)]
pub(super) unsafe fn convert<V: Vector>(
    conversion: &Conversion,
    from: &[&[u32]],
    to: &mut [&mut [u32]],
    are_far: bool,
) {
    check_conversion(conversion, from, to);
    let bytes = V::LANES * size_of::<u32>();
    let is_aligned = |to: &&mut [u32]| (to.as_ptr() as usize).is_multiple_of(bytes);
    let are_far = are_far && to.iter().all(is_aligned);
    // SAFETY: guaranteed by the caller; all slices have the same length, a multiple of a group's.
    unsafe {
        let zero = V::splat(0);
        let mut ready: Ready<V> = [[(zero, zero); GROUP]; MAX_SOURCES];
        for place in (0..from[0].len()).step_by(GROUP * V::LANES) {
            let overflow = prepare(conversion, from, place, &mut ready);
            for (i, (to, target)) in to.iter_mut().zip(&conversion.targets).enumerate() {
                let by = V::splat(target.overflow);
                let mut first = [V::zero_wide(); GROUP];
                for (first, overflow) in first.iter_mut().zip(overflow) {
                    *first = overflow.mul_wide(overflow.odd(), by, by);
                }
                let sums = sum(target.modulus, conversion.factors_of(i), &ready, first);
                for (vector, sum) in sums.into_iter().enumerate() {
                    let to = to.as_mut_ptr().add(place + vector * V::LANES);
                    if are_far {
                        sum.stream(to);
                    } else {
                        sum.store(to);
                    }
                }
            }
        }
        if are_far {
            V::fence();
        }
    }
}

/// Returns yᵢ of each source, and the number of multiples of B by which they are too large.
#[inline(always)]
unsafe fn prepare<V: Vector>(
    conversion: &Conversion,
    from: &[&[u32]],
    place: usize,
    ready: &mut Ready<V>,
) -> [V; GROUP] {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let half = V::splat(1 << (FRACTION_BITS - 1 - 32));
        // Half of 1 in fixed point: the high word of both halves.
        let half = V::wide_from_high(half);
        let mut sums = [half; GROUP];
        for ((ready, source), from) in ready.iter_mut().zip(&conversion.sources).zip(from) {
            let bounds = Bounds::<V>::new(source.modulus);
            let by = Factor::splat(source.ready);
            let reciprocal = V::splat(source.reciprocal);
            for (vector, (ready, sum)) in ready.iter_mut().zip(&mut sums).enumerate() {
                let x = V::load(from.as_ptr().add(place + vector * V::LANES));
                let y = bounds.below_once(bounds.mul(x, by));
                let shifted = y.shift_left(source.shift);
                *ready = (y, y.odd());
                *sum = V::add_wide(*sum, shifted.mul_wide(shifted.odd(), reciprocal, reciprocal));
            }
        }
        let mut overflow = [V::splat(0); GROUP];
        for (overflow, sum) in overflow.iter_mut().zip(sums) {
            // The integer bits of the high words.
            *overflow = V::high(sum).shift_right_words(FRACTION_BITS - 32);
        }
        overflow
    }
}

/// Returns `first` + Σ yᵢ·factorᵢ modulo a target.
#[inline(always)]
unsafe fn sum<V: Vector>(
    modulus: Modulus,
    factors: &[u32],
    ready: &Ready<V>,
    first: [V::Wide; GROUP],
) -> [V; GROUP] {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let reducer = Reducer::<V>::new(modulus);
        let bounds = reducer.bounds;
        let mut totals = [V::splat(0); GROUP];
        let mut sums = first;
        let terms = ready.chunks(MAX_TERMS).zip(factors.chunks(MAX_TERMS));
        for (chunk, (ready, factors)) in terms.enumerate() {
            for (ready, factor) in ready.iter().zip(factors) {
                let factor = V::splat(*factor);
                for ((even, odd), sum) in ready.iter().zip(&mut sums) {
                    *sum = V::add_wide(*sum, even.mul_wide(*odd, factor, factor));
                }
            }
            for (total, sum) in totals.iter_mut().zip(&mut sums) {
                let reduced = bounds.reduce(reducer.montgomery(*sum));
                *total = if chunk == 0 { reduced } else { bounds.below_once(total.add(reduced)) };
                *sum = V::zero_wide();
            }
        }
        totals
    }
}
