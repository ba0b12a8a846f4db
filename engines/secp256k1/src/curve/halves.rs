// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Splits scalars into two of half the length (the GLV decomposition).
//!
//! (x, y) → (βx, y) with β³ = 1 modulo p is multiplication by λ, λ³ = 1 modulo n (Gallant, Lambert
//! and Vanstone, "Faster point multiplication on elliptic curves with efficient endomorphisms",
//! 2001). A scalar k is k₁ + k₂·λ modulo n with k₁ and k₂ of at most 129 bits: k minus the nearest
//! point of the lattice of pairs that represent 0, with the short vectors (a₁, b₁) and (a₂, b₂)
//! (Guide to Elliptic Curve Cryptography, algorithm 3.74).
//!
//! Both halves are then made odd: adding (a₁, b₁) flips the parity of both, adding (a₂, b₂) that of
//! k₂. An odd number has signed odd digits of five bits, like those of [`Digits`](super::Digits).

use halimede_arith::serial::limbs::{multiply_wide, Limbs};
use halimede_arith::serial::Portable;

use crate::quotient;

/// The number of digits of each half.
pub const HALF_WINDOWS: usize = 26;

/// The number of bits of a digit.
pub const HALF_BITS: usize = 5;

/// The number of odd multiples that a digit selects from: 1 to 31.
pub const HALF_MULTIPLES: usize = 1 << (HALF_BITS - 1);

/// β.
pub const BETA: Limbs =
    [0xc139_6c28_7195_01ee, 0x9cf0_4975_12f5_8995, 0x6e64_479e_ac34_34e9, 0x7ae9_6a2b_657c_0710];

/// a₁, which is b₂.
const A1: Limbs = [0xe86c_90e4_9284_eb15, 0x3086_d221_a7d4_6bcd, 0, 0];

/// −b₁.
const OPPOSITE_B1: Limbs = [0x6f54_7fa9_0abf_e4c3, 0xe443_7ed6_010e_8828, 0, 0];

/// a₂.
const A2: Limbs = [0x57c1_108d_9d44_cfd8, 0x14ca_50f7_a8e2_f3f6, 1, 0];

/// b₂·2³⁸⁴/n, rounded.
const B2_BY_N: Limbs =
    [0xe893_209a_45db_b031, 0x3daa_8a14_71e8_ca7f, 0xe86c_90e4_9284_eb15, 0x3086_d221_a7d4_6bcd];

/// −b₁·2³⁸⁴/n, rounded.
const OPPOSITE_B1_BY_N: Limbs =
    [0x1571_b4ae_8ac4_7f71, 0x2212_08ac_9df5_06c6, 0x6f54_7fa9_0abf_e4c4, 0xe443_7ed6_010e_8828];

/// The digits of a half, from the lowest window on. Digit d of window w represents
/// (2d − 31)·2⁵ʷ.
pub type HalfDigits = [u8; HALF_WINDOWS];

/// Returns the digits of k₁ and k₂, for k in [0, n).
pub fn halves(k: &Limbs) -> [HalfDigits; 2] {
    let [one, two] = split(k);
    [digits(&one), digits(&two)]
}

/// A half as its absolute value and its sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShortHalf {
    /// The absolute value.
    pub magnitude: u128,
    /// `true` if the half is below 0.
    pub is_negative: bool,
}

/// Returns k₁ and k₂ of any parity, for k in [0, n). They are below 2¹²⁸ in absolute value: the
/// nearest point of the lattice is at most (a₁ + a₂)/2 and (b₂ − b₁)/2 away, and both are below
/// 0.64·2¹²⁸.
pub fn short_halves(k: &Limbs) -> [ShortHalf; 2] {
    nearest(k).map(|half| {
        let is_negative = half[3] >> 63 == 1;
        let [low, high, ..] = if is_negative { sub(&[0; 4], &half) } else { half };
        ShortHalf { magnitude: u128::from(high) << 64 | u128::from(low), is_negative }
    })
}

/// Returns k₁ and k₂ modulo 2²⁵⁶.
fn nearest(k: &Limbs) -> [Limbs; 2] {
    let (c1, c2) = (scaled(k, &B2_BY_N), scaled(k, &OPPOSITE_B1_BY_N));
    let one = sub(&sub(k, &low_product(&c1, &A1)), &low_product(&c2, &A2));
    let two = sub(&low_product(&c1, &OPPOSITE_B1), &low_product(&c2, &A1));
    [one, two]
}

