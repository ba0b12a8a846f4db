// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The scalar field of BLS12-381: residues modulo r ≈ 0.4525·2²⁵⁶ as integers below 2²⁵⁶ < 2.21·r.
//!
//! The low limb of the modulus is 1 − 2³² mod 2⁶⁴, and its inverse is 1 + 2³²: a Montgomery
//! quotient is a shift and an addition.

use super::limbs::{multiply_wide, product, square_wide, sub_borrowing, Limbs, WideLimbs};
use super::Arithmetic;
use crate::field::{Bls12381Scalar, Modulus};
use crate::Fr;

const R: Limbs = Bls12381Scalar::VALUE;

/// ⌊2²⁸⁸/r⌋: the factor that estimates a quotient from the bits above 2²²⁴.
const RECIPROCAL: u64 = {
    let divisor = R[3] as u128; // r is slightly above divisor·2¹⁹²: rounded up by 1 below
    ((1u128 << 96) / (divisor + 1)) as u64
};

/// An integer below 64·r.
pub type Sum = [u64; 5];

/// d·r⁻¹ mod 2⁶⁴.
#[inline(always)]
fn quotient(d: u64) -> u64 {
    d.wrapping_add(d << 32)
}

/// The products of one factor with the limbs of r.
#[inline(always)]
fn modulus_row(factor: u64) -> [(u64, u64); 4] {
    R.map(|limb| product(factor, limb))
}

/// T·2⁻²⁵⁶ mod r as an integer in (0, T/2²⁵⁶ + r], for T/2²⁵⁶ below 1.2·r.
#[inline(always)]
fn reduce_wide<A: Arithmetic>(t: WideLimbs) -> Limbs {
    let window = multiple_above::<A>([t[0], t[1], t[2], t[3]]);
    let (difference, _) = sub_borrowing::<A>([t[4], t[5], t[6], t[7]], window);
    let (sum, _) = add_carrying::<A>(difference, R);
    sum
}

/// ⌊m/2²⁵⁶⌋ of the multiple m < 2²⁵⁶·r of r whose low 256 bits are these limbs.
///
/// The factor is found limb by limb; the higher limbs are carried in a window of four limbs.
#[inline(always)]
fn multiple_above<A: Arithmetic>(t: Limbs) -> Limbs {
    let [(_, h0), (l1, h1), (l2, h2), (l3, h3)] = modulus_row(quotient(t[0]));
    let (w1, carry) = A::add(l1, h0, 0);
    let (w2, carry) = A::add(l2, h1, carry);
    let (w3, carry) = A::add(l3, h2, carry);
    let (w4, _) = A::add(h3, 0, carry);
    let window = reduce_row::<A>([w1, w2, w3, w4], t[1]);
    let window = reduce_row::<A>(window, t[2]);
    reduce_row::<A>(window, t[3])
}

/// a + b modulo 2²⁵⁶, and the carry.
#[inline(always)]
fn add_carrying<A: Arithmetic>(a: Limbs, b: Limbs) -> (Limbs, u8) {
    let (s0, carry) = A::add(a[0], b[0], 0);
    let (s1, carry) = A::add(a[1], b[1], carry);
    let (s2, carry) = A::add(a[2], b[2], carry);
    let (s3, carry) = A::add(a[3], b[3], carry);
    ([s0, s1, s2, s3], carry)
}

/// a + b modulo 2²⁵⁶.
#[inline(always)]
pub fn add_wrapping<A: Arithmetic>(a: Limbs, b: Limbs) -> Limbs {
    add_carrying::<A>(a, b).0
}

/// a − b modulo 2²⁵⁶.
#[inline(always)]
pub fn sub_wrapping<A: Arithmetic>(a: Limbs, b: Limbs) -> Limbs {
    sub_borrowing::<A>(a, b).0
}

