// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The curve of the [buckets](crate::buckets).

#![allow(clippy::needless_range_loop)] // one index runs through several arrays

use halimede_arith::lanes::element::LIMBS;
use halimede_arith::lanes::{Lanes, LANES};
use halimede_arith::Fr;

use super::points::{add, Point};
use super::powers::stored;
use super::rows::{Bucket, Row};
use crate::buckets::LaneCurve;
use crate::columns::{lane_limbs, lane_words};
use crate::jubjub::points::{d, Extended};

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
