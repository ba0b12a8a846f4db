// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Elementwise operations in vectors. Slices have a multiple of LANES words.

use super::super::modulus::{Modulus, Shoup};
use super::vector::{Bounds, Factor, Reducer, Vector, MAX_LANES};

/// Returns `true` if the words are whole vectors.
pub(super) fn fits<V: Vector>(_by: impl Sized, words: &[u32]) -> bool {
    words.len().is_multiple_of(V::LANES)
}

/// Calls `step` for each vector of `words`.
///
/// A macro, since a closure would not have the vector's instructions.
macro_rules! each_vector {
    ($vector:ty, $place:ident in $words:expr, $step:expr) => {
        let words = $words.as_mut_ptr();
        for $place in (0..$words.len()).step_by(<$vector>::LANES) {
            // SAFETY: guaranteed by the caller; `$place` is the first of LANES words.
            unsafe { $step.store(words.add($place)) };
        }
    };
}

/// a + b.
#[inline(always)]
pub(super) unsafe fn add<V: Vector>(modulus: Modulus, a: &mut [u32], b: &[u32]) {
    let b = b[..a.len()].as_ptr();
    // SAFETY: guaranteed by the caller.
    let bounds = unsafe { Bounds::<V>::new(modulus) };
    each_vector!(V, place in a, {
        bounds.below_once(V::load(a.as_ptr().add(place)).add(V::load(b.add(place))))
    });
}

/// a − b.
#[inline(always)]
pub(super) unsafe fn sub<V: Vector>(modulus: Modulus, a: &mut [u32], b: &[u32]) {
    let b = b[..a.len()].as_ptr();
    // SAFETY: guaranteed by the caller.
    let bounds = unsafe { Bounds::<V>::new(modulus) };
    each_vector!(V, place in a, {
        let a = V::load(a.as_ptr().add(place)).add(bounds.once);
        bounds.below_once(a.sub(V::load(b.add(place))))
    });
}

/// −a.
#[inline(always)]
pub(super) unsafe fn neg<V: Vector>(modulus: Modulus, a: &mut [u32]) {
    // SAFETY: guaranteed by the caller.
    let bounds = unsafe { Bounds::<V>::new(modulus) };
    each_vector!(V, place in a, {
        bounds.below_once(bounds.once.sub(V::load(a.as_ptr().add(place))))
    });
}

/// a · b.
#[inline(always)]
pub(super) unsafe fn mul<V: Vector>(modulus: Modulus, a: &mut [u32], b: &[u32]) {
    let b = b[..a.len()].as_ptr();
    // SAFETY: guaranteed by the caller.
    let reducer = unsafe { Reducer::<V>::new(modulus) };
    each_vector!(V, place in a, {
        let product = reducer.mul(V::load(a.as_ptr().add(place)), V::load(b.add(place)));
        reducer.bounds.reduce(product)
    });
}

/// sum + a · b.
#[inline(always)]
pub(super) unsafe fn mul_add<V: Vector>(modulus: Modulus, sum: &mut [u32], a: &[u32], b: &[u32]) {
    let (a, b) = (a[..sum.len()].as_ptr(), b[..sum.len()].as_ptr());
    // SAFETY: guaranteed by the caller.
    let reducer = unsafe { Reducer::<V>::new(modulus) };
    each_vector!(V, place in sum, {
        let product = reducer.mul(V::load(a.add(place)), V::load(b.add(place)));
        reducer.bounds.reduce(product.add(V::load(sum.as_ptr().add(place))))
    });
}

/// a · factor.
#[inline(always)]
pub(super) unsafe fn scale<V: Vector>(modulus: Modulus, a: &mut [u32], factor: Shoup) {
    // SAFETY: guaranteed by the caller.
    let (bounds, factor) = unsafe { (Bounds::<V>::new(modulus), Factor::splat(factor)) };
    each_vector!(V, place in a, {
        bounds.below_once(bounds.mul(V::load(a.as_ptr().add(place)), factor))
    });
}