/// One limb of the quotient: adds the multiple of r for which the low limb of the window becomes
/// `limb`, and drops that limb.
#[inline(always)]
fn reduce_row<A: Arithmetic>(window: Limbs, limb: u64) -> Limbs {
    let low = limb.wrapping_sub(window[0]);
    let [(_, h0), (l1, h1), (l2, h2), (l3, h3)] = modulus_row(quotient(low));
    let (_, carry) = A::add(window[0], low, 0);
    let (w1, carry) = A::add(window[1], l1, carry);
    let (w2, carry) = A::add(window[2], l2, carry);
    let (w3, carry) = A::add(window[3], l3, carry);
    let (w4, _) = A::add(h3, 0, carry);
    let (w1, carry) = A::add(w1, h0, 0);
    let (w2, carry) = A::add(w2, h1, carry);
    let (w3, carry) = A::add(w3, h2, carry);
    let (w4, _) = A::add(w4, 0, carry);
    [w1, w2, w3, w4]
}

/// x⁵·2⁻¹⁰²⁴ mod r, below 1.93·r, for x < 1.02·r: x² is below 1.48·r and x⁴ below 1.99·r.
#[inline(always)]
pub fn fifth_power<A: Arithmetic>(x: Limbs) -> Limbs {
    let square = reduce_wide::<A>(square_wide::<A>(x));
    let fourth = reduce_wide::<A>(square_wide::<A>(square));
    reduce_wide::<A>(multiply_wide::<A>(fourth, x))
}

/// Returns the residue of a sum, below r·(1 + 2⁻²⁵).
///
/// The quotient is estimated from the part of the sum above 2²²⁴ and rounded down. The estimate is
/// exact, or one too small if the sum is that close above a multiple of r.
#[inline(always)]
pub fn fold<A: Arithmetic>(x: Sum) -> Limbs {
    let top = (x[4] << 32) | (x[3] >> 32);
    let (_, multiple) = product(top, RECIPROCAL);
    subtract_multiple::<A>(x, multiple)
}

/// ⌊2³¹⁸/r⌋, of 64 bits: [`fold_long`] multiplies the bits above 2²⁴⁹ by it.
const LONG_RECIPROCAL: u64 = 0x8d54_253b_7fb7_8ddf;

/// Returns the residue of a sum below 2³¹³, below 1.02·r.
///
/// The quotient is estimated as in [`fold`], from the 64 bits above 2²⁴⁹. The estimate is too small
/// by less than 2²⁴⁹/r < 0.0173, plus 64 bits times the rounding error of the reciprocal, which is
/// 0.06.
#[inline(always)]
pub fn fold_long<A: Arithmetic>(x: Sum) -> Limbs {
    let top = (x[4] << 7) | (x[3] >> 57);
    let (_, multiple) = product(top, LONG_RECIPROCAL);
    subtract_multiple::<A>(x, multiple >> 5)
}

/// Returns the sum minus this multiple of r, if the difference is in [0, 2²⁵⁶).
#[inline(always)]
fn subtract_multiple<A: Arithmetic>(x: Sum, multiple: u64) -> Limbs {
    let [(m0, h0), (l1, h1), (l2, h2), (l3, _)] = modulus_row(multiple);
    let (m1, carry) = A::add(l1, h0, 0);
    let (m2, carry) = A::add(l2, h1, carry);
    let (m3, _) = A::add(l3, h2, carry);
    let (folded, _) = sub_borrowing::<A>([x[0], x[1], x[2], x[3]], [m0, m1, m2, m3]);
    folded
}

/// sum + x.
#[inline(always)]
pub fn add<A: Arithmetic>(sum: Sum, x: Limbs) -> Sum {
    let (s0, carry) = A::add(sum[0], x[0], 0);
    let (s1, carry) = A::add(sum[1], x[1], carry);
    let (s2, carry) = A::add(sum[2], x[2], carry);
    let (s3, carry) = A::add(sum[3], x[3], carry);
    [s0, s1, s2, s3, sum[4] + u64::from(carry)]
}

/// The terms of an inner product: factors below 2²⁵⁶, each with a reduced coefficient.
pub type Terms<'a> = (&'a [Limbs], &'a [Limbs]);

/// The unreduced part of an inner product.
type Window = [u64; 6];

/// (constant + Σ aᵢ·bᵢ·2⁻²⁵⁶) mod r over both lists of terms, below
/// constant + r + Σ aᵢ·bᵢ/2²⁵⁶, which must be below 64·r.
///
/// The products are added limb by limb of their first factors, with one limb of the quotient after
/// each: six limbs hold the part that is not yet reduced.
#[inline(always)]
pub fn inner_product<A: Arithmetic>(constant: Limbs, first: Terms<'_>, second: Terms<'_>) -> Sum {
    let mut window = [0u64; 6];
    for row in 0..4 {
        add_rows::<A>(&mut window, first, row);
        add_rows::<A>(&mut window, second, row);
        window = leave::<A>(window);
    }
    add::<A>([window[0], window[1], window[2], window[3], window[4]], constant)
}

