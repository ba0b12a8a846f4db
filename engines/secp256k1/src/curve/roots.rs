// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Finds y of points from their x, one point per lane. With y² = x³ + 7 and p = 3 modulo 4, y is
//! the (p + 1)/4-th power of y². If no point has this x, the power is meaningless.
//!
//! The squarings of a power depend on each other, so that two registers of points take hardly
//! longer than one.

#![allow(clippy::needless_range_loop)] // one index runs through several arrays

use halimede_arith::lanes::secp256k1::{canonical, sum};
use halimede_arith::lanes::transfer::words_of_limbs;
use halimede_arith::lanes::{Kernel, Lanes, LANES};
use halimede_arith::serial::limbs::Limbs;

use super::lanes::numbers;
use super::powers::{products, root, squares};

/// The number of registers of points, interleaved.
const REGISTERS: usize = 2;

/// The number of points whose y are found together.
pub const ROOTS: usize = REGISTERS * LANES;

/// Finds y of points from their x, in [0, p).
pub struct Roots<'a>(pub [&'a Limbs; ROOTS]);

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
        let roots = root(&right);
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
