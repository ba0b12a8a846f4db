// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The powers of [`powers`](crate::jubjub::powers) for sixteen elements. The squarings of one
//! register depend on each other; two registers overlap.

#![allow(clippy::needless_range_loop)] // one index runs through several arrays

use halimede_arith::field::{Bls12381Scalar, Modulus};
use halimede_arith::lanes::element::{factors, limbs_52, splat_factors};
use halimede_arith::lanes::{fr, transfer, Columns, Kernel, Lanes, LANES};
use halimede_arith::{outlined, Fr};

use crate::jubjub::powers::{powers, Ratio};
use crate::roots::{Element, Powers, WINDOWS};

/// The number of registers that are computed together.
const REGISTERS: usize = 2;

/// The number of elements that are computed together.
pub const ELEMENTS: usize = REGISTERS * LANES;

/// Elements below 2²⁶⁰, with the factor 2²⁶⁰ of lanes.
#[derive(Clone, Copy)]
struct Registers<L>([Columns<L>; REGISTERS]);

outlined! {
    fn product<L: Lanes>(a: &Registers<L>, b: &Registers<L>) -> Registers<L> {
        let mut result = *a;
        for register in 0..REGISTERS {
            result.0[register] = fr::multiply::<L>(&factors(a.0[register]), &factors(b.0[register]));
        }
        result
    }

    fn square_times<L: Lanes>(a: &Registers<L>, count: u32) -> Registers<L> {
        let mut result = *a;
        for _ in 0..count {
            for register in 0..REGISTERS {
                result.0[register] = fr::square::<L>(&factors(result.0[register]));
            }
        }
        result
    }
}

impl<L: Lanes> Element for Registers<L> {
    #[inline(always)]
    fn times(&self, other: &Self) -> Self {
        product(self, other)
    }
    #[inline(always)]
    fn squared(&self, count: u32) -> Self {
        square_times(self, count)
    }
}

/// Returns elements of lanes.
#[inline(always)]
pub fn stored<L: Lanes>(columns: Columns<L>) -> [Fr; LANES] {
    // The product with 2²⁵⁶ removes the factor 2²⁶⁰.
    let one = splat_factors::<L>(&limbs_52(Bls12381Scalar::R));
    transfer::store(fr::multiply::<L>(&factors(columns), &one))
}

/// Computes the powers of numbers, each given with its inverse.
pub struct LanePowers<'a>(pub [&'a Ratio; ELEMENTS]);

impl Kernel for LanePowers<'_> {
    type Output = [Powers<Fr>; ELEMENTS];

    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        let zero = Registers([[L::splat(0); 5]; REGISTERS]);
        let (mut numbers, mut inverses) = (zero, zero);
        for register in 0..REGISTERS {
            let mut first = [&self.0[0].0; LANES];
            let mut second = first;
            for lane in 0..LANES {
                let (number, inverse) = self.0[register * LANES + lane];
                (first[lane], second[lane]) = (number, inverse);
            }
            numbers.0[register] = transfer::load::<L, Bls12381Scalar>(first);
            inverses.0[register] = transfer::load::<L, Bls12381Scalar>(second);
        }
        let Powers { root, odd } = powers(&numbers, &inverses);
        let mut results = [Powers { root: Fr::ZERO, odd: [Fr::ZERO; WINDOWS] }; ELEMENTS];
        for register in 0..REGISTERS {
            let roots = stored::<L>(root.0[register]);
            for lane in 0..LANES {
                results[register * LANES + lane].root = roots[lane];
            }
            for window in 0..WINDOWS {
                let powers = stored::<L>(odd[window].0[register]);
                for lane in 0..LANES {
                    results[register * LANES + lane].odd[window] = powers[lane];
                }
            }
        }
        results
    }
}