/// Returns k₁ and k₂, both odd, modulo 2²⁵⁶.
fn split(k: &Limbs) -> [Limbs; 2] {
    let [mut one, mut two] = nearest(k);
    if one[0] & 1 == 0 {
        one = add(&one, &A1);
        two = sub(&two, &OPPOSITE_B1);
    }
    if two[0] & 1 == 0 {
        one = add(&one, &A2);
        two = add(&two, &A1);
    }
    [one, two]
}

/// Returns k·factor/2³⁸⁴, rounded.
fn scaled(k: &Limbs, factor: &Limbs) -> Limbs {
    let wide = multiply_wide::<Portable>(*k, *factor);
    let (low, carry) = wide[6].overflowing_add(wide[5] >> 63);
    [low, wide[7] + u64::from(carry), 0, 0]
}

fn low_product(a: &Limbs, b: &Limbs) -> Limbs {
    let [low @ .., _, _, _, _] = multiply_wide::<Portable>(*a, *b);
    low
}

/// Returns a + b modulo 2²⁵⁶; negative numbers wrap.
fn add(a: &Limbs, b: &Limbs) -> Limbs {
    quotient::add(a, b).0
}

fn sub(a: &Limbs, b: &Limbs) -> Limbs {
    quotient::subtract(a, b).0
}

/// Returns the digits of an odd k in (−2¹³⁰, 2¹³⁰). Σ (2dᵥ − 31)·2⁵ʷ is 2d − (2¹³⁰ − 1), where
/// d = Σ dᵥ·2⁵ʷ, so that d = (k + 2¹³⁰ − 1)/2.
fn digits(k: &Limbs) -> HalfDigits {
    let [d0, d1, d2, _] = add(k, &[u64::MAX, u64::MAX, 3, 0]);
    let words = [d0 >> 1 | d1 << 63, d1 >> 1 | d2 << 63, d2 >> 1, 0];
    let mut digits = [0; HALF_WINDOWS];
    for (window, digit) in digits.iter_mut().enumerate() {
        let (word, shift) = (HALF_BITS * window / 64, HALF_BITS * window % 64);
        let both = u128::from(words[word + 1]) << 64 | u128::from(words[word]);
        *digit = (both >> shift) as u8 & (2 * HALF_MULTIPLES as u8 - 1);
    }
    digits
}

/// Returns the index of the odd multiple, 1 to 31, that a digit represents; it is negated where
/// [`half_sign`] is negative.
#[inline(always)]
pub fn half_multiple(digit: u8) -> usize {
    // Digits 31 and 0 represent 31 and −31, digits 16 and 15 represent 1 and −1.
    usize::from((digit ^ (digit >> 4).wrapping_sub(1)) & (HALF_MULTIPLES as u8 - 1))
}

/// Returns a number with the sign of a digit: bit 4 of a negative digit is clear.
#[inline(always)]
pub fn half_sign(digit: u8) -> u64 {
    u64::from(!digit) << 59
}

#[cfg(test)]
mod tests {
    use num_bigint::{BigInt, BigUint};
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::testing::{any, lambda, n, words};

    fn value(digits: &HalfDigits) -> BigInt {
        digits.iter().rev().fold(BigInt::default(), |sum, digit| {
            let multiple = BigInt::from(2 * half_multiple(*digit) + 1);
            let is_negative = half_sign(*digit) >> 63 == 1;
            sum * 32 + if is_negative { -multiple } else { multiple }
        })
    }

    #[test]
    fn halves_make_their_number() {
        let (n, lambda) = (n(), lambda());
        let mut random = ChaCha8Rng::seed_from_u64(0x8);
        let mut numbers: Vec<BigUint> = (0..5u8).map(BigUint::from).collect();
        for small in 0..5u8 {
            numbers.extend([&n - 1u8 - small, &n / 2u8 + small, &lambda + small, &n - &lambda]);
            numbers.extend([(&n / 3u8) + small, (&lambda * small) % &n]);
        }
        numbers.extend((1..256).map(|bit| (BigUint::from(1u8) << bit) % &n));
        numbers.extend((0..2000).map(|_| any(&mut random)));
        for number in numbers {
            let [one, two] = halves(&words(&number));
            let sum = value(&one) + value(&two) * BigInt::from(lambda.clone());
            let difference = sum - BigInt::from(number.clone());
            assert_eq!(difference % BigInt::from(n.clone()), BigInt::default(), "{number:x}");
            let [one, two] = short_halves(&words(&number)).map(|half| {
                let magnitude = BigInt::from(half.magnitude);
                if half.is_negative {
                    -magnitude
                } else {
                    magnitude
                }
            });
            let difference =
                one + two * BigInt::from(lambda.clone()) - BigInt::from(number.clone());
            assert_eq!(difference % BigInt::from(n.clone()), BigInt::default(), "{number:x}");
        }
    }
}
