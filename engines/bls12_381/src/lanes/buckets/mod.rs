// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sums of multiples of many points by Pippenger's buckets, all of whose additions are affine, in
//! lanes, with one inversion for thousands of them.
//!
//! A scalar is k₀ + k₁·x² with two numbers below x², and x²·(X, Y) = (βX, −Y) (Gallant, Lambert,
//! Vanstone: "Faster point multiplication on elliptic curves with efficient endomorphisms", 2001):
//! there are twice as many points with numbers of 128 bits. Numbers are cut into windows of signed
//! digits; the points of a digit are the list of a bucket. What is left are sums with small factors,
//! Σ v·S(v). With v = h·2ᵏ + l that is 2ᵏ·Σ h·H(h) + Σ l·L(l), where H(h) and L(l) are sums of lists
//! again: two additions for each bucket, as many as with running sums, but independent ones. At the
//! end one point is left for each bit of a number, and the library doubles and adds.
//!
//! - `numbers`: scalars in two parts, digits, the points of each bucket.
//! - `lists`: sums of lists by pairs. `pool`: points in memory, which are summed up.
//! - `additions`: pairs of points in lanes. `curves`: the kernels over G1 and G2.

mod additions;
mod curves;
mod lists;
mod numbers;
mod pool;

#[cfg(test)]
mod tests;

use std::ops::Range;

use blst::{blst_p1, blst_p1_affine, blst_p2, blst_p2_affine};

use self::curves::LaneCurve;
use self::lists::{halves, of_shapes, Weighted};
use self::numbers::{split, Digits, Multiplied};
use self::pool::{Machine, Pool};
use super::batches::has_lanes;
use crate::library::{G1, G2};

/// From how many points on multiples by numbers of 128 bits in lanes take less time than the
/// library's sum.
const WORTH_MULTIPLES: usize = 2;

/// The most points that are in memory at once: some 300 bytes each in G1, 600 in G2.
const MOST_POINTS: usize = 1 << 16;

/// The least additions of a round of buckets, if there are as many: so that inversions are shared.
const ROUND: usize = 1 << 15;

/// What points are multiplied by, one for each.
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

    /// The digits of some of them.
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

/// The sum of points of the group, none of them infinity, times their factors. `None` without lanes.
///
/// # Panics
/// Unless there are as many factors as points.
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

/// The sum of points times numbers.
fn sum_by_buckets<C: LaneCurve>(
    machine: Machine,
    points: &[C::Affine],
    digits: &Digits,
) -> Option<C::Jacobian> {
    let beta = (digits.multiplied() == Multiplied::Halves).then(C::beta);
    let windows = digits.windows();
    let together = (ROUND / digits.count().max(1)).clamp(1, windows as usize) as u32;
    let together = windows.div_ceil(windows.div_ceil(together));
    // Half a window's bits or one more, twice.
    let room = windows as usize * (2 << digits.width().div_ceil(2));
    // Half of what lists begin with: the points of buckets, then the buckets twice.
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

/// Σ 2^shift·P over points of which each has its own bit.
fn sum_of_bits<C: LaneCurve>(pool: &Pool<C>, mut bits: Vec<Weighted>) -> Option<C::Jacobian> {
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

/// Multiples that are summed up one by one: each point by its number, or by its scalar's two parts.
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

/// By the way that takes the least time; `None` where that is the library's.
fn sum_of_any<C: LaneCurve>(points: &[C::Affine], factors: Factors<'_>) -> Option<C::Jacobian> {
    let (numbers, worth_multiples) = match factors {
        Factors::Numbers(numbers) => (numbers.len(), WORTH_MULTIPLES),
        Factors::Scalars(scalars) => (2 * scalars.len(), 2 * C::WORTH_PARTS),
    };
    match numbers {
        _ if !has_lanes() => None,
        _ if numbers >= C::WORTH_BUCKETS => sum::<C>(Machine::Lanes, points, factors),
        _ if numbers >= worth_multiples => Some(sum_of_few::<C>(points, factors)),
        _ => None,
    }
}

/// The sum of points of G1, none of them infinity, times their factors, on this thread. `None` where
/// the library takes no longer, or this processor has no lanes.
///
/// # Panics
/// Unless there are as many factors as points.
pub fn sum_g1(points: &[blst_p1_affine], factors: Factors<'_>) -> Option<blst_p1> {
    sum_of_any::<G1>(points, factors)
}

/// As [`sum_g1`] in G2.
///
/// # Panics
/// As [`sum_g1`].
pub fn sum_g2(points: &[blst_p2_affine], factors: Factors<'_>) -> Option<blst_p2> {
    sum_of_any::<G2>(points, factors)
}
