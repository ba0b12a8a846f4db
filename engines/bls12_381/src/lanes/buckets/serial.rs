// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sums of lists of points of G1 without lanes: the affine additions of `additions` with the
//! library's field.

use blst::{blst_fp, blst_p1_affine};

use super::additions::{Pair, PointUnit};
use super::lists::{Lists, Slots, Sums};
use crate::lanes::library;

/// The number of pairs that share an inversion, which then costs less than a twentieth of their
/// additions.
const SHARED: usize = 512;

fn product(a: &blst_fp, b: &blst_fp) -> blst_fp {
    let mut product = blst_fp::default();
    // SAFETY: all are valid.
    unsafe { blst::blst_fp_mul(&mut product, a, b) };
    product
}

fn square(a: &blst_fp) -> blst_fp {
    let mut square = blst_fp::default();
    // SAFETY: both are valid.
    unsafe { blst::blst_fp_sqr(&mut square, a) };
    square
}

fn plus(a: &blst_fp, b: &blst_fp) -> blst_fp {
    let mut sum = blst_fp::default();
    // SAFETY: all are valid.
    unsafe { blst::blst_fp_add(&mut sum, a, b) };
    sum
}

fn minus(a: &blst_fp, b: &blst_fp) -> blst_fp {
    let mut difference = blst_fp::default();
    // SAFETY: all are valid.
    unsafe { blst::blst_fp_sub(&mut difference, a, b) };
    difference
}

/// Returns the four units of points, x, y, βx and −y, one after another.
pub fn units(points: &[blst_p1_affine], beta: &blst_fp) -> Vec<blst_fp> {
    let zero = blst_fp::default();
    let of_point = |point: &blst_p1_affine| {
        [point.x, point.y, product(&point.x, beta), minus(&zero, &point.y)]
    };
    points.iter().flat_map(of_point).collect()
}

/// The points of a table, and then sums.
pub struct SerialPool<'a> {
    table: &'a [blst_fp],
    sums: Vec<blst_fp>,
    differences: Vec<Difference>,
}

/// The values of a pair that the second pass needs.
#[derive(Clone, Copy, Default)]
struct Difference {
    difference: blst_fp,
    /// The product of the differences before this one.
    before: blst_fp,
    is_equal: bool,
    is_opposite: bool,
}

impl<'a> SerialPool<'a> {
    /// Creates a pool whose points are the units of a table.
    pub const fn over(table: &'a [blst_fp]) -> Self {
        Self { table, sums: Vec::new(), differences: Vec::new() }
    }

    fn at(&self, unit: u32) -> &blst_fp {
        let unit = unit as usize;
        match unit.checked_sub(self.table.len()) {
            None => &self.table[unit],
            Some(unit) => &self.sums[unit],
        }
    }

    /// Returns the point at a place.
    pub fn point(&self, place: PointUnit) -> blst_p1_affine {
        blst_p1_affine { x: *self.at(place.x()), y: *self.at(place.y()) }
    }

    /// Returns the sum of each list, `None` for infinity.
    pub fn sums(&mut self, lists: Lists) -> Vec<Option<PointUnit>> {
        let first = self.table.len();
        let mut slots = Slots::after((first + self.sums.len()) as u32);
        let mut pairs = Vec::with_capacity(lists.entries.len() / 2);
        let mut sums = Sums::new(lists);
        loop {
            pairs.clear();
            sums.pair_up(&mut slots, &mut pairs);
            if pairs.is_empty() {
                return sums.finish();
            }
            self.sums.resize(slots.next() as usize - first, blst_fp::default());
            let infinite = pairs.chunks(SHARED).flat_map(|pairs| self.add(pairs)).collect();
            sums.remove(infinite);
        }
    }

    /// Adds pairs. Returns the places of sums that are infinity.
    fn add(&mut self, pairs: &[Pair]) -> Vec<PointUnit> {
        let mut all = library::one();
        self.differences.clear();
        for Pair { points: [first, second], .. } in pairs {
            let mut difference = minus(self.at(second.x()), self.at(first.x()));
            let (mut is_equal, mut is_opposite) = (false, false);
            if difference == blst_fp::default() {
                let y = self.at(first.y());
                is_equal = y == self.at(second.y());
                is_opposite = !is_equal;
                difference = if is_equal { plus(y, y) } else { library::one() };
            }
            self.differences.push(Difference { difference, before: all, is_equal, is_opposite });
            all = product(&all, &difference);
        }
        let mut inverse = library::inverse(&all);
        let mut infinite = Vec::new();
        for (number, Pair { points: [first, second], sum }) in pairs.iter().enumerate().rev() {
            let Difference { difference, before, is_equal, is_opposite } = self.differences[number];
            let divided = product(&inverse, &before);
            inverse = product(&inverse, &difference);
            if is_opposite {
                infinite.push(*sum);
                continue;
            }
            let (first, second) = (self.point(*first), self.point(*second));
            let rise = match is_equal {
                true => {
                    let square = square(&first.x);
                    plus(&plus(&square, &square), &square)
                }
                false => minus(&second.y, &first.y),
            };
            let slope = product(&rise, &divided);
            let x = minus(&minus(&square(&slope), &first.x), &second.x);
            let y = minus(&product(&slope, &minus(&first.x, &x)), &first.y);
            let place = sum.x() as usize - self.table.len();
            self.sums[place] = x;
            self.sums[sum.y() as usize - self.table.len()] = y;
        }
        infinite
    }
}
