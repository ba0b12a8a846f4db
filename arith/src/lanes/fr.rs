// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Products in the scalar field of BLS12-381 for eight elements when nothing else can overlap, so
//! that the latency counts. They are computed as in [`element`](super::element), with the halves of
//! products summed in more and shorter chains.

#![allow(clippy::needless_range_loop)] // one index runs through several arrays

use super::element::{
    add_square, carry_beside_high, start, Columns, Factors, LaneModulus, ProductSum, Wide, LIMBS,
};
use super::vector::{Lanes, LIMB_BITS, LIMB_MASK};
use crate::field::Bls12381Scalar;

const R: [u64; LIMBS] = Bls12381Scalar::LIMBS_52;

/// 2²⁶⁰ − r.
const COMPLEMENT: [u64; LIMBS] =
    [LIMB_MASK + 1 - R[0], LIMB_MASK - R[1], LIMB_MASK - R[2], LIMB_MASK - R[3], LIMB_MASK - R[4]];

/// a²·2⁻²⁶⁰ mod r in a²/2²⁶⁰ + (0, r].
#[inline(always)]
pub fn square<L: Lanes>(a: &Factors<L>) -> Columns<L> {
    reduce(add_square(start::<L, Bls12381Scalar>(1), a))
}

/// a·b·2⁻²⁶⁰ mod r in a·b/2²⁶⁰ + (0, r].
#[inline(always)]
pub fn multiply<L: Lanes>(a: &Factors<L>, b: &Factors<L>) -> Columns<L> {
    let mut sum = ProductSum::new();
    sum.add_product(a, b);
    reduce(sum.finish::<Bls12381Scalar>(1))
}

/// (column + quotient·(2²⁶⁰ − r))/2⁵², where the product makes the low limb of the column 0. The
/// bias of the high half remains.
#[inline(always)]
fn carry_of_zeroed<L: Lanes>(column: L, quotient: L) -> L {
    let mut carry = if L::NEAREST {
        L::splat(0).sub(carry_beside_high(L::splat(0).sub(column), COMPLEMENT[0]))
    } else {
        // The low half, which is not needed, rounds the carry up.
        column.add(L::splat(LIMB_MASK)).shift_right_signed::<LIMB_BITS>()
    };
    L::multiply_add_high(&mut carry, quotient.factor(), L::splat_factor(COMPLEMENT[0]));
    carry
}

/// Montgomery reduction: (T − Q·r)/2²⁶⁰ + r with Q = T·r⁻¹ mod 2²⁶⁰, in T/2²⁶⁰ + (0, r]. T is as in
/// [`element::reduce`](super::element::reduce). Returns columns.
///
/// Halves of products can only be added, so Q·(2²⁶⁰ − r) is added and Q is subtracted from the
/// upper columns, which may be negative afterwards.
#[inline(always)]
pub fn reduce<L: Lanes>(mut t: Wide<L>) -> Columns<L> {
    let mask = L::splat(LIMB_MASK);
    let mut high = [L::splat(0); 2 * LIMBS];
    let mut column = t[0];
    for round in 0..LIMBS {
        // r⁻¹ = 1 + 2³² mod 2⁵².
        let quotient = column.add(column.shift_left::<32>());
        let carry = carry_of_zeroed(column, quotient);
        let mut next = t[round + 1].add(high[round + 1]);
        L::multiply_add_low(&mut next, quotient.factor(), L::splat_factor(COMPLEMENT[1]));
        column = next.add(carry);
        // The next quotient depends on these halves, so they wait for the mask.
        let quotient = quotient.and(mask);
        let factor = quotient.factor();
        L::multiply_add_high(&mut high[round + 2], factor, L::splat_factor(COMPLEMENT[1]));
        for limb in 2..LIMBS {
            let place = round + limb;
            let complement = L::splat_factor(COMPLEMENT[limb]);
            L::multiply_add(&mut t[place], &mut high[place + 1], factor, complement);
        }
        t[LIMBS + round] = t[LIMBS + round].add(L::splat(R[round]).sub(quotient));
    }
    let upper = |index: usize| t[LIMBS + index].add(high[LIMBS + index]);
    [column, upper(1), upper(2), upper(3), upper(4)]
}
