// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sums of multiples of fixed points, from tables.
//!
//! A factor is Σ d·2^(5w) with digits d in [0, 32). The table of a window has the odd multiples of
//! 2^(5w)·G/2, so that ±(2·d − 31) is in it for every digit and no digit is 0. The sum of these is
//! the multiple minus (2²⁵⁵ − 1)/2·G, which is a part of the first term.

use std::marker::PhantomData;

use halimede_arith::lanes::LANES;
use rayon::prelude::*;

use super::lanes::{Bucket, FixedSums, Step, Words};
use super::points::{normalize, Affine, Projective};
use super::{Base, Machine, BITS};

/// The bits of a digit.
const WIDTH: u32 = 5;
/// The number of windows.
const WINDOWS: usize = BITS.div_ceil(WIDTH) as usize;
/// The number of points of a window.
const POINTS: usize = 1 << (WIDTH - 1);

/// Tables of fixed points, and the constants that one of the sums' terms is.
pub struct FixedPoints<M, const COUNT: usize> {
    /// The points, by base, window and multiple.
    table: Vec<Words>,
    /// The first terms.
    first: Vec<Bucket>,
    modulus: PhantomData<M>,
}

/// The factors of the points of a sum, and the number of its constant.
#[derive(Clone, Copy, Debug)]
pub struct FixedSum<const COUNT: usize> {
    /// Numbers below 2²⁵⁵.
    pub factors: [[u64; 4]; COUNT],
    /// The number of the constant.
    pub constant: usize,
}

impl<M: Base, const COUNT: usize> FixedPoints<M, COUNT> {
    /// Computes the tables. `half` is 1/2 modulo the order.
    pub fn new(bases: &[Affine<M>; COUNT], half: [u64; 4], constants: &[Projective<M>]) -> Self {
        let mut points = Vec::with_capacity(COUNT * WINDOWS * POINTS);
        let mut offset = Projective::IDENTITY;
        for base in bases {
            let mut odd = multiple(base, half);
            let halved = odd;
            for _ in 0..WINDOWS {
                let twice = odd.double();
                let multiples = std::iter::successors(Some(odd), |point| Some(point.add(&twice)));
                points.extend(multiples.take(POINTS));
                odd = (0..WIDTH).fold(odd, |point, _| point.double());
            }
            // `odd` is 2²⁵⁵·G/2 now.
            offset = offset.add(&odd).add(&halved.negated());
        }
        let table = normalize(&points).iter().flatten().map(Words::new).collect();
        let first = constants.iter().map(|point| Bucket::new(&point.add(&offset))).collect();
        Self { table, first, modulus: PhantomData }
    }

    /// Returns sums of multiples; `None` without lanes.
    pub fn sums(&self, machine: Machine, of: &[FixedSum<COUNT>]) -> Option<Vec<Projective<M>>> {
        let some = of.par_chunks(LANES).map(|some| {
            let sums = self.sums_of_lanes(machine, some)?;
            Some(sums[..some.len()].to_vec())
        });
        Some(some.collect::<Option<Vec<_>>>()?.concat())
    }

    fn sums_of_lanes(
        &self,
        machine: Machine,
        of: &[FixedSum<COUNT>],
    ) -> Option<[Projective<M>; LANES]> {
        let lanes: [&FixedSum<COUNT>; LANES] = {
            let mut lanes = [of.first()?; LANES];
            for (lane, sum) in lanes.iter_mut().zip(of) {
                *lane = sum;
            }
            lanes
        };
        let mut steps = Vec::with_capacity(COUNT * WINDOWS);
        for base in 0..COUNT {
            for window in 0..WINDOWS {
                let table = (base * WINDOWS + window) * POINTS;
                let digits = lanes.map(|sum| digit(&sum.factors[base], window));
                // 2·d − 31 is odd: its magnitude is 2·j + 1 for the point j of the window.
                let places = digits.map(|digit| {
                    let point = if digit < POINTS { POINTS - 1 - digit } else { digit - POINTS };
                    (table + point) as u32
                });
                steps.push(Step { places, is_negative: digits.map(|digit| digit < POINTS) });
            }
        }
        let mut first = [*self.first.first()?; LANES];
        for (place, sum) in first.iter_mut().zip(lanes) {
            *place = *self.first.get(sum.constant)?;
        }
        let (table, modulus) = (&self.table[..], PhantomData);
        machine.run(FixedSums { first, table, steps: &steps, modulus })
    }
}

/// Returns a digit of a number.
fn digit(number: &[u64; 4], window: usize) -> usize {
    let bit = window * WIDTH as usize;
    let (word, shift) = (bit / 64, bit % 64);
    let next = number.get(word + 1).copied().unwrap_or(0);
    let bits = number[word] >> shift | next << 1 << (63 - shift);
    bits as usize & ((1 << WIDTH) - 1)
}

/// Returns a multiple of a point.
pub fn multiple<M: Base>(point: &Affine<M>, factor: [u64; 4]) -> Projective<M> {
    let bits = (0..256).rev().map(|bit| factor[bit / 64] >> (bit % 64) & 1 == 1);
    bits.fold(Projective::IDENTITY, |sum, bit| {
        let twice = sum.double();
        if bit {
            twice.add_affine(point)
        } else {
            twice
        }
    })
}
