// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sums of points from tables, one sum in each lane.

#![allow(clippy::needless_range_loop)] // one index runs through several arrays

use std::marker::PhantomData;

use halimede_arith::lanes::element::LIMBS;
use halimede_arith::lanes::transfer::limbs_of_words;
use halimede_arith::lanes::{Kernel, LaneModulus, Lanes, LANES};

use super::buckets::{stored_points, Bucket};
use super::points::Point;
use crate::columns::{lane_words, multiple_of_modulus, select};
use crate::pasta::points::{Affine, Projective};

/// The words of the coordinates of a point, numbers x·2²⁶⁰ in [0, p).
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct Words([u64; 8]);

impl Words {
    pub fn new<M: LaneModulus>(point: &Affine<M>) -> Self {
        let ([a, b, c, d], [e, f, g, h]) = (lane_words(point.x), lane_words(point.y));
        Self([a, b, c, d, e, f, g, h])
    }
}

impl Bucket {
    /// Returns a point in memory.
    pub fn new<M: LaneModulus>(point: &Projective<M>) -> Self {
        let ([a, b, c, d], [e, f, g, h]) = (lane_words(point.x), lane_words(point.y));
        let [i, j, k, l] = lane_words(point.z);
        Self { xy: [a, b, c, d, e, f, g, h], z: [i, j, k, l, 0, 0, 0, 0] }
    }
}

/// A point of a table for each lane, and whether it is subtracted.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    pub places: [u32; LANES],
    pub is_negative: [bool; LANES],
}

/// Computes eight sums of points.
pub struct FixedSums<'a, M> {
    /// The first term of each lane.
    pub first: [Bucket; LANES],
    /// The points.
    pub table: &'a [Words],
    /// The further terms.
    pub steps: &'a [Step],
    /// The modulus.
    pub modulus: PhantomData<M>,
}

impl<M: LaneModulus> Kernel for FixedSums<'_, M> {
    type Output = [Projective<M>; LANES];

    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        let mut lanes = [0; LANES];
        for lane in 0..LANES {
            lanes[lane] = lane;
        }
        let modulus = const { multiple_of_modulus::<M>(1) };
        let mut sum = Point::<L>::load(&self.first, &lanes);
        for step in self.steps {
            let mut words = [&self.table[0].0; LANES];
            let mut signs = [0; LANES];
            for lane in 0..LANES {
                words[lane] = &self.table[step.places[lane] as usize].0;
                signs[lane] = u64::from(step.is_negative[lane]).wrapping_neg();
            }
            let [x0, x1, x2, x3, y0, y1, y2, y3] = L::load_rows(words);
            let (x, y) = (limbs_of_words([x0, x1, x2, x3]), limbs_of_words([y0, y1, y2, y3]));
            let mut minus_y = y;
            for limb in 0..LIMBS {
                minus_y[limb] = L::splat(modulus[limb]).sub(y[limb]);
            }
            sum = sum.add_affine::<M>(&x, &select(L::load(&signs), &minus_y, &y));
        }
        stored_points(&sum)
    }
}
