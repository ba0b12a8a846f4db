// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Integers of four and eight limbs. Each row of a product is two chains of additions, one of the
//! low and one of the high halves, so that each chain stays in the carry flag.

use super::Arithmetic;

/// An integer below 2²⁵⁶, least significant limb first.
pub type Limbs = [u64; 4];

/// An integer below 2⁵¹².
pub type WideLimbs = [u64; 8];

/// Returns the low and the high half of a product.
#[inline(always)]
pub(super) fn product(a: u64, b: u64) -> (u64, u64) {
    let product = u128::from(a) * u128::from(b);
    (product as u64, (product >> 64) as u64)
}

/// a + b, for a sum below 2²⁵⁶.
#[inline(always)]
pub fn add<C: Arithmetic>(a: Limbs, b: Limbs) -> Limbs {
    let (s0, carry) = C::add(a[0], b[0], 0);
    let (s1, carry) = C::add(a[1], b[1], carry);
    let (s2, carry) = C::add(a[2], b[2], carry);
    let (s3, carry) = C::add(a[3], b[3], carry);
    debug_assert_eq!(carry, 0, "a sum must be below 2^256");
    [s0, s1, s2, s3]
}

/// a − b, for b ≤ a.
#[inline(always)]
pub fn sub<C: Arithmetic>(a: Limbs, b: Limbs) -> Limbs {
    let (difference, borrow) = sub_borrowing::<C>(a, b);
    debug_assert_eq!(borrow, 0, "a difference must not be negative");
    difference
}

/// a − b modulo 2²⁵⁶, and the borrow.
#[inline(always)]
pub(super) fn sub_borrowing<C: Arithmetic>(a: Limbs, b: Limbs) -> (Limbs, u8) {
    let (d0, borrow) = C::sub(a[0], b[0], 0);
    let (d1, borrow) = C::sub(a[1], b[1], borrow);
    let (d2, borrow) = C::sub(a[2], b[2], borrow);
    let (d3, borrow) = C::sub(a[3], b[3], borrow);
    ([d0, d1, d2, d3], borrow)
}

/// 2·a, for a below 2²⁵⁵.
#[inline(always)]
pub fn double<C: Arithmetic>(a: Limbs) -> Limbs {
    add::<C>(a, a)
}

/// a·b.
#[inline(always)]
pub fn multiply_wide<C: Arithmetic>(a: Limbs, b: Limbs) -> WideLimbs {
    let (t0, h0) = product(a[0], b[0]);
    let (l1, h1) = product(a[0], b[1]);
    let (l2, h2) = product(a[0], b[2]);
    let (l3, h3) = product(a[0], b[3]);
    let (t1, carry) = C::add(l1, h0, 0);
    let (t2, carry) = C::add(l2, h1, carry);
    let (t3, carry) = C::add(l3, h2, carry);
    let (t4, _) = C::add(h3, 0, carry);
    let (t1, [t2, t3, t4, t5]) = add_row::<C>([t1, t2, t3, t4], a[1], b);
    let (t2, [t3, t4, t5, t6]) = add_row::<C>([t2, t3, t4, t5], a[2], b);
    let (t3, [t4, t5, t6, t7]) = add_row::<C>([t3, t4, t5, t6], a[3], b);
    [t0, t1, t2, t3, t4, t5, t6, t7]
}

/// window + factor·b, which fits into five limbs: the lowest limb, and the other four.
#[inline(always)]
fn add_row<C: Arithmetic>(window: Limbs, factor: u64, b: Limbs) -> (u64, Limbs) {
    let (l0, h0) = product(factor, b[0]);
    let (l1, h1) = product(factor, b[1]);
    let (l2, h2) = product(factor, b[2]);
    let (l3, h3) = product(factor, b[3]);
    let (t0, carry) = C::add(window[0], l0, 0);
    let (t1, carry) = C::add(window[1], l1, carry);
    let (t2, carry) = C::add(window[2], l2, carry);
    let (t3, carry) = C::add(window[3], l3, carry);
    let (t4, _) = C::add(h3, 0, carry);
    let (t1, carry) = C::add(t1, h0, 0);
    let (t2, carry) = C::add(t2, h1, carry);
    let (t3, carry) = C::add(t3, h2, carry);
    let (t4, _) = C::add(t4, 0, carry);
    (t0, [t1, t2, t3, t4])
}

/// a²: the products off the diagonal once, doubled, then the squares.
#[inline(always)]
pub fn square_wide<C: Arithmetic>(a: Limbs) -> WideLimbs {
    let (l1, h01) = product(a[0], a[1]);
    let (l02, h02) = product(a[0], a[2]);
    let (l03, h03) = product(a[0], a[3]);
    let (l12, h12) = product(a[1], a[2]);
    let (l13, h13) = product(a[1], a[3]);
    let (l23, h23) = product(a[2], a[3]);
    let (l2, carry) = C::add(h01, l02, 0);
    let (l3, carry) = C::add(h02, l03, carry);
    let (l4, _) = C::add(h03, 0, carry);
    let (l3, carry) = C::add(l3, l12, 0);
    let (l4, carry) = C::add(l4, h12, carry);
    let (l5, _) = C::add(h13, 0, carry);
    let (l4, carry) = C::add(l4, l13, 0);
    let (l5, carry) = C::add(l5, l23, carry);
    let (l6, _) = C::add(h23, 0, carry);
    let (d1, carry) = C::add(l1, l1, 0);
    let (d2, carry) = C::add(l2, l2, carry);
    let (d3, carry) = C::add(l3, l3, carry);
    let (d4, carry) = C::add(l4, l4, carry);
    let (d5, carry) = C::add(l5, l5, carry);
    let (d6, carry) = C::add(l6, l6, carry);
    let d7 = u64::from(carry);
    let (t0, h0) = product(a[0], a[0]);
    let (s1, h1) = product(a[1], a[1]);
    let (s2, h2) = product(a[2], a[2]);
    let (s3, h3) = product(a[3], a[3]);
    let (t1, carry) = C::add(d1, h0, 0);
    let (t2, carry) = C::add(d2, s1, carry);
    let (t3, carry) = C::add(d3, h1, carry);
    let (t4, carry) = C::add(d4, s2, carry);
    let (t5, carry) = C::add(d5, h2, carry);
    let (t6, carry) = C::add(d6, s3, carry);
    let (t7, _) = C::add(d7, h3, carry);
    [t0, t1, t2, t3, t4, t5, t6, t7]
}
