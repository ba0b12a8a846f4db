// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Inner products with one reduction.
//!
//! n products of reduced elements sum to less than n·p² < n·2⁵¹⁰, which nine limbs hold; one
//! Montgomery reduction brings the sum below n·p·(p/2²⁵⁶) + p < (n/2 + 1)·p. With at most
//! [`TERMS_A_REDUCTION`] = 30 terms that is below 16p, which four conditional subtractions of
//! 8p, 4p, 2p and p bring into [0, p).

use super::arithmetic::{multiply_wide, Field};
use super::limbs::{add_carry, multiply_add, select, sub_borrow, sub_limbs};
use super::Modulus;

const TERMS_A_REDUCTION: usize = 30;

impl<M: Modulus> Field<M> {
    /// Σ aᵢ·bᵢ over the shorter length, with one reduction for every 30 terms.
    #[inline]
    #[must_use]
    pub fn inner_product(a: &[Self], b: &[Self]) -> Self {
        let length = a.len().min(b.len());
        if length <= TERMS_A_REDUCTION {
            return Self::inner_product_short(&a[..length], &b[..length]);
        }
        a.chunks(TERMS_A_REDUCTION)
            .zip(b.chunks(TERMS_A_REDUCTION))
            .map(|(a, b)| Self::inner_product_short(a, b))
            .sum()
    }

    #[inline(always)]
    fn inner_product_short(a: &[Self], b: &[Self]) -> Self {
        let mut sum = [0u64; 9];
        for (a, b) in a.iter().zip(b) {
            accumulate(&mut sum, multiply_wide(a.limbs, b.limbs));
        }
        Self::from_reduced(reduce_sum::<M>(sum))
    }
}

#[inline(always)]
fn accumulate(sum: &mut [u64; 9], product: [u64; 8]) {
    let mut carry = 0;
    for (limb, addend) in sum.iter_mut().zip(product) {
        (*limb, carry) = add_carry(*limb, addend, carry);
    }
    sum[8] += carry;
}

/// T·2⁻²⁵⁶ mod p for T < 30·p².
#[inline(always)]
fn reduce_sum<M: Modulus>(mut t: [u64; 9]) -> [u64; 4] {
    let p = M::VALUE;
    let mut carry_high = 0;
    for round in 0..4 {
        let quotient = t[round].wrapping_mul(M::NEGATIVE_INVERSE);
        let mut carry = 0;
        for (limb, p_limb) in t[round..round + 4].iter_mut().zip(p) {
            (*limb, carry) = multiply_add(*limb, quotient, p_limb, carry);
        }
        (t[round + 4], carry_high) = add_carry(t[round + 4], carry, carry_high);
    }
    t[8] += carry_high;
    let mut value = [t[4], t[5], t[6], t[7], t[8]];
    for shift in [3, 2, 1] {
        value = subtract_shifted(value, p, shift);
    }
    let low = [value[0], value[1], value[2], value[3]];
    let (reduced, borrow) = sub_limbs(low, p);
    let (_, borrow) = sub_borrow(value[4], 0, borrow);
    select(borrow, low, reduced)
}

/// `value − p·2^shift` where that is not negative, else `value`; shift in 1..=3.
#[inline(always)]
fn subtract_shifted(value: [u64; 5], p: [u64; 4], shift: u32) -> [u64; 5] {
    let multiple = [
        p[0] << shift,
        (p[1] << shift) | (p[0] >> (64 - shift)),
        (p[2] << shift) | (p[1] >> (64 - shift)),
        (p[3] << shift) | (p[2] >> (64 - shift)),
        p[3] >> (64 - shift),
    ];
    let mut reduced = [0u64; 5];
    let mut borrow = 0;
    for index in 0..5 {
        (reduced[index], borrow) = sub_borrow(value[index], multiple[index], borrow);
    }
    let mask = borrow.wrapping_neg();
    for index in 0..5 {
        reduced[index] = (value[index] & mask) | (reduced[index] & !mask);
    }
    reduced
}
