// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Computes x and y of u₁G + u₂Q, for up to [`GROUPS`] sums per lane. The sums of a lane share one
//! inversion, at three multiplications each (Montgomery's trick).

#![allow(clippy::needless_range_loop)] // one index runs through several arrays

use halimede_arith::lanes::secp256k1::{canonical, factors, is_zero, multiply, square};
use halimede_arith::lanes::transfer::words_of_limbs;
use halimede_arith::lanes::{Columns, Kernel, Lanes, LANES};
use halimede_arith::serial::limbs::Limbs;

use super::lanes::Jacobian;
use super::powers::inverse;
use super::table::Table;
use super::terms::{Addition, Terms};

/// The maximum number of sums per lane that share an inversion.
pub const GROUPS: usize = 8;

/// x and y in [0, p); `None` if the sum is infinity or the formulas failed on the way.
pub type Point = Option<[Limbs; 2]>;

/// Adds terms, one group of lanes at a time, at most [`GROUPS`] groups.
pub struct Sums<'a> {
    pub table: &'a Table,
    pub groups: &'a [[&'a Terms; LANES]],
}

/// The product of two values that are themselves products.
#[inline(always)]
fn product<L: Lanes>(a: &Columns<L>, b: &Columns<L>) -> Columns<L> {
    multiply::<L>(&factors(a), &factors(b))
}

/// Returns 1 where Z is 0, otherwise Z.
#[inline(always)]
fn without_zero<L: Lanes>(z: &Columns<L>, is_zero: &[bool; LANES]) -> Columns<L> {
    let mut signs = [0; LANES];
    for lane in 0..LANES {
        signs[lane] = u64::from(is_zero[lane]) << 63;
    }
    let signs = L::load(&signs);
    let mut result = *z;
    for limb in 0..result.len() {
        let one = L::splat(u64::from(limb == 0));
        result[limb] = signs.select_by_sign(one, result[limb]);
    }
    result
}

/// Returns the words of each lane's number.
#[inline(always)]
fn words<L: Lanes>(number: &Columns<L>) -> [[u64; LANES]; 4] {
    let [a, b, c, d] = words_of_limbs(canonical(number));
    [a.store(), b.store(), c.store(), d.store()]
}

/// Returns x and y of sums, given the inverses of their Z.
#[inline(always)]
fn points<L: Lanes>(
    sum: &Jacobian<L>,
    inverse: &Columns<L>,
    unknown: &[bool; LANES],
) -> [Point; LANES] {
    let square = square::<L>(&factors(inverse));
    let cube = product(&square, inverse);
    let x = words(&product(&sum.x, &square));
    let y = words(&product(&sum.y, &cube));
    let mut points = [None; LANES];
    for lane in 0..LANES {
        if !unknown[lane] {
            points[lane] = Some([
                [x[0][lane], x[1][lane], x[2][lane], x[3][lane]],
                [y[0][lane], y[1][lane], y[2][lane], y[3][lane]],
            ]);
        }
    }
    points
}

impl Kernel for Sums<'_> {
    /// Entries of absent groups are `None`.
    type Output = [[Point; LANES]; GROUPS];

    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        let zero = L::splat(0);
        let mut product_before = [L::splat(1), zero, zero, zero, zero];
        let empty = Jacobian { x: product_before, y: product_before, z: product_before };
        let (mut sums, mut unknown) = ([empty; GROUPS], [[true; LANES]; GROUPS]);
        // The product of all Z before each.
        let mut before = [product_before; GROUPS];
        let groups = self.groups.len().min(GROUPS);
        for group in 0..groups {
            let mut sum = Addition { table: self.table, terms: self.groups[group] }.sum::<L>();
            unknown[group] = is_zero(&sum.z);
            sum.z = without_zero(&sum.z, &unknown[group]);
            before[group] = product_before;
            product_before = product(&product_before, &sum.z);
            sums[group] = sum;
        }
        let [mut inverse_product] = inverse(&[product_before]);
        let mut results = [[None; LANES]; GROUPS];
        for group in (0..groups).rev() {
            let inverse = product(&inverse_product, &before[group]);
            inverse_product = product(&inverse_product, &sums[group].z);
            results[group] = points(&sums[group], &inverse, &unknown[group]);
        }
        results
    }
}

#[cfg(test)]
mod tests;
