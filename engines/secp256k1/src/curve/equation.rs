// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares x of u₁G + u₂Q with r, one signature per lane.
//!
//! **No verdict is wrong**, since no sum is ([`terms`](super::terms)). An attacker can choose
//! signatures that bring a lane to Z = 0; each costs the verifier one check by libsecp256k1.

#![allow(clippy::needless_range_loop)] // one index runs through several arrays

use halimede_arith::lanes::secp256k1::{factors, is_zero, square, MODULUS};
use halimede_arith::lanes::{Columns, Kernel, Lanes, LANES};
use halimede_arith::serial::limbs::Limbs;

use super::lanes::{numbers, Jacobian};
use super::table::Table;
use super::terms::{Addition, Terms};
use crate::quotient::{add, subtract, N};

/// The question whether x of u₁G + u₂Q is r modulo n.
#[derive(Clone, Debug)]
pub struct Equation {
    terms: Terms,
    /// r, and r + n if that is below p, otherwise r again.
    x: [Limbs; 2],
}

impl Equation {
    /// Creates the equation from u₁, u₂ and r in [0, n) and a point of the curve, x before y, in
    /// [0, p).
    pub fn new(u1: &Limbs, u2: &Limbs, key: [Limbs; 2], r: &Limbs) -> Self {
        let (sum, is_above) = add(r, &N);
        let is_x = !is_above && subtract(&sum, &MODULUS).1;
        let x = [*r, if is_x { sum } else { *r }];
        Self { terms: Terms::new(u1, u2, key), x }
    }
}

/// The result of comparing x of a sum with r modulo n.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sum {
    /// They are equal.
    Match,
    /// They differ.
    Mismatch,
    /// The sum is infinity, or the formulas failed on the way.
    Unknown,
}

/// Evaluates equations.
pub struct Equations<'a> {
    pub table: &'a Table,
    pub equations: [&'a Equation; LANES],
}

impl Equations<'_> {
    /// The first or the second candidate for x.
    #[inline(always)]
    fn candidates<L: Lanes>(&self, number: usize) -> Columns<L> {
        let mut candidates = [&self.equations[0].x[number]; LANES];
        for lane in 0..LANES {
            candidates[lane] = &self.equations[lane].x[number];
        }
        numbers(candidates)
    }

    /// The sums.
    #[inline(always)]
    fn sum<L: Lanes>(&self) -> Jacobian<L> {
        let mut terms = [&self.equations[0].terms; LANES];
        for lane in 0..LANES {
            terms[lane] = &self.equations[lane].terms;
        }
        Addition { table: self.table, terms }.sum()
    }
}

impl Kernel for Equations<'_> {
    type Output = [Sum; LANES];

    #[inline(always)]
    fn run<L: Lanes>(self) -> [Sum; LANES] {
        let sum = self.sum::<L>();
        let zz = factors(&square::<L>(&factors(&sum.z)));
        let one = sum.has_x(&self.candidates(0), &zz);
        let other = sum.has_x(&self.candidates(1), &zz);
        let unknown = is_zero(&sum.z);
        let mut sums = [Sum::Mismatch; LANES];
        for (lane, sum) in sums.iter_mut().enumerate() {
            if unknown[lane] {
                *sum = Sum::Unknown;
            } else if one[lane] || other[lane] {
                *sum = Sum::Match;
            }
        }
        sums
    }
}

#[cfg(test)]
mod tests;
