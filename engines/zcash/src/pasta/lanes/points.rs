// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points in lanes, by the formulas of [`points`](crate::pasta::points).
//!
//! Coordinates are numbers congruent to x·2²⁶⁰, below 1.4·p; those of rows are below p. A product
//! is below a·b/2²⁶⁰ + p, where 2²⁶⁰ is 63.9·p. Then the three products of equal coordinates are
//! below 1.1·p, the three sums of mixed products below 4.2·p, 3·X₁X₂ below 3.3·p, numbers times 15
//! below 2·p once folded, and the sum and difference with Y₁Y₂ below 3.1·p. A coordinate is the sum
//! of two products, below (4.2·3.1 + 5·2)/63.9·p + p.

#![allow(clippy::needless_range_loop)] // one index runs through several arrays

use std::marker::PhantomData;

use halimede_arith::lanes::element::{carry, factors, reduce, Factors, ProductSum, LIMBS};
use halimede_arith::lanes::transfer::limbs_of_words;
use halimede_arith::lanes::{Columns, LaneModulus, Lanes, Procedure, LANES};

use super::{Bucket, Row};
use crate::columns::{difference, multiple_of_modulus, product, rows, select, splat, sum};

/// One point per lane.
#[derive(Clone, Copy)]
pub struct Point<L> {
    pub x: Columns<L>,
    pub y: Columns<L>,
    pub z: Columns<L>,
}

/// The bits of the top limb of 2²⁵⁴.
const TOP_BITS: u32 = 46;

/// Returns a number modulo p, in (0, 2·p), for a number in [0, 64·p) in columns below 2⁶².
///
/// With h = ⌊a/2²⁵⁴⌋ ≤ 64, the number minus h·p is the rest of the division minus h·(p − 2²⁵⁴),
/// which is below 2¹³³. One p is added.
#[inline(always)]
pub fn folded<L: Lanes, M: LaneModulus>(a: Columns<L>) -> Columns<L> {
    let [mut c0, mut c1, mut c2, c3, c4] = carry(a);
    let multiple = c4.shift_right::<TOP_BITS>();
    let rest = c4.and(L::splat((1 << TOP_BITS) - 1));
    let p = M::LIMBS_52;
    let (mut m0, mut m1) = (L::without_bias(1, 0), L::without_bias(1, 1));
    let mut m2 = L::without_bias(1, 1);
    let factor = multiple.factor();
    L::multiply_add(&mut m0, &mut m1, factor, L::splat_factor(p[0]));
    L::multiply_add(&mut m1, &mut m2, factor, L::splat_factor(p[1]));
    L::multiply_add_low(&mut m2, factor, L::splat_factor(p[2]));
    c0 = c0.add(L::splat(p[0])).sub(m0);
    c1 = c1.add(L::splat(p[1])).sub(m1);
    c2 = c2.add(L::splat(p[2])).sub(m2);
    [c0, c1, c2, c3, rest.add(L::splat(p[4]))]
}

/// Returns 15·a modulo p, in (0, 2·p), for a below 4.2·p.
#[inline(always)]
fn times_15<L: Lanes, M: LaneModulus>(a: &Columns<L>) -> Columns<L> {
    let mut result = *a;
    for limb in 0..LIMBS {
        result[limb] = a[limb].shift_left::<4>().sub(a[limb]);
    }
    folded::<L, M>(result)
}

/// a·b + c·d, reduced once.
#[inline(always)]
fn two_products<L: Lanes, M: LaneModulus>(
    a: &Factors<L>,
    b: &Factors<L>,
    c: &Factors<L>,
    d: &Factors<L>,
) -> Columns<L> {
    let mut sum = ProductSum::new();
    sum.add_product(a, b);
    sum.add_product(c, d);
    reduce::<L, M>(sum.finish::<M>(2))
}

/// The common end of an addition, where `z` is 15·Z₁·Z₂.
#[inline(always)]
fn completed<L: Lanes, M: LaneModulus>(
    xx: &Columns<L>,
    yy: &Columns<L>,
    z: &Columns<L>,
    [xy, yz, xz]: [&Columns<L>; 3],
) -> Point<L> {
    let three = factors(sum(&sum(xx, xx), xx));
    let (more, less) = (factors(sum(yy, z)), factors(difference::<L, M, 2>(yy, z)));
    let xz = factors(times_15::<L, M>(xz));
    let zero = [L::splat(0); LIMBS];
    let minus_yz = factors(difference::<L, M, 5>(&zero, yz));
    let (xy, yz) = (factors(*xy), factors(*yz));
    Point {
        x: two_products::<L, M>(&xy, &less, &minus_yz, &xz),
        y: two_products::<L, M>(&less, &more, &xz, &three),
        z: two_products::<L, M>(&more, &yz, &three, &xy),
    }
}

