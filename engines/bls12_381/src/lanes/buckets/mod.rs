// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Multi-scalar multiplication with Pippenger's buckets. All additions are affine, in lanes, with
//! one inversion for thousands of them.
//!
//! A scalar is k₀ + k₁·x² with two numbers below x², and x²·(X, Y) = (βX, −Y) (Gallant, Lambert,
//! Vanstone: "Faster point multiplication on elliptic curves with efficient endomorphisms", 2001):
//! this doubles the points and halves the scalars to 128 bits. Numbers are cut into windows of
//! signed digits; the points of a digit form the list of a bucket. This leaves sums with small
//! factors, Σ v·S(v). With v = h·2ᵏ + l such a sum is 2ᵏ·Σ h·H(h) + Σ l·L(l), where H(h) and L(l)
//! are again sums of lists: this takes two additions per bucket, like running sums, but independent
//! ones. At the end one point is left for each bit of a number, and the library doubles and adds.
//!
//! - `numbers`: scalars in two parts, digits, the points of each bucket.
//! - `lists`: sums of lists by pairs. `pool`: the points in memory.
//! - `fixed`: sums of multiples of fixed points, from a table.
//! - `serial`: the same additions without lanes, for fixed points.
//! - `additions`: additions of pairs of points in lanes. `curves`: the kernels over G1 and G2.

mod additions;
mod curves;
mod fixed;
mod lists;
mod numbers;
mod pool;
mod serial;

#[cfg(test)]
mod tests;

use std::ops::Range;

use blst::{blst_p1, blst_p1_affine, blst_p2, blst_p2_affine};

use self::curves::LaneCurve;
pub use self::fixed::FixedPoints;
use self::lists::{halves, of_shapes, Weighted};
pub(crate) use self::numbers::split;
use self::numbers::{Digits, Multiplied};
use self::pool::{Machine, Pool};
use super::worth::worth;
use crate::library::{G1, G2};

/// The maximum number of points in memory at once: some 300 bytes each in G1, 600 in G2.
const MOST_POINTS: usize = 1 << 16;

/// The minimum number of additions of a round of buckets, if there are enough, so that inversions
/// are shared.
const ROUND: usize = 1 << 15;

/// The factors of points, one for each.
#[derive(Clone, Copy, Debug)]
pub enum Factors<'a> {
    /// Scalars of 256 bits, little-endian.
    Scalars(&'a [[u8; 32]]),
    /// Numbers of 128 bits, such as a batch's random multipliers.
    Numbers(&'a [u128]),
}

impl Factors<'_> {
    const fn count(&self) -> usize {
        match self {
            Self::Scalars(scalars) => scalars.len(),
            Self::Numbers(numbers) => numbers.len(),
        }
    }

    /// Returns the digits of a range of the factors.
    fn digits(&self, some: Range<usize>) -> Digits {
        match self {
            Self::Scalars(scalars) => {
                let numbers: Vec<u128> = scalars[some].iter().flat_map(split).collect();
                Digits::new(&numbers, Multiplied::Halves)
            }
            Self::Numbers(numbers) => Digits::new(&numbers[some], Multiplied::Points),
        }
    }
}

/// Returns the sum of points of the group, none of them infinity, times their factors. `None`
/// without lanes.
///
/// # Panics
/// If the numbers of points and factors differ.
fn sum<C: LaneCurve>(
    machine: Machine,
    points: &[C::Affine],
    factors: Factors<'_>,
) -> Option<C::Jacobian> {
    assert_eq!(points.len(), factors.count(), "a factor for each point");
    let mut sum = C::Jacobian::default();
    for (number, some) in points.chunks(MOST_POINTS).enumerate() {
        let first = number * MOST_POINTS;
        let digits = factors.digits(first..first + some.len());
        sum = C::add(&sum, &sum_by_buckets::<C>(machine, some, &digits)?);
    }
    Some(sum)
}

