// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points of Jubjub in memory, and the curve of the [buckets](crate::buckets).

#![allow(clippy::needless_range_loop)] // one index runs through several arrays

use halimede_arith::lanes::element::LIMBS;
use halimede_arith::lanes::{Lanes, LANES};
use halimede_arith::Fr;

use super::points::{add, Point};
use super::powers::stored;
use crate::buckets::LaneCurve;
use crate::columns::{lane_limbs, lane_words};
use crate::jubjub::points::{d, Extended, Niels};

/// A point to add, in limbs of x·2²⁶⁰ in [0, r).
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct Row {
    pub sum: [u64; LIMBS],
    pub difference: [u64; LIMBS],
    pub product: [u64; LIMBS],
}

impl Row {
    pub fn new(point: &Niels) -> Self {
        Self {
            sum: lane_limbs(point.sum),
            difference: lane_limbs(point.difference),
            product: lane_limbs(point.product),
        }
    }
}

/// A point in words of x·2²⁶⁰ below 2²⁵⁶.
#[derive(Clone, Copy, Debug)]
#[repr(align(128))]
pub struct Bucket {
    /// The words of u and of v.
    pub uv: [u64; 8],
    /// The words of z and of t.
    pub zt: [u64; 8],
}

/// The curve.
pub struct Jubjub;

impl LaneCurve for Jubjub {
    type Row = Row;
    type Bucket = Bucket;
    type Sum = Extended;
    type Point<L: Lanes> = Point<L>;
    /// The limbs of 2d·2²⁶⁰.
    type Constants = [u64; LIMBS];

    fn constants() -> Self::Constants {
        lane_limbs(d().double())
    }
    fn identity() -> Bucket {
        let [a, b, c, d] = lane_words(Fr::ONE);
        Bucket { uv: [0, 0, 0, 0, a, b, c, d], zt: [a, b, c, d, 0, 0, 0, 0] }
    }

    #[inline(always)]
    fn load<L: Lanes>(buckets: &[Bucket], places: &[usize; LANES]) -> Point<L> {
        Point::load(buckets, places)
    }
    #[inline(always)]
    fn store<L: Lanes>(point: &Point<L>, buckets: &mut [Bucket], places: &[usize; LANES]) {
        point.store(buckets, places);
    }
    #[inline(always)]
    fn add_row<L: Lanes>(point: &Point<L>, row: &Row, sign: L) -> Point<L> {
        point.add_row(row, sign)
    }
    #[inline(always)]
    fn add<L: Lanes>(a: &Point<L>, b: &Point<L>, twice_d: &[u64; LIMBS]) -> Point<L> {
        add(a, b, twice_d)
    }
    #[inline(always)]
    fn sums<L: Lanes>(point: &Point<L>) -> [Extended; LANES] {
        let (u, v) = (stored(point.u), stored(point.v));
        let (z, t) = (stored(point.z), stored(point.t));
        let mut sums = [Extended::IDENTITY; LANES];
        for lane in 0..LANES {
            sums[lane] = Extended { u: u[lane], v: v[lane], z: z[lane], t: t[lane] };
        }
        sums
    }
}
