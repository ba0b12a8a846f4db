// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points in Jacobian coordinates, (X/Z², Y/Z³), one per lane, and the comparison of multiples of G
//! with points.
//!
//! Let *u* be the bound of a product, at most p + 2²¹⁵
//! ([`secp256k1`](halimede_arith::lanes::secp256k1)): X lies in [0, u + 4p], Y and Z in [0, u].

#![allow(clippy::needless_range_loop)] // one index runs through several arrays

use halimede_arith::lanes::secp256k1::{
    difference, difference_of_three, factors, is_zero, multiply, multiply_add, multiply_loose,
    square, square_loose, sum,
};
use halimede_arith::lanes::transfer::limbs_of_words;
use halimede_arith::lanes::{Columns, Factors, Kernel, Lanes, LANES};
use halimede_arith::serial::limbs::Limbs;

use super::table::{Table, WINDOWS};
use super::{Answer, Question};

/// One point per lane; Z is 0 modulo p where the formulas failed.
#[derive(Clone, Copy)]
pub struct Jacobian<L> {
    pub x: Columns<L>,
    pub y: Columns<L>,
    pub z: Columns<L>,
}

/// One point per lane, with coordinates in the ranges of a Jacobian point, and Z = 1.
#[derive(Clone, Copy)]
pub struct Affine<L> {
    pub x: Columns<L>,
    pub y: Columns<L>,
}

impl<L: Lanes> Affine<L> {
    /// Loads points from rows of words, x before y, both in [0, p]; negates those with a negative
    /// sign.
    #[inline(always)]
    pub fn of_rows(rows: [&[u64; LANES]; LANES], signs: &[u64; LANES]) -> Self {
        let [x0, x1, x2, x3, y0, y1, y2, y3] = L::load_rows(rows);
        let y = limbs_of_words([y0, y1, y2, y3]);
        Self { x: limbs_of_words([x0, x1, x2, x3]), y: negated_where(L::load(signs), &y) }
    }
}

impl<L: Lanes> Jacobian<L> {
    #[inline(always)]
    pub fn of(point: &Affine<L>) -> Self {
        let zero = L::splat(0);
        Self { x: point.x, y: point.y, z: [L::splat(1), zero, zero, zero, zero] }
    }

    /// Returns 2·self in four multiplications and three squarings: with A = X², B = Y², D = 4XB and
    /// E = 3A, X₃ is E² − 2D, Y₃ is E(D − X₃) − 8B², and Z₃ is 2YZ. No point is its own opposite;
    /// where Z is 0, it remains 0.
    #[inline(always)]
    pub fn double(&self) -> Self {
        let zero = [L::splat(0); 5];
        let x = factors(&self.x);
        let twice_y = factors(&sum([&self.y, &self.y]));
        let b = square_loose::<L>(&factors(&self.y));
        let a = square_loose::<L>(&x);
        let four_b = factors(&sum([&b, &b, &b, &b]));
        let e = factors(&sum([&a, &a, &a]));
        let d = multiply_loose::<L>(&x, &four_b);
        // 2·d is at most 2u, so that it is below 3p.
        let x3 = difference_of_three(3, &square_loose::<L>(&e), &zero, &d);
        let rise = factors(&difference(5, &d, &x3));
        let opposite = factors(&difference_of_three(3, &zero, &zero, &b));
        // The factors are at most 3u and u + 5p, and 3p and 4u: the sum of products is below 32p²;
        // the limit is 256p².
        let y3 = multiply_add::<L>(&e, &rise, &opposite, &four_b);
        Self { x: x3, y: y3, z: multiply::<L>(&twice_y, &factors(&self.z)) }
    }

    /// Returns self + point.
    #[inline(always)]
    pub fn add(&self, point: &Affine<L>) -> Self {
        self.add_with_ratio(point).0
    }

    /// Returns self + point in eight multiplications and three squarings, as in
    /// [`serial`](super::serial::Jacobian::add_affine): where the points are equal or opposite, or
    /// Z is 0, Z of the sum is 0. Also returns Z of the sum divided by Z, at most u + 6p.
    #[inline(always)]
    pub fn add_with_ratio(&self, point: &Affine<L>) -> (Self, Columns<L>) {
        let (x, z) = (factors(&self.x), factors(&self.z));
        let zz = factors(&square::<L>(&z));
        let yz = factors(&multiply::<L>(&factors(&point.y), &z));
        let ratio = difference(6, &multiply_loose::<L>(&factors(&point.x), &zz), &self.x);
        let r = factors(&difference(2, &multiply_loose::<L>(&yz, &zz), &self.y));
        let h = factors(&ratio);
        let hh = factors(&square::<L>(&h));
        let (hhh, v) = (multiply::<L>(&h, &hh), multiply_loose::<L>(&x, &hh));
        // h³ + 2·v is below 3u, so that it is below 4p.
        let x3 = difference_of_three(4, &square_loose::<L>(&r), &hhh, &v);
        let opposite = factors(&difference(2, &[L::splat(0); 5], &self.y));
        let rise = factors(&difference(6, &v, &x3));
        // r and `rise` are below u + 2p and u + 6p: the sum of products is below 25p²; the limit is
        // 256p².
        let y3 = multiply_add::<L>(&r, &rise, &opposite, &factors(&hhh));
        (Self { x: x3, y: y3, z: multiply::<L>(&z, &h) }, ratio)
    }

