// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Integers as little-endian arrays of 64-bit limbs, with the carry operations of the field.

/// `a + b + carry`: the low limb and the carry out (any carry in is allowed).
#[inline(always)]
pub(crate) const fn add_carry(a: u64, b: u64, carry: u64) -> (u64, u64) {
    let sum = a as u128 + b as u128 + carry as u128;
    (sum as u64, (sum >> 64) as u64)
}

/// `a − b − borrow` for `borrow` in {0, 1}: the low limb and the borrow out.
#[inline(always)]
pub(crate) const fn sub_borrow(a: u64, b: u64, borrow: u64) -> (u64, u64) {
    let difference = (a as u128).wrapping_sub(b as u128 + borrow as u128);
    (difference as u64, (difference >> 127) as u64)
}

/// `accumulator + a·b + carry`: never overflows 128 bits.
#[inline(always)]
pub(crate) const fn multiply_add(accumulator: u64, a: u64, b: u64, carry: u64) -> (u64, u64) {
    let sum = accumulator as u128 + a as u128 * b as u128 + carry as u128;
    (sum as u64, (sum >> 64) as u64)
}

/// `a − b` and the borrow out.
#[inline(always)]
pub(crate) const fn sub_limbs(a: [u64; 4], b: [u64; 4]) -> ([u64; 4], u64) {
    let (d0, borrow) = sub_borrow(a[0], b[0], 0);
    let (d1, borrow) = sub_borrow(a[1], b[1], borrow);
    let (d2, borrow) = sub_borrow(a[2], b[2], borrow);
    let (d3, borrow) = sub_borrow(a[3], b[3], borrow);
    ([d0, d1, d2, d3], borrow)
}

/// `a + b` and the carry out.
#[inline(always)]
pub(crate) const fn add_limbs(a: [u64; 4], b: [u64; 4]) -> ([u64; 4], u64) {
    let (s0, carry) = add_carry(a[0], b[0], 0);
    let (s1, carry) = add_carry(a[1], b[1], carry);
    let (s2, carry) = add_carry(a[2], b[2], carry);
    let (s3, carry) = add_carry(a[3], b[3], carry);
    ([s0, s1, s2, s3], carry)
}

/// `condition ? a : b` for `condition` in {0, 1}, without a branch.
#[inline(always)]
pub(crate) const fn select(condition: u64, a: [u64; 4], b: [u64; 4]) -> [u64; 4] {
    let mask = condition.wrapping_neg();
    [
        (a[0] & mask) | (b[0] & !mask),
        (a[1] & mask) | (b[1] & !mask),
        (a[2] & mask) | (b[2] & !mask),
        (a[3] & mask) | (b[3] & !mask),
    ]
}

/// The value modulo `modulus`, for a value below twice the modulus.
#[inline(always)]
pub(crate) const fn subtract_once(value: [u64; 4], modulus: [u64; 4]) -> [u64; 4] {
    let (reduced, borrow) = sub_limbs(value, modulus);
    select(borrow, value, reduced)
}

/// `value · 2^doublings mod modulus`, at compile time, for `value < modulus < 2²⁵⁵`.
pub(crate) const fn double_mod(value: [u64; 4], modulus: [u64; 4], doublings: u32) -> [u64; 4] {
    let mut result = value;
    let mut step = 0;
    while step < doublings {
        let (doubled, _) = add_limbs(result, result);
        result = subtract_once(doubled, modulus);
        step += 1;
    }
    result
}

/// −m⁻¹ mod 2⁶⁴ for odd `m`, by Newton's iteration (each step doubles the correct bits).
pub(crate) const fn negative_inverse_64(m: u64) -> u64 {
    let mut inverse: u64 = 1;
    let mut step = 0;
    while step < 6 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(m.wrapping_mul(inverse)));
        step += 1;
    }
    inverse.wrapping_neg()
}

/// Returns `true` if `a < b`.
pub(crate) const fn less_than(a: [u64; 4], b: [u64; 4]) -> bool {
    sub_limbs(a, b).1 == 1
}
