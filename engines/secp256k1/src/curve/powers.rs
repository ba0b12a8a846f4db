// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Square roots and inverses modulo p by exponentiation, of numbers in N registers of lanes,
//! interleaved.
//!
//! Both exponents begin in binary with 223 ones, a zero and 22 ones. The root's is
//! (p + 1)/4 = 2²⁵⁴ − 2³⁰ − 244, which ends with four zeros, two ones and two zeros: 253 squarings
//! and 13 multiplications. The inverse's is p − 2, which ends with 0000101101: 255 squarings and 15
//! multiplications. The addition chain for the ones is that of libsecp256k1 (`secp256k1_fe_sqrt`).

#![allow(clippy::needless_range_loop)] // one index runs through several arrays

use halimede_arith::lanes::secp256k1::{factors, multiply, square};
use halimede_arith::lanes::{Columns, Lanes};
use halimede_arith::outlined;

/// Numbers in N registers.
pub type Numbers<L, const N: usize> = [Columns<L>; N];

/// Returns a·b.
#[inline(always)]
pub fn products<L: Lanes, const N: usize>(a: &Numbers<L, N>, b: &Numbers<L, N>) -> Numbers<L, N> {
    let mut products = *a;
    for register in 0..N {
        products[register] = multiply::<L>(&factors(&a[register]), &factors(&b[register]));
    }
    products
}

outlined! {
    /// Returns a to the power of 2^`times`, times b.
    fn squares_by<L: Lanes, const N: usize>(
        a: &Numbers<L, N>,
        times: usize,
        b: &Numbers<L, N>,
    ) -> Numbers<L, N> {
        products(&squares(a, times), b)
    }
}

/// Returns a to the power of 2^`times`.
#[inline(always)]
pub fn squares<L: Lanes, const N: usize>(a: &Numbers<L, N>, times: usize) -> Numbers<L, N> {
    let mut squares = *a;
    for _ in 0..times {
        for register in 0..N {
            squares[register] = square::<L>(&factors(&squares[register]));
        }
    }
    squares
}

/// Returns the power whose exponent is 223 ones, a zero and 22 ones, and the third power.
#[inline(always)]
fn upper<L: Lanes, const N: usize>(one: &Numbers<L, N>) -> [Numbers<L, N>; 2] {
    // Each name says how many ones its exponent has.
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
    [squares_by(&ones_223, 23, &twenty_two), two]
}

/// Returns the (p + 1)/4-th power: a square root if the number is a square.
#[inline(always)]
pub fn root<L: Lanes, const N: usize>(one: &Numbers<L, N>) -> Numbers<L, N> {
    let [upper, two] = upper(one);
    squares(&squares_by(&upper, 6, &two), 2)
}

/// Returns the (p − 2)-th power: the inverse if the number is not 0.
#[inline(always)]
pub fn inverse<L: Lanes, const N: usize>(one: &Numbers<L, N>) -> Numbers<L, N> {
    let [upper, two] = upper(one);
    squares_by(&squares_by(&squares_by(&upper, 5, one), 3, &two), 2, one)
}