    /// Returns self + other in twelve multiplications and four squarings; Z of the sum is 0 where
    /// the points are equal or opposite, or one Z is 0.
    #[inline(always)]
    pub fn add_jacobian(&self, other: &Self) -> Self {
        let (z, other_z) = (factors(&self.z), factors(&other.z));
        let (zz, other_zz) = (factors(&square::<L>(&z)), factors(&square::<L>(&other_z)));
        let x = multiply::<L>(&factors(&self.x), &other_zz);
        let y = factors(&multiply::<L>(&factors(&self.y), &other_z));
        let y = multiply::<L>(&y, &other_zz);
        let other_y = factors(&multiply::<L>(&factors(&other.y), &z));
        // Both differences are at most u + 2p.
        let h = factors(&difference(2, &multiply_loose::<L>(&factors(&other.x), &zz), &x));
        let r = factors(&difference(2, &multiply_loose::<L>(&other_y, &zz), &y));
        let hh = factors(&square::<L>(&h));
        let (hhh, v) = (multiply::<L>(&h, &hh), multiply_loose::<L>(&factors(&x), &hh));
        // h³ + 2·v is below 3u, so that it is below 4p.
        let x3 = difference_of_three(4, &square_loose::<L>(&r), &hhh, &v);
        let opposite = factors(&difference(2, &[L::splat(0); 5], &y));
        let rise = factors(&difference(6, &v, &x3));
        // As in `add_with_ratio`, the sum of products is below 25p².
        let y3 = multiply_add::<L>(&r, &rise, &opposite, &factors(&hhh));
        let z = factors(&multiply::<L>(&z, &other_z));
        Self { x: x3, y: y3, z: multiply::<L>(&z, &h) }
    }

    /// Returns self where the sign is negative, other elsewhere.
    #[inline(always)]
    pub fn select_by_sign(&self, signs: L, other: &Self) -> Self {
        let mut selected = *other;
        for limb in 0..self.x.len() {
            selected.x[limb] = signs.select_by_sign(self.x[limb], other.x[limb]);
            selected.y[limb] = signs.select_by_sign(self.y[limb], other.y[limb]);
            selected.z[limb] = signs.select_by_sign(self.z[limb], other.z[limb]);
        }
        selected
    }

    /// Returns the lanes whose point has this x, which is below p.
    #[inline(always)]
    pub fn has_x(&self, x: &Columns<L>, zz: &Factors<L>) -> [bool; LANES] {
        is_zero(&difference(6, &multiply::<L>(&factors(x), zz), &self.x))
    }
}

/// Compares the multiples of questions with their points.
pub struct Comparison<'a> {
    pub table: &'a Table,
    pub questions: [&'a Question; LANES],
}

impl Comparison<'_> {
    /// Returns the points of the digits of a window.
    #[inline(always)]
    fn points<L: Lanes>(&self, window: usize) -> Affine<L> {
        let mut rows = [&self.table.row(window, 0).0; LANES];
        let mut signs = [0; LANES];
        for lane in 0..LANES {
            let digit = self.questions[lane].multiple.windows[window];
            rows[lane] = &self.table.row(window, digit).0;
            signs[lane] = sign(digit);
        }
        Affine::of_rows(rows, &signs)
    }

    /// Returns the points of the questions, negated where the digits represent the opposite number.
    #[inline(always)]
    fn asked<L: Lanes>(&self) -> Affine<L> {
        let mut rows = [[0; 8]; LANES];
        let mut signs = [0; LANES];
        for lane in 0..LANES {
            let question = self.questions[lane];
            rows[lane][..4].copy_from_slice(&question.x);
            rows[lane][4..].copy_from_slice(&question.y);
            signs[lane] = u64::from(question.multiple.is_opposite) << 63;
        }
        let [r0, r1, r2, r3, r4, r5, r6, r7] = &rows;
        Affine::of_rows([r0, r1, r2, r3, r4, r5, r6, r7], &signs)
    }
}

/// Loads numbers of 256 bits, one per lane.
#[inline(always)]
pub fn numbers<L: Lanes>(numbers: [&Limbs; LANES]) -> Columns<L> {
    let mut words = [[0; LANES]; 4];
    for lane in 0..LANES {
        for word in 0..4 {
            words[word][lane] = numbers[lane][word];
        }
    }
    let [a, b, c, d] = &words;
    limbs_of_words([L::load(a), L::load(b), L::load(c), L::load(d)])
}

/// Returns a number with the sign of a digit: the top bit of a negative digit is clear.
#[inline(always)]
pub fn sign(digit: u8) -> u64 {
    u64::from(!digit) << 56
}

/// Returns p − y where the sign is negative, y elsewhere.
#[inline(always)]
fn negated_where<L: Lanes>(signs: L, y: &Columns<L>) -> Columns<L> {
    let mut result = difference(1, &[L::splat(0); 5], y);
    for limb in 0..result.len() {
        result[limb] = signs.select_by_sign(result[limb], y[limb]);
    }
    result
}

impl Kernel for Comparison<'_> {
    type Output = [Answer; LANES];

    #[inline(always)]
    fn run<L: Lanes>(self) -> [Answer; LANES] {
        let mut sum = Jacobian::of(&self.points::<L>(0));
        for window in 1..WINDOWS {
            sum = sum.add(&self.points(window));
        }
        let asked = self.asked::<L>();
        let z = factors(&sum.z);
        let zz = factors(&square::<L>(&z));
        let zzz = factors(&multiply::<L>(&zz, &z));
        let x = sum.has_x(&asked.x, &zz);
        let y = is_zero(&difference(2, &multiply::<L>(&factors(&asked.y), &zzz), &sum.y));
        let unknown = is_zero(&sum.z);
        let mut answers = [Answer::Different; LANES];
        for (lane, answer) in answers.iter_mut().enumerate() {
            if unknown[lane] {
                *answer = Answer::Unknown;
            } else if x[lane] && y[lane] {
                *answer = Answer::Same;
            }
        }
        answers
    }
}
