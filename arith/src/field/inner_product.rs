// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Inner products with one reduction.
//!
//! n products of reduced elements sum to less than n·p² < n·2⁵¹⁰, which nine limbs hold; one
//! Montgomery reduction brings the sum below n·p·(p/2²⁵⁶) + p < (n/2 + 1)·p. With at most
//! [`TERMS_A_REDUCTION`] = 30 terms that is below 16p, which is a [`LazySum`].

use super::arithmetic::{multiply_wide, Field};
use super::lazy_sum::LazySum;
use super::limbs::{add_carry, multiply_add};
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

    /// The sum of two inner products. Up to 30 terms have one reduction together.
    #[inline]
    #[must_use]
    pub fn two_inner_products(a: [&[Self]; 2], b: [&[Self]; 2]) -> Self {
        if a[0].len() + a[1].len() > TERMS_A_REDUCTION {
            return Self::inner_product(a[0], b[0]) + Self::inner_product(a[1], b[1]);
        }
        let mut sum = [0u64; 9];
        for (a, b) in a.into_iter().zip(b) {
            for (a, b) in a.iter().zip(b) {
                accumulate(&mut sum, multiply_wide(a.limbs, b.limbs));
            }
        }
        reduce_sum(sum)
    }

    #[inline(always)]
    fn inner_product_short(a: &[Self], b: &[Self]) -> Self {
        let mut sum = [0u64; 9];
        for (a, b) in a.iter().zip(b) {
            accumulate(&mut sum, multiply_wide(a.limbs, b.limbs));
        }
        reduce_sum(sum)
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
fn reduce_sum<M: Modulus>(mut t: [u64; 9]) -> Field<M> {
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
    LazySum::from_limbs([t[4], t[5], t[6], t[7], t[8]]).reduce()
}
