// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The powers that the square roots of sixteen numbers x³ + 5 need. The squarings of one register
//! depend on each other; two registers overlap.
//!
//! With p − 1 = 2³²·t, all powers follow from (x³ + 5)^((t − 1)/2). t − 1 is 2²²² plus a number of
//! 94 bits, so that few of its digits are not 0.

#![allow(clippy::needless_range_loop)] // one index runs through several arrays

use std::marker::PhantomData;

use halimede_arith::field::Modulus;
use halimede_arith::lanes::element::{factors, multiply, reduce, square};
use halimede_arith::lanes::{transfer, Columns, Kernel, LaneModulus, Lanes, Procedure, LANES};
use halimede_arith::Field;

use super::buckets::stored;
use crate::columns::{lane_limbs, splat, sum};
use crate::roots::{Element, Powers, WINDOWS, WINDOW_BITS};

/// The number of registers that are computed together.
const REGISTERS: usize = 2;

/// The number of elements that are computed together.
pub const ELEMENTS: usize = REGISTERS * LANES;

/// Elements below 2·p, with the factor 2²⁶⁰ of lanes.
#[derive(Clone, Copy)]
struct Registers<L, M>([Columns<L>; REGISTERS], PhantomData<M>);

/// a·b, compiled once.
struct Product<L, M>(Registers<L, M>, Registers<L, M>);

impl<L: Lanes, M: LaneModulus> Procedure for Product<L, M> {
    type Output = Registers<L, M>;

    #[inline(always)]
    fn call(self) -> Self::Output {
        let Self(mut a, b) = self;
        for register in 0..REGISTERS {
            let (first, second) = (factors(a.0[register]), factors(b.0[register]));
            a.0[register] = multiply::<L, M>(&first, &second);
        }
        a
    }
}

/// Repeated squares, compiled once.
struct Squares<L, M>(Registers<L, M>, u32);

impl<L: Lanes, M: LaneModulus> Procedure for Squares<L, M> {
    type Output = Registers<L, M>;

    #[inline(always)]
    fn call(self) -> Self::Output {
        let Self(mut a, count) = self;
        for _ in 0..count {
            for register in 0..REGISTERS {
                let square = square::<L, M>(&factors(a.0[register]));
                a.0[register] = reduce::<L, M>(square);
            }
        }
        a
    }
}

impl<L: Lanes, M: LaneModulus> Element for Registers<L, M> {
    #[inline(always)]
    fn times(&self, other: &Self) -> Self {
        L::outlined(Product(*self, *other))
    }
    #[inline(always)]
    fn squared(&self, count: u32) -> Self {
        L::outlined(Squares(*self, count))
    }
}

/// The bits of a digit of an exponent.
const DIGIT_BITS: u32 = 4;

/// Returns (t − 1)/2 = (p − 1)/2³³.
const fn exponent<M: Modulus>() -> [u64; 4] {
    let [a, b, c, d] = M::VALUE;
    [a >> 33 | b << 31, b >> 33 | c << 31, c >> 33 | d << 31, d >> 33]
}

/// Returns a number that is not 0, in digits from the highest to the lowest: the squarings before
/// each odd digit, the digit, and the squarings after the last one.
fn digits(number: [u64; 4]) -> (Vec<(u32, usize)>, u32) {
    let bit = |place: u32| number[place as usize / 64] >> (place % 64) & 1 == 1;
    let (mut digits, mut squarings, mut end) = (Vec::new(), 0, 256);
    while end > 0 {
        if !bit(end - 1) {
            squarings += 1;
            end -= 1;
            continue;
        }
        let mut start = end.saturating_sub(DIGIT_BITS);
        while !bit(start) {
            start += 1;
        }
        let places = (start..end).rev();
        let digit = places.fold(0, |digit, place| digit << 1 | usize::from(bit(place)));
        digits.push((squarings + end - start, digit));
        (squarings, end) = (0, start);
    }
    (digits, squarings)
}

/// Returns x^number, for a number that is not 0.
#[inline(always)]
fn power<E: Element>(x: &E, number: [u64; 4]) -> E {
    let square = x.squared(1);
    let mut odd = [*x; 1 << (DIGIT_BITS - 1)];
    for place in 1..odd.len() {
        odd[place] = odd[place - 1].times(&square);
    }
    let (digits, squarings) = digits(number);
    let mut result = odd[0];
    for (place, (squarings, digit)) in digits.iter().enumerate() {
        let multiple = &odd[digit / 2];
        result = if place == 0 { *multiple } else { result.squared(*squarings).times(multiple) };
    }
    result.squared(squarings)
}

/// Computes the powers of x³ + 5.
pub struct LanePowers<'a, M: Modulus>(pub [&'a Field<M>; ELEMENTS]);

impl<M: LaneModulus> Kernel for LanePowers<'_, M> {
    type Output = [Powers<Field<M>>; ELEMENTS];

    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        let mut x = Registers::<L, M>([[L::splat(0); 5]; REGISTERS], PhantomData);
        for register in 0..REGISTERS {
            let mut some = [self.0[0]; LANES];
            for lane in 0..LANES {
                some[lane] = self.0[register * LANES + lane];
            }
            x.0[register] = transfer::load::<L, M>(some);
        }
        let mut number = x.squared(1).times(&x);
        let five = splat(&lane_limbs(Field::<M>::from(5)));
        for register in 0..REGISTERS {
            number.0[register] = sum(&number.0[register], &five);
        }
        // With s = a^((t − 1)/2), the powers are s·a and s²·a.
        let s = power(&number, const { exponent::<M>() });
        let root = s.times(&number);
        let first = s.times(&root);
        let second = first.squared(WINDOW_BITS);
        let third = second.squared(WINDOW_BITS);
        let fourth = third.squared(WINDOW_BITS);
        let odd = [first, second, third, fourth];
        let mut results = [Powers { root: Field::ZERO, odd: [Field::ZERO; WINDOWS] }; ELEMENTS];
        for register in 0..REGISTERS {
            let roots = stored::<L, M>(root.0[register]);
            for lane in 0..LANES {
                results[register * LANES + lane].root = roots[lane];
            }
            for window in 0..WINDOWS {
                let powers = stored::<L, M>(odd[window].0[register]);
                for lane in 0..LANES {
                    results[register * LANES + lane].odd[window] = powers[lane];
                }
            }
        }
        results
    }
}
