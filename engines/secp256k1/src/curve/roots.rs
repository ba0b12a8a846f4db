// SPDX-License-Identifier: Apache-2.0 OR MIT
//! y of points by their x, a point a lane: y² = x³ + 7, and p is 3 modulo 4, so that y is the
//! (p + 1)/4-th power of y². Where there is no y, the power is of no use.
//!
//! The exponent 2²⁵⁴ − 2³⁰ − 244 is, in binary, 223 ones, a zero, 22 ones, four zeros, two ones and
//! two zeros: 253 squares and 13 products, as libsecp256k1 chains them (`secp256k1_fe_sqrt`). They
//! wait for each other, so that two registers full of points take hardly longer than one.

#![allow(clippy::needless_range_loop)] // one index runs through several arrays

use halimede_arith::lanes::secp256k1::{canonical, factors, multiply, square, sum};
use halimede_arith::lanes::transfer::words_of_limbs;
use halimede_arith::lanes::{Columns, Kernel, Lanes, LANES};
use halimede_arith::serial::limbs::Limbs;

use super::lanes::numbers;

/// Registers of points side by side.
const REGISTERS: usize = 2;

/// Points whose y are found together.
pub const ROOTS: usize = REGISTERS * LANES;

/// Finds the y of points by their x, in [0, p).
pub struct Roots<'a>(pub [&'a Limbs; ROOTS]);

type Numbers<L> = [Columns<L>; REGISTERS];

/// a·b.
#[inline(always)]
fn products<L: Lanes>(a: &Numbers<L>, b: &Numbers<L>) -> Numbers<L> {
    let mut products = *a;
    for register in 0..REGISTERS {
        products[register] = multiply::<L>(&factors(&a[register]), &factors(&b[register]));
    }
    products
}

/// a to the power of 2^`times`, times b.
#[inline(always)]
fn squares_by<L: Lanes>(a: &Numbers<L>, times: usize, b: &Numbers<L>) -> Numbers<L> {
    products(&squares(a, times), b)
}

/// a to the power of 2^`times`.
#[inline(always)]
fn squares<L: Lanes>(a: &Numbers<L>, times: usize) -> Numbers<L> {
    let mut squares = *a;
    for _ in 0..times {
        for register in 0..REGISTERS {
            squares[register] = square::<L>(&factors(&squares[register]));
        }
    }
    squares
}

/// The (p + 1)/4-th power. A name says how many ones its exponent has.
#[inline(always)]
fn power<L: Lanes>(one: &Numbers<L>) -> Numbers<L> {
    let two = squares_by(one, 1, one);
    let three = squares_by(&two, 1, one);
    let six = squares_by(&three, 3, &three);
    let nine = squares_by(&six, 3, &three);
    let eleven = squares_by(&nine, 2, &two);
    let twenty_two = squares_by(&eleven, 11, &eleven);
    let ones_44 = squares_by(&twenty_two, 22, &twenty_two);
    let ones_88 = squares_by(&ones_44, 44, &ones_44);
    let ones_176 = squares_by(&ones_88, 88, &ones_88);
    let ones_220 = squares_by(&ones_176, 44, &ones_44);
    let ones_223 = squares_by(&ones_220, 3, &three);
    let upper = squares_by(&ones_223, 23, &twenty_two);
    squares(&squares_by(&upper, 6, &two), 2)
}

impl Kernel for Roots<'_> {
    /// In [0, p).
    type Output = [Limbs; ROOTS];

    #[inline(always)]
    fn run<L: Lanes>(self) -> [Limbs; ROOTS] {
        let zero = L::splat(0);
        let seven = [L::splat(7), zero, zero, zero, zero];
        let mut x = [seven; REGISTERS];
        for register in 0..REGISTERS {
            let mut lanes = [self.0[0]; LANES];
            lanes.copy_from_slice(&self.0[register * LANES..(register + 1) * LANES]);
            x[register] = numbers(lanes);
        }
        let mut right = products(&squares(&x, 1), &x);
        for register in 0..REGISTERS {
            right[register] = sum([&right[register], &seven]);
        }
        let roots = power(&right);
        let mut results = [[0; 4]; ROOTS];
        for register in 0..REGISTERS {
            let [a, b, c, d] = words_of_limbs(canonical(&roots[register]));
            let words = [a.store(), b.store(), c.store(), d.store()];
            for lane in 0..LANES {
                for word in 0..4 {
                    results[register * LANES + lane][word] = words[word][lane];
                }
            }
        }
        results
    }
}