/// window += Σ a·b over the terms, with limb number `row`, 0 to 3, of each a.
#[inline(always)]
fn add_rows<A: Arithmetic>(window: &mut Window, terms: Terms<'_>, row: usize) {
    for (a, b) in terms.0.iter().zip(terms.1) {
        add_row::<A>(window, a[row], b);
    }
}

/// Adds a multiple of r that makes the low limb of the window zero, and drops that limb.
#[inline(always)]
fn leave<A: Arithmetic>(mut window: Window) -> Window {
    let quotient = quotient(window[0]).wrapping_neg();
    add_row::<A>(&mut window, quotient, &R);
    [window[1], window[2], window[3], window[4], window[5], 0]
}

/// window += factor·b.
#[inline(always)]
fn add_row<A: Arithmetic>(window: &mut Window, factor: u64, b: &Limbs) {
    let [w0, w1, w2, w3, w4, w5] = *window;
    let (l0, h0) = product(factor, b[0]);
    let (l1, h1) = product(factor, b[1]);
    let (l2, h2) = product(factor, b[2]);
    let (l3, h3) = product(factor, b[3]);
    let (w0, carry) = A::add(w0, l0, 0);
    let (w1, carry) = A::add(w1, l1, carry);
    let (w2, carry) = A::add(w2, l2, carry);
    let (w3, carry) = A::add(w3, l3, carry);
    let (h3, _) = A::add(h3, 0, carry);
    let (w1, carry) = A::add(w1, h0, 0);
    let (w2, carry) = A::add(w2, h1, carry);
    let (w3, carry) = A::add(w3, h2, carry);
    let (w4, carry) = A::add(w4, h3, carry);
    let (w5, _) = A::add(w5, 0, carry);
    *window = [w0, w1, w2, w3, w4, w5];
}

/// 2·r.
const TWICE: Limbs = {
    let [l0, l1, l2, l3] = R;
    [l0 << 1, l1 << 1 | l0 >> 63, l2 << 1 | l1 >> 63, l3 << 1 | l2 >> 63]
};

/// a·b·2⁻²⁵⁶ mod r, in (0, 1.91·r], for a below 2·r and b at most r.
#[inline(always)]
pub fn multiply<A: Arithmetic>(a: Limbs, b: Limbs) -> Limbs {
    reduce_wide::<A>(multiply_wide::<A>(a, b))
}

/// a + b modulo r, below 2·r, for a and b below 2·r.
#[inline(always)]
pub fn add_lazy<A: Arithmetic>(a: Limbs, b: Limbs) -> Limbs {
    let (sum, carry) = add_carrying::<A>(a, b);
    let (less, borrow) = sub_borrowing::<A>(sum, TWICE);
    // A carry implies a borrow: the sum is below 4·r.
    let mask = u64::from(borrow ^ carry).wrapping_neg();
    let select = |index: usize| (sum[index] & mask) | (less[index] & !mask);
    [select(0), select(1), select(2), select(3)]
}

/// a − b modulo r, below 2·r, for a and b below 2·r.
#[inline(always)]
pub fn sub_lazy<A: Arithmetic>(a: Limbs, b: Limbs) -> Limbs {
    let (difference, borrow) = sub_borrowing::<A>(a, b);
    let mask = u64::from(borrow).wrapping_neg();
    let [t0, t1, t2, t3] = TWICE;
    add_wrapping::<A>(difference, [t0 & mask, t1 & mask, t2 & mask, t3 & mask])
}

/// Returns the element whose Montgomery form is x modulo r, for x < 2·r.
#[inline(always)]
pub fn canonical<A: Arithmetic>(x: Limbs) -> Fr {
    let (reduced, borrow) = sub_borrowing::<A>(x, R);
    let mask = u64::from(borrow).wrapping_neg();
    let select = |index: usize| (x[index] & mask) | (reduced[index] & !mask);
    Fr::from_reduced([select(0), select(1), select(2), select(3)])
}
