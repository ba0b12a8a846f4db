// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Pippenger's buckets with one window in each lane: each term is added to one bucket of each
//! window, and no two lanes share a bucket.

#![allow(clippy::needless_range_loop)] // one index runs through several arrays

use halimede_arith::lanes::element::{limbs_52, LIMBS};
use halimede_arith::lanes::{Kernel, Lanes, LANES};
use halimede_arith::Fr;

use super::points::{add, Point};
use super::powers::stored;
use super::Digits;
use crate::jubjub::points::{d, Extended, Niels};

/// The factor between an element in memory, x·2²⁵⁶, and one in lanes, x·2²⁶⁰.
const LANE_DOUBLINGS: u32 = 4;

/// Returns the number x·2²⁶⁰ modulo r.
fn lane_words(element: Fr) -> [u64; 4] {
    (0..LANE_DOUBLINGS).fold(element, |element, _| element.double()).montgomery_limbs()
}

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
        let limbs = |element| limbs_52(lane_words(element));
        Self {
            sum: limbs(point.sum),
            difference: limbs(point.difference),
            product: limbs(point.product),
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

impl Bucket {
    fn identity() -> Self {
        let [a, b, c, d] = lane_words(Fr::ONE);
        Self { uv: [0, 0, 0, 0, a, b, c, d], zt: [a, b, c, d, 0, 0, 0, 0] }
    }
}

/// Computes the sums of eight windows.
pub struct Group<'a> {
    /// The terms; those beyond the digits are not added.
    pub rows: &'a [Row],
    /// The digits of each term.
    pub digits: &'a [Digits],
    /// The largest digit.
    pub most: usize,
}

/// Returns the place of the bucket of a digit in each lane. Those of digit 0 are never read.
#[inline(always)]
fn places(digits: &Digits) -> [usize; LANES] {
    let mut places = [0; LANES];
    for lane in 0..LANES {
        places[lane] = usize::from(digits[lane].unsigned_abs()) * LANES + lane;
    }
    places
}

impl Kernel for Group<'_> {
    type Output = [Extended; LANES];

    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        let mut buckets = vec![Bucket::identity(); (self.most + 1) * LANES];
        for (row, digits) in self.rows.iter().zip(self.digits) {
            let places = places(digits);
            let mut signs = [0; LANES];
            for lane in 0..LANES {
                signs[lane] = i64::from(digits[lane]) as u64;
            }
            let bucket = Point::<L>::load(&buckets, &places);
            bucket.add_row(row, L::load(&signs)).store(&mut buckets, &places);
        }
        // Σ i·bucket(i), by running sums.
        let twice_d = limbs_52(lane_words(d().double()));
        let neutral = vec![Bucket::identity(); LANES];
        let mut running = Point::<L>::load(&neutral, &places(&[0; LANES]));
        let mut total = running;
        for digit in (1..=self.most).rev() {
            let bucket = Point::<L>::load(&buckets, &places(&[digit as i16; LANES]));
            running = add(&running, &bucket, &twice_d);
            total = add(&total, &running, &twice_d);
        }
        let (u, v) = (stored(total.u), stored(total.v));
        let (z, t) = (stored(total.z), stored(total.t));
        let mut sums = [Extended::IDENTITY; LANES];
        for lane in 0..LANES {
            sums[lane] = Extended { u: u[lane], v: v[lane], z: z[lane], t: t[lane] };
        }
        sums
    }
}
