// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points of Jubjub in lanes, by the formulas of [`points`](crate::jubjub::points).
//!
//! Coordinates are numbers congruent to x·2²⁶⁰, below 1.7·r. A product is below a·b/2²⁶⁰ + r, where
//! 2²⁶⁰ is 35.3·r. Then A and B are below 1.4·r, C below 1.1·r, E below 3.4·r, H below 2.8·r, and F
//! and G below 5.4·r; F·G is below 24·r².

#![allow(clippy::needless_range_loop)] // one index runs through several arrays

use halimede_arith::field::Bls12381Scalar;
use halimede_arith::lanes::element::{factors, multiply, splat_factors, LIMBS};
use halimede_arith::lanes::transfer::limbs_of_words;
use halimede_arith::lanes::{Columns, Lanes, LANES};
use halimede_arith::outlined;

use super::rows::{Bucket, Row};
use crate::columns::{self, rows, select, splat, sum};

/// One point per lane.
#[derive(Clone, Copy)]
pub struct Point<L> {
    pub u: Columns<L>,
    pub v: Columns<L>,
    pub z: Columns<L>,
    pub t: Columns<L>,
}

/// 2·r + a − b in columns, for b below 2·r.
#[inline(always)]
fn difference<L: Lanes>(a: &Columns<L>, b: &Columns<L>) -> Columns<L> {
    columns::difference::<L, Bls12381Scalar, 2>(a, b)
}

/// a·b/2²⁶⁰ modulo r, for columns of numbers in [0, 2²⁶⁰).
#[inline(always)]
fn product<L: Lanes>(a: Columns<L>, b: Columns<L>) -> Columns<L> {
    columns::product::<L, Bls12381Scalar>(a, b)
}

impl<L: Lanes> Point<L> {
    /// Loads a point for each lane.
    #[inline(always)]
    pub fn load(buckets: &[Bucket], places: &[usize; LANES]) -> Self {
        let first = &buckets[places[0]];
        let (mut upper, mut lower) = ([&first.uv; LANES], [&first.zt; LANES]);
        for lane in 1..LANES {
            let bucket = &buckets[places[lane]];
            (upper[lane], lower[lane]) = (&bucket.uv, &bucket.zt);
        }
        let [u0, u1, u2, u3, v0, v1, v2, v3] = L::load_rows(upper);
        let [z0, z1, z2, z3, t0, t1, t2, t3] = L::load_rows(lower);
        Self {
            u: limbs_of_words([u0, u1, u2, u3]),
            v: limbs_of_words([v0, v1, v2, v3]),
            z: limbs_of_words([z0, z1, z2, z3]),
            t: limbs_of_words([t0, t1, t2, t3]),
        }
    }

    /// Stores the point of each lane. All places differ.
    #[inline(always)]
    pub fn store(&self, buckets: &mut [Bucket], places: &[usize; LANES]) {
        let (upper, lower) = (rows(&self.u, &self.v), rows(&self.z, &self.t));
        for lane in 0..LANES {
            buckets[places[lane]] = Bucket { uv: upper[lane].store(), zt: lower[lane].store() };
        }
    }

    /// Returns self + the point of a row, or self − that point in the lanes with a negative sign.
    #[inline(always)]
    pub fn add_row(&self, row: &Row, sign: L) -> Self {
        let (of_sum, of_difference) = (splat(&row.sum), splat(&row.difference));
        let a = product(difference(&self.v, &self.u), select(sign, &of_sum, &of_difference));
        let b = product(sum(&self.v, &self.u), select(sign, &of_difference, &of_sum));
        let c = product(self.t, splat(&row.product));
        let d = sum(&self.z, &self.z);
        let (less, more) = (difference(&d, &c), sum(&d, &c));
        // The opposite point has the opposite C.
        completed(&a, &b, &select(sign, &more, &less), &select(sign, &less, &more))
    }
}

/// The common end of an addition.
#[inline(always)]
fn completed<L: Lanes>(a: &Columns<L>, b: &Columns<L>, f: &Columns<L>, g: &Columns<L>) -> Point<L> {
    let (e, h) = (factors(difference(b, a)), factors(sum(b, a)));
    let (f, g) = (factors(*f), factors(*g));
    Point {
        u: multiply::<L, Bls12381Scalar>(&e, &f),
        v: multiply::<L, Bls12381Scalar>(&g, &h),
        z: multiply::<L, Bls12381Scalar>(&f, &g),
        t: multiply::<L, Bls12381Scalar>(&e, &h),
    }
}

outlined! {
    /// Returns a + b, given 2d·2²⁶⁰ in [0, r).
    pub fn add<L: Lanes>(a: &Point<L>, b: &Point<L>, twice_d: &[u64; LIMBS]) -> Point<L> {
        let multiple = multiply::<L, Bls12381Scalar>(&splat_factors::<L>(twice_d), &factors(a.t));
        let c = product(multiple, b.t);
        let z = product(a.z, b.z);
        let d = sum(&z, &z);
        let first = product(difference(&a.v, &a.u), difference(&b.v, &b.u));
        let second = product(sum(&a.v, &a.u), sum(&b.v, &b.u));
        completed(&first, &second, &difference(&d, &c), &sum(&d, &c))
    }
}
