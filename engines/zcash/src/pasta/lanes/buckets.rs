// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points in memory, and the curves of the [buckets](crate::buckets).

#![allow(clippy::needless_range_loop)] // one index runs through several arrays

use std::marker::PhantomData;

use halimede_arith::lanes::element::{factors, limbs_52, splat_factors, LIMBS};
use halimede_arith::lanes::{transfer, Columns, LaneModulus, Lanes, LANES};
use halimede_arith::Field;

use super::points::{add, Point};
use crate::buckets::LaneCurve;
use crate::columns::{lane_limbs, lane_words};
use crate::pasta::points::{Affine, Projective};

/// A point to add, in limbs of x·2²⁶⁰ in [0, p).
#[derive(Clone, Copy, Debug)]
#[repr(align(16))]
pub struct Row {
    pub x: [u64; LIMBS],
    pub y: [u64; LIMBS],
}

impl Row {
    pub fn new<M: LaneModulus>(point: &Affine<M>) -> Self {
        Self { x: lane_limbs(point.x), y: lane_limbs(point.y) }
    }
}

/// A point in words of x·2²⁶⁰ below 2²⁵⁶.
#[derive(Clone, Copy, Debug)]
#[repr(align(128))]
pub struct Bucket {
    /// The words of x and of y.
    pub xy: [u64; 8],
    /// The words of z, and four that are not used.
    pub z: [u64; 8],
}

/// Returns elements of lanes, below 1.4·p.
#[inline(always)]
pub fn stored<L: Lanes, M: LaneModulus>(columns: Columns<L>) -> [Field<M>; LANES] {
    // The product with 2²⁵⁶ removes the factor 2²⁶⁰.
    let one = splat_factors::<L>(&const { limbs_52(M::R) });
    transfer::store(halimede_arith::lanes::element::multiply::<L, M>(&factors(columns), &one))
}

/// Returns the points of lanes.
#[inline(always)]
pub fn stored_points<L: Lanes, M: LaneModulus>(point: &Point<L>) -> [Projective<M>; LANES] {
    let (x, y, z) = (stored(point.x), stored(point.y), stored(point.z));
    let mut points = [Projective::IDENTITY; LANES];
    for lane in 0..LANES {
        points[lane] = Projective { x: x[lane], y: y[lane], z: z[lane] };
    }
    points
}

/// The curve over a base field.
pub struct Curve<M>(PhantomData<M>);

impl<M: LaneModulus> LaneCurve for Curve<M> {
    type Row = Row;
    type Bucket = Bucket;
    type Sum = Projective<M>;
    type Point<L: Lanes> = Point<L>;
    type Constants = ();

    fn constants() {}
    fn identity() -> Bucket {
        let [a, b, c, d] = lane_words(Field::<M>::ONE);
        Bucket { xy: [0, 0, 0, 0, a, b, c, d], z: [0; 8] }
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
        point.add_row::<M>(row, sign)
    }
    #[inline(always)]
    fn add<L: Lanes>(a: &Point<L>, b: &Point<L>, (): &()) -> Point<L> {
        add::<L, M>(a, b)
    }
    #[inline(always)]
    fn sums<L: Lanes>(point: &Point<L>) -> [Projective<M>; LANES] {
        stored_points(point)
    }
}
