// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A multiple of G compared with a point, in general registers.

use halimede_arith::serial::limbs::Limbs;
use halimede_arith::serial::secp256k1::{canonical, multiply, square, sub, MODULUS};
use halimede_arith::serial::{Arithmetic, Kernel};

use super::serial::{coordinates, Jacobian};
use super::table::{is_negative, Table, WINDOWS};
use super::{Answer, Question};

/// Compares the multiple of a question with its point.
pub struct Comparison<'a> {
    pub table: &'a Table,
    pub question: &'a Question,
}

impl Kernel for Comparison<'_> {
    type Output = Answer;

    #[inline(always)]
    fn compute<A: Arithmetic>(self) -> Answer {
        let Self { table, question } = self;
        let Question { multiple, x, y } = question;
        let digits = &multiple.windows;
        let mut sum = Jacobian { x: [0; 4], y: [0; 4], z: [0; 4] };
        for (window, digit) in digits.iter().enumerate().take(WINDOWS) {
            let (x, mut y) = coordinates(table.row(window, *digit));
            if is_negative(*digit) {
                y = sub::<A>(MODULUS, y);
            }
            sum = if window == 0 {
                Jacobian { x, y, z: [1, 0, 0, 0] }
            } else {
                sum.add_affine::<A>(x, y)
            };
        }
        let same = |a: Limbs, b: Limbs| canonical::<A>(a) == canonical::<A>(b);
        if same(sum.z, [0; 4]) {
            return Answer::Unknown;
        }
        let zz = square::<A>(sum.z);
        if !same(multiply::<A>(*x, zz), sum.x) {
            return Answer::Different;
        }
        // The digits of the opposite number give the opposite point.
        let y = if multiple.is_opposite { sub::<A>([0; 4], *y) } else { *y };
        if same(multiply::<A>(y, multiply::<A>(zz, sum.z)), sum.y) {
            Answer::Same
        } else {
            Answer::Different
        }
    }
}
