// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points in Jacobian coordinates, (X/Z², Y/Z³), one a lane.
//!
//! With *u* for what a product gives, at most p + 2⁸¹ ([`secp256k1`](halimede_arith::lanes::secp256k1)): X lies in [0, u + 4p],
//! Y and Z in [0, u].

#![allow(clippy::needless_range_loop)] // one index runs through several arrays

use halimede_arith::lanes::secp256k1::{
    difference, difference_of_three, factors, is_zero, multiply, multiply_add, square,
};
use halimede_arith::lanes::transfer::limbs_of_words;
use halimede_arith::lanes::{Columns, Kernel, Lanes, LANES};

use super::table::{Table, WINDOWS};
use super::{Answer, Question};

/// A point a lane; Z is 0 modulo p where the formulas did not hold.
#[derive(Clone, Copy)]
struct Jacobian<L> {
    x: Columns<L>,
    y: Columns<L>,
    z: Columns<L>,
}

/// A point a lane, of coordinates in [0, p].
struct Affine<L> {
    x: Columns<L>,
    y: Columns<L>,
}

impl<L: Lanes> Jacobian<L> {
    /// self + point in eight products and three squares, as in
    /// [`serial`](super::serial::Jacobian::add_affine): where the points are alike or opposite, or Z
    /// is 0, Z of the sum is 0.
    #[inline(always)]
    fn add(&self, point: &Affine<L>) -> Self {
        let (x, z) = (factors(&self.x), factors(&self.z));
        let zz = factors(&square::<L>(&z));
        let yz = factors(&multiply::<L>(&factors(&point.y), &z));
        let h = difference(6, &multiply::<L>(&factors(&point.x), &zz), &self.x);
        let r = factors(&difference(2, &multiply::<L>(&yz, &zz), &self.y));
        let h = factors(&h);
        let hh = factors(&square::<L>(&h));
        let (hhh, v) = (multiply::<L>(&h, &hh), multiply::<L>(&x, &hh));
        // h³ + 2·v is below 3u, and so below 4p.
        let x3 = difference_of_three(4, &square::<L>(&r), &hhh, &v);
        let opposite = factors(&difference(2, &[L::splat(0); 5], &self.y));
        let rise = factors(&difference(6, &v, &x3));
        // r and `rise` are below u + 2p and u + 6p: the sum of products is below 25p², of 256p².
        let y3 = multiply_add::<L>(&r, &rise, &opposite, &factors(&hhh));
        Self { x: x3, y: y3, z: multiply::<L>(&z, &h) }
    }
}

/// Whether the multiples of questions are their points.
pub struct Comparison<'a> {
    pub table: &'a Table,
    pub questions: [&'a Question; LANES],
}

impl Comparison<'_> {
    /// The points of the digits of a window.
    #[inline(always)]
    fn points<L: Lanes>(&self, window: usize) -> Affine<L> {
        let mut rows = [&self.table.row(window, 0).0; LANES];
        let mut signs = [0; LANES];
        for lane in 0..LANES {
            let digit = self.questions[lane].multiple.windows[window];
            rows[lane] = &self.table.row(window, digit).0;
            // The sign of a negative digit: its top bit is clear.
            signs[lane] = u64::from(!digit) << 56;
        }
        let [x0, x1, x2, x3, y0, y1, y2, y3] = L::load_rows(rows);
        let y = limbs_of_words([y0, y1, y2, y3]);
        Affine { x: limbs_of_words([x0, x1, x2, x3]), y: negated_where(L::load(&signs), &y) }
    }

    /// The points that are asked for; where digits stand for the opposite number, their opposites.
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
        let [x0, x1, x2, x3, y0, y1, y2, y3] = L::load_rows([r0, r1, r2, r3, r4, r5, r6, r7]);
        let y = limbs_of_words([y0, y1, y2, y3]);
        Affine { x: limbs_of_words([x0, x1, x2, x3]), y: negated_where(L::load(&signs), &y) }
    }
}

/// p − y where the sign is negative, y elsewhere.
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
        let Affine { x, y } = self.points::<L>(0);
        let zero = L::splat(0);
        let mut sum = Jacobian { x, y, z: [L::splat(1), zero, zero, zero, zero] };
        for window in 1..WINDOWS {
            sum = sum.add(&self.points(window));
        }
        let asked = self.asked::<L>();
        let z = factors(&sum.z);
        let zz = factors(&square::<L>(&z));
        let zzz = factors(&multiply::<L>(&zz, &z));
        let x = is_zero(&difference(6, &multiply::<L>(&factors(&asked.x), &zz), &sum.x));
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