/// (a − b) · factor.
#[inline(always)]
pub(super) unsafe fn sub_scale<V: Vector>(
    modulus: Modulus,
    a: &mut [u32],
    b: &[u32],
    factor: Shoup,
) {
    let b = b[..a.len()].as_ptr();
    // SAFETY: guaranteed by the caller.
    let (bounds, factor) = unsafe { (Bounds::<V>::new(modulus), Factor::splat(factor)) };
    each_vector!(V, place in a, {
        let a = V::load(a.as_ptr().add(place)).add(bounds.once);
        bounds.below_once(bounds.mul(a.sub(V::load(b.add(place))), factor))
    });
}

/// Σ aᵢ · bᵢ · 2⁻³².
#[inline(always)]
pub(super) unsafe fn inner_product<V: Vector>(
    modulus: Modulus,
    sum: &mut [u32],
    pairs: &[(&[u32], &[u32])],
) {
    // SAFETY: guaranteed by the caller.
    let reducer = unsafe { Reducer::<V>::new(modulus) };
    assert!(pairs.iter().all(|(a, b)| a.len() >= sum.len() && b.len() >= sum.len()));
    each_vector!(V, place in sum, {
        let mut total = V::zero_wide();
        for (a, b) in pairs {
            let (a, b) = (V::load(a.as_ptr().add(place)), V::load(b.as_ptr().add(place)));
            total = V::add_wide(total, a.mul_wide(a.odd(), b, b.odd()));
        }
        reducer.bounds.reduce(reducer.montgomery(total))
    });
}

/// Like [`inner_product`], with factors that each apply to a run of words.
#[inline(always)]
pub(super) unsafe fn inner_product_in_runs<V: Vector>(
    modulus: Modulus,
    sum: &mut [u32],
    pairs: &[(&[u32], &[u32])],
    run: usize,
) {
    let factors = sum.len().div_ceil(run);
    assert!(pairs.iter().all(|(a, b)| a.len() >= sum.len() && b.len() >= factors));
    assert!(run.is_power_of_two() && run > 1, "runs of {run} words");
    // SAFETY: guaranteed by the caller; each run has a factor, and so does a last run that is cut
    // off.
    unsafe {
        match run.min(V::LANES) {
            2 => products_in_runs::<V, 2>(modulus, sum, pairs, run),
            4 => products_in_runs::<V, 4>(modulus, sum, pairs, run),
            8 => products_in_runs::<V, 8>(modulus, sum, pairs, run),
            _ => products_in_runs::<V, MAX_LANES>(modulus, sum, pairs, run),
        }
    }
}

/// Like [`inner_product_in_runs`], where RUN words of a vector share a factor: a whole run, or the
/// whole vector.
#[inline(always)]
unsafe fn products_in_runs<V: Vector, const RUN: usize>(
    modulus: Modulus,
    sum: &mut [u32],
    pairs: &[(&[u32], &[u32])],
    run: usize,
) {
    let log_run = run.trailing_zeros();
    // SAFETY: guaranteed by the caller.
    let reducer = unsafe { Reducer::<V>::new(modulus) };
    each_vector!(V, place in sum, {
        let mut total = V::zero_wide();
        for (a, b) in pairs {
            let a = V::load(a.as_ptr().add(place));
            let b = V::load_runs::<RUN>(b.as_ptr().add(place >> log_run));
            total = V::add_wide(total, a.mul_wide(a.odd(), b, b));
        }
        reducer.bounds.reduce(reducer.montgomery(total))
    });
}

/// Σ aᵢ · factorᵢ · 2⁻³².
#[inline(always)]
pub(super) unsafe fn combine<V: Vector>(
    modulus: Modulus,
    sum: &mut [u32],
    terms: &[(&[u32], u32)],
) {
    // SAFETY: guaranteed by the caller.
    let reducer = unsafe { Reducer::<V>::new(modulus) };
    assert!(terms.iter().all(|(a, _)| a.len() >= sum.len()));
    each_vector!(V, place in sum, {
        let mut total = V::zero_wide();
        for (a, factor) in terms {
            let (a, factor) = (V::load(a.as_ptr().add(place)), V::splat(*factor));
            total = V::add_wide(total, a.mul_wide(a.odd(), factor, factor));
        }
        reducer.bounds.reduce(reducer.montgomery(total))
    });
}
