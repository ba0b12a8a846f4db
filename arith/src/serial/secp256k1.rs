// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The field of the curve secp256k1: residues modulo p = 2²⁵⁶ − C, C = 2³² + 977, as integers below
//! 2²⁵⁶.
//!
//! Any such integer represents a residue; [`canonical`] returns the smallest. 2²⁵⁶ is C modulo p,
//! so the part above 2²⁵⁶ is added back as a multiple of C.

use super::limbs::{multiply_wide, product, square_wide, sub_borrowing, Limbs, WideLimbs};
use super::Arithmetic;

/// p, least significant limb first.
pub const MODULUS: Limbs = crate::lanes::secp256k1::MODULUS;

/// 2²⁵⁶ − p.
const C: u64 = MODULUS[0].wrapping_neg();

/// a·b mod p.
#[inline(always)]
pub fn multiply<A: Arithmetic>(a: Limbs, b: Limbs) -> Limbs {
    reduce::<A>(multiply_wide::<A>(a, b))
}

/// a² mod p.
#[inline(always)]
pub fn square<A: Arithmetic>(a: Limbs) -> Limbs {
    reduce::<A>(square_wide::<A>(a))
}

/// T mod p. The upper half times C is below 2²⁹⁰, so the part of the sum above 2²⁵⁶ is below 2³⁵.
#[inline(always)]
fn reduce<A: Arithmetic>(t: WideLimbs) -> Limbs {
    let (l0, h0) = product(t[4], C);
    let (l1, h1) = product(t[5], C);
    let (l2, h2) = product(t[6], C);
    let (l3, h3) = product(t[7], C);
    let (s0, carry) = A::add(t[0], l0, 0);
    let (s1, carry) = A::add(t[1], l1, carry);
    let (s2, carry) = A::add(t[2], l2, carry);
    let (s3, carry) = A::add(t[3], l3, carry);
    let (top, _) = A::add(h3, 0, carry);
    let (s1, carry) = A::add(s1, h0, 0);
    let (s2, carry) = A::add(s2, h1, carry);
    let (s3, carry) = A::add(s3, h2, carry);
    let (top, _) = A::add(top, 0, carry);
    let (low, high) = product(top, C);
    let (s0, carry) = A::add(s0, low, 0);
    let (s1, carry) = A::add(s1, high, carry);
    let (s2, carry) = A::add(s2, 0, carry);
    let (s3, carry) = A::add(s3, 0, carry);
    // If this carries too, the remainder is below 2⁶⁸.
    let (s0, carry) = A::add(s0, u64::from(carry) * C, 0);
    [s0, s1 + u64::from(carry), s2, s3]
}

/// a + b mod p.
#[inline(always)]
pub fn add<A: Arithmetic>(a: Limbs, b: Limbs) -> Limbs {
    let (s0, carry) = A::add(a[0], b[0], 0);
    let (s1, carry) = A::add(a[1], b[1], carry);
    let (s2, carry) = A::add(a[2], b[2], carry);
    let (s3, carry) = A::add(a[3], b[3], carry);
    let (s0, carry) = A::add(s0, u64::from(carry) * C, 0);
    let (s1, carry) = A::add(s1, 0, carry);
    let (s2, carry) = A::add(s2, 0, carry);
    let (s3, carry) = A::add(s3, 0, carry);
    // If this carries too, the remainder is below C.
    [s0 + u64::from(carry) * C, s1, s2, s3]
}

/// a − b mod p.
#[inline(always)]
pub fn sub<A: Arithmetic>(a: Limbs, b: Limbs) -> Limbs {
    let ([d0, d1, d2, d3], borrow) = sub_borrowing::<A>(a, b);
    let (d0, borrow) = A::sub(d0, u64::from(borrow) * C, 0);
    let (d1, borrow) = A::sub(d1, 0, borrow);
    let (d2, borrow) = A::sub(d2, 0, borrow);
    let (d3, borrow) = A::sub(d3, 0, borrow);
    // If this borrows too, the remainder is at least 2²⁵⁶ − C.
    [d0 - u64::from(borrow) * C, d1, d2, d3]
}

/// Returns the residue in [0, p).
#[inline(always)]
pub fn canonical<A: Arithmetic>(x: Limbs) -> Limbs {
    let (reduced, borrow) = sub_borrowing::<A>(x, MODULUS);
    if borrow == 0 {
        reduced
    } else {
        x
    }
}

/// x⁻¹ mod p, and 0 for 0: x^(p−2), whose exponent is 223 ones, a zero, 22 ones, 0000101101. The
/// powers x^(2ᵏ−1), whose exponents are k ones, are built from each other.
#[inline(always)]
pub fn inverse<A: Arithmetic>(x: Limbs) -> Limbs {
    let ones_2 = multiply::<A>(square_times::<A>(x, 1), x);
    let ones_3 = multiply::<A>(square_times::<A>(ones_2, 1), x);
    let ones_6 = multiply::<A>(square_times::<A>(ones_3, 3), ones_3);
    let ones_9 = multiply::<A>(square_times::<A>(ones_6, 3), ones_3);
    let ones_11 = multiply::<A>(square_times::<A>(ones_9, 2), ones_2);
    let ones_22 = multiply::<A>(square_times::<A>(ones_11, 11), ones_11);
    let ones_44 = multiply::<A>(square_times::<A>(ones_22, 22), ones_22);
    let ones_88 = multiply::<A>(square_times::<A>(ones_44, 44), ones_44);
    let ones_176 = multiply::<A>(square_times::<A>(ones_88, 88), ones_88);
    let ones_220 = multiply::<A>(square_times::<A>(ones_176, 44), ones_44);
    let ones_223 = multiply::<A>(square_times::<A>(ones_220, 3), ones_3);
    let power = multiply::<A>(square_times::<A>(ones_223, 23), ones_22);
    let power = multiply::<A>(square_times::<A>(power, 5), x);
    let power = multiply::<A>(square_times::<A>(power, 3), ones_2);
    multiply::<A>(square_times::<A>(power, 2), x)
}

/// x^(2^times).
#[inline(always)]
fn square_times<A: Arithmetic>(mut x: Limbs, times: u32) -> Limbs {
    for _ in 0..times {
        x = square::<A>(x);
    }
    x
}