/// Returns the product of two sums minus two of its terms: X₁Y₂ + X₂Y₁ from (X₁ + Y₁)(X₂ + Y₂).
#[inline(always)]
fn mixed<L: Lanes, M: LaneModulus>(
    first: Columns<L>,
    second: Columns<L>,
    a: &Columns<L>,
    b: &Columns<L>,
) -> Columns<L> {
    difference::<L, M, 3>(&product::<L, M>(first, second), &sum(a, b))
}

impl<L: Lanes> Point<L> {
    /// Loads a point for each lane.
    #[inline(always)]
    pub fn load(buckets: &[Bucket], places: &[usize; LANES]) -> Self {
        let first = &buckets[places[0]];
        let (mut upper, mut lower) = ([&first.xy; LANES], [&first.z; LANES]);
        for lane in 1..LANES {
            let bucket = &buckets[places[lane]];
            (upper[lane], lower[lane]) = (&bucket.xy, &bucket.z);
        }
        let [x0, x1, x2, x3, y0, y1, y2, y3] = L::load_rows(upper);
        let [z0, z1, z2, z3, ..] = L::load_rows(lower);
        Self {
            x: limbs_of_words([x0, x1, x2, x3]),
            y: limbs_of_words([y0, y1, y2, y3]),
            z: limbs_of_words([z0, z1, z2, z3]),
        }
    }

    /// Stores the point of each lane. All places differ.
    #[inline(always)]
    pub fn store(&self, buckets: &mut [Bucket], places: &[usize; LANES]) {
        let (upper, lower) = (rows(&self.x, &self.y), rows(&self.z, &self.z));
        for lane in 0..LANES {
            buckets[places[lane]] = Bucket { xy: upper[lane].store(), z: lower[lane].store() };
        }
    }

    /// Returns self + the point of a row, or self − that point in the lanes with a negative sign.
    #[inline(always)]
    pub fn add_row<M: LaneModulus>(&self, row: &Row, sign: L) -> Self {
        let (x, y) = (splat(&row.x), splat(&row.y));
        let modulus = const { multiple_of_modulus::<M>(1) };
        let mut minus_y = y;
        for limb in 0..LIMBS {
            minus_y[limb] = L::splat(modulus[limb]).sub(y[limb]);
        }
        self.add_affine::<M>(&x, &select(sign, &minus_y, &y))
    }

    /// Returns self + the points with these coordinates below 1.1·p.
    #[inline(always)]
    pub fn add_affine<M: LaneModulus>(&self, x: &Columns<L>, y: &Columns<L>) -> Self {
        let xx = product::<L, M>(self.x, *x);
        let yy = product::<L, M>(self.y, *y);
        let xy = mixed::<L, M>(sum(&self.x, &self.y), sum(x, y), &xx, &yy);
        let yz = sum(&product::<L, M>(self.z, *y), &self.y);
        let xz = sum(&product::<L, M>(self.z, *x), &self.x);
        completed::<L, M>(&xx, &yy, &times_15::<L, M>(&self.z), [&xy, &yz, &xz])
    }
}

/// The addition of two points, compiled once.
struct Add<L, M>(Point<L>, Point<L>, PhantomData<M>);

impl<L: Lanes, M: LaneModulus> Procedure for Add<L, M> {
    type Output = Point<L>;

    #[inline(always)]
    fn call(self) -> Point<L> {
        let Self(a, b, _) = self;
        let xx = product::<L, M>(a.x, b.x);
        let yy = product::<L, M>(a.y, b.y);
        let zz = product::<L, M>(a.z, b.z);
        let xy = mixed::<L, M>(sum(&a.x, &a.y), sum(&b.x, &b.y), &xx, &yy);
        let yz = mixed::<L, M>(sum(&a.y, &a.z), sum(&b.y, &b.z), &yy, &zz);
        let xz = mixed::<L, M>(sum(&a.x, &a.z), sum(&b.x, &b.z), &xx, &zz);
        completed::<L, M>(&xx, &yy, &times_15::<L, M>(&zz), [&xy, &yz, &xz])
    }
}

/// Returns a + b.
#[inline(always)]
pub fn add<L: Lanes, M: LaneModulus>(a: &Point<L>, b: &Point<L>) -> Point<L> {
    L::outlined(Add::<L, M>(*a, *b, PhantomData))
}