/// Returns the sum of points times numbers.
fn sum_by_buckets<C: LaneCurve>(
    machine: Machine,
    points: &[C::Affine],
    digits: &Digits,
) -> Option<C::Jacobian> {
    let beta = (digits.multiplied() == Multiplied::Halves).then(C::beta);
    let windows = digits.windows();
    let together = (ROUND / digits.count().max(1)).clamp(1, windows as usize) as u32;
    let together = windows.div_ceil(windows.div_ceil(together));
    // The kept points: two sums per window, each with up to 2^⌈width/2⌉ points.
    let room = windows as usize * (2 << digits.width().div_ceil(2));
    // Half of the entries of the lists: those of the points, and then those of the buckets, twice.
    let working = together as usize * (digits.count() / 2 + digits.buckets());
    let mut pool = Pool::<C>::new(machine, points, beta, room, working)?;
    let mut weighted = Vec::new();
    for first in (0..windows).step_by(together as usize) {
        let some = first..(first + together).min(windows);
        let sums = pool.sums(digits.buckets_of(some.clone()))?;
        let buckets: Vec<Weighted> = some
            .zip(sums.chunks(digits.buckets()))
            .map(|(window, sums)| Weighted {
                shift: window * digits.width(),
                sums: [&[None], sums].concat(),
            })
            .collect();
        let (lists, shapes) = halves(&buckets);
        let mut sums = pool.sums(lists)?;
        for place in sums.iter_mut().flatten() {
            *place = pool.keep(*place);
        }
        weighted.extend(of_shapes(&shapes, &sums));
        pool.clear_work();
    }
    while weighted.iter().any(|weighted| !weighted.is_one_bit()) {
        let (lists, shapes) = halves(&weighted);
        let sums = pool.sums(lists)?;
        weighted.retain(Weighted::is_one_bit);
        weighted.extend(of_shapes(&shapes, &sums));
    }
    sum_of_bits(&pool, weighted)
}

/// Returns Σ 2^shift·P over points, each with its own bit.
fn sum_of_bits<C: LaneCurve>(pool: &Pool<'_, C>, mut bits: Vec<Weighted>) -> Option<C::Jacobian> {
    bits.sort_unstable_by_key(|weighted| weighted.shift);
    let places: Vec<_> = bits.iter().filter_map(|weighted| weighted.sums[1]).collect();
    let mut points = pool.points(&places)?;
    let mut sum = C::Jacobian::default();
    let mut shift = bits.last().map_or(0, |weighted| weighted.shift);
    for weighted in bits.iter().rev() {
        while shift > weighted.shift {
            sum = C::double(&sum);
            shift -= 1;
        }
        if weighted.sums[1].is_some() {
            if let Some(point) = points.pop() {
                sum = C::add_affine(&sum, &point);
            }
        }
    }
    for _ in 0..shift {
        sum = C::double(&sum);
    }
    Some(sum)
}

/// Returns a sum of multiples that are computed one by one: each point times its number, or times
/// the two parts of its scalar.
fn sum_of_few<C: LaneCurve>(points: &[C::Affine], factors: Factors<'_>) -> C::Jacobian {
    let multiples = match factors {
        Factors::Numbers(numbers) => C::multiples(points, numbers),
        Factors::Scalars(scalars) => {
            let numbers: Vec<u128> = scalars.iter().flat_map(split).collect();
            let both = points.iter().flat_map(|point| [*point, C::times_x_square(point)]);
            C::multiples(&both.collect::<Vec<_>>(), &numbers)
        }
    };
    multiples.iter().fold(C::Jacobian::default(), |sum, multiple| C::add(&sum, multiple))
}

/// Returns the sum, computed in the fastest way; `None` if that is the library's.
fn sum_of_any<C: LaneCurve>(points: &[C::Affine], factors: Factors<'_>) -> Option<C::Jacobian> {
    let worth = C::worth(worth());
    let (numbers, is_worth_multiples) = match factors {
        Factors::Numbers(numbers) => (numbers.len(), numbers.len() >= worth.sum_of_numbers),
        Factors::Scalars(scalars) => (2 * scalars.len(), scalars.len() >= worth.sum_of_scalars),
    };
    match numbers {
        _ if numbers >= worth.buckets => sum::<C>(Machine::Lanes, points, factors),
        _ if is_worth_multiples => Some(sum_of_few::<C>(points, factors)),
        _ => None,
    }
}

/// Returns the sum of points of G1, none of them infinity, times their factors, computed on this
/// thread. `None` if the library is at least as fast, or this processor has no lanes.
///
/// # Panics
/// If the numbers of points and factors differ.
pub fn sum_g1(points: &[blst_p1_affine], factors: Factors<'_>) -> Option<blst_p1> {
    sum_of_any::<G1>(points, factors)
}

/// As [`sum_g1`], in G2.
///
/// # Panics
/// As [`sum_g1`].
pub fn sum_g2(points: &[blst_p2_affine], factors: Factors<'_>) -> Option<blst_p2> {
    sum_of_any::<G2>(points, factors)
}

/// Creates the table of fixed points, those of each sum consecutive, with windows of `width` bits,
/// for lanes if this processor has any.
///
/// # Panics
/// If the points are not those of whole sums.
pub fn fixed_points(
    points: &[blst_p1_affine],
    points_a_sum: usize,
    width: u32,
) -> Option<FixedPoints> {
    let machine = worth().fixed_points.then_some(Machine::Lanes);
    FixedPoints::new(machine, points, points_a_sum, width)
}
