// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sums, differences and choices of field elements in lanes, column by column.
//!
//! Elements are numbers congruent to x·2²⁶⁰ modulo p. Each function states its ranges.

#![allow(clippy::needless_range_loop)] // one index runs through several arrays

use halimede_arith::field::Modulus;
use halimede_arith::lanes::element::{carry, factors, limbs_52, multiply, LaneModulus, LIMBS};
use halimede_arith::lanes::transfer::words_of_limbs;
use halimede_arith::lanes::{Columns, Lanes, LANES};
use halimede_arith::Field;

/// The factor between an element in memory, x·2²⁵⁶, and one in lanes, x·2²⁶⁰.
const LANE_DOUBLINGS: u32 = 4;

/// Returns the number x·2²⁶⁰ modulo p.
pub fn lane_words<M: Modulus>(element: Field<M>) -> [u64; 4] {
    (0..LANE_DOUBLINGS).fold(element, |element, _| element.double()).montgomery_limbs()
}

/// Returns the limbs of x·2²⁶⁰ modulo p.
pub fn lane_limbs<M: Modulus>(element: Field<M>) -> [u64; LIMBS] {
    limbs_52(lane_words(element))
}

/// Returns `multiple`·p in columns, for a multiple below 2¹².
pub const fn multiple_of_modulus<M: LaneModulus>(multiple: u64) -> [u64; LIMBS] {
    let mut columns = M::LIMBS_52;
    let mut limb = 0;
    while limb < LIMBS {
        columns[limb] *= multiple;
        limb += 1;
    }
    columns
}

/// a·b/2²⁶⁰ modulo p, below a·b/2²⁶⁰ + p, for columns of numbers in [0, 2²⁶⁰).
#[inline(always)]
pub fn product<L: Lanes, M: LaneModulus>(a: Columns<L>, b: Columns<L>) -> Columns<L> {
    multiply::<L, M>(&factors(a), &factors(b))
}

/// a + b.
#[inline(always)]
pub fn sum<L: Lanes>(a: &Columns<L>, b: &Columns<L>) -> Columns<L> {
    let mut result = *a;
    for limb in 0..LIMBS {
        result[limb] = a[limb].add(b[limb]);
    }
    result
}

/// MULTIPLE·p + a − b, for b below MULTIPLE·p.
#[inline(always)]
pub fn difference<L: Lanes, M: LaneModulus, const MULTIPLE: u64>(
    a: &Columns<L>,
    b: &Columns<L>,
) -> Columns<L> {
    let multiple = const { multiple_of_modulus::<M>(MULTIPLE) };
    let mut result = *a;
    for limb in 0..LIMBS {
        result[limb] = a[limb].add(L::splat(multiple[limb])).sub(b[limb]);
    }
    result
}

/// Returns, lane by lane, `negative` where the sign is negative, else `other`.
#[inline(always)]
pub fn select<L: Lanes>(sign: L, negative: &Columns<L>, other: &Columns<L>) -> Columns<L> {
    let mut result = *other;
    for limb in 0..LIMBS {
        result[limb] = sign.select_by_sign(negative[limb], other[limb]);
    }
    result
}

/// Returns the same columns in each lane.
#[inline(always)]
pub fn splat<L: Lanes>(limbs: &[u64; LIMBS]) -> Columns<L> {
    let mut result = [L::splat(limbs[0]); LIMBS];
    for limb in 1..LIMBS {
        result[limb] = L::splat(limbs[limb]);
    }
    result
}

/// Returns the row of each lane with the words of two coordinates in [0, 2²⁵⁶).
#[inline(always)]
pub fn rows<L: Lanes>(first: &Columns<L>, second: &Columns<L>) -> [L; LANES] {
    let [a0, a1, a2, a3] = words_of_limbs(carry(*first));
    let [b0, b1, b2, b3] = words_of_limbs(carry(*second));
    L::load_rows([
        &a0.store(),
        &a1.store(),
        &a2.store(),
        &a3.store(),
        &b0.store(),
        &b1.store(),
        &b2.store(),
        &b3.store(),
    ])
}
