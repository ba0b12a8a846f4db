// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The field element and its ring operations.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::iter::Sum;
use std::marker::PhantomData;
use std::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use super::limbs::{add_carry, add_limbs, multiply_add, select, sub_limbs, subtract_once};
use super::Modulus;

/// An element of the prime field of `M`: x·2²⁵⁶ mod p, always in [0, p).
pub struct Field<M: Modulus> {
    pub(super) limbs: [u64; 4],
    modulus: PhantomData<M>,
}

impl<M: Modulus> Field<M> {
    /// The neutral element of addition.
    pub const ZERO: Self = Self::from_reduced([0; 4]);
    /// The neutral element of multiplication.
    pub const ONE: Self = Self::from_reduced(M::R);

    /// Wraps Montgomery limbs that the caller knows to be in [0, p).
    #[inline(always)]
    pub(crate) const fn from_reduced(limbs: [u64; 4]) -> Self {
        Self { limbs, modulus: PhantomData }
    }

    /// The Montgomery limbs x·2²⁵⁶ mod p, least significant first.
    #[inline(always)]
    pub const fn montgomery_limbs(&self) -> [u64; 4] {
        self.limbs
    }

    /// Returns `true` if the element is zero.
    pub fn is_zero(&self) -> bool {
        self.limbs == [0; 4]
    }

    /// 2·self.
    #[inline(always)]
    #[must_use]
    pub fn double(&self) -> Self {
        *self + *self
    }

    /// self², with the symmetric products computed once (10 limb products instead of 16).
    #[inline(always)]
    #[must_use]
    pub fn square(&self) -> Self {
        Self::from_reduced(reduce_wide::<M>(square_wide(self.limbs)))
    }

    /// self^exponent, exponent least significant limb first. The time depends only on the exponent.
    #[must_use]
    pub fn pow(&self, exponent: &[u64]) -> Self {
        let mut result = Self::ONE;
        for limb in exponent.iter().rev() {
            for bit in (0..64).rev() {
                result = result.square();
                if (limb >> bit) & 1 == 1 {
                    result *= *self;
                }
            }
        }
        result
    }
}

/// a·b as eight limbs.
#[inline(always)]
pub(super) const fn multiply_wide(a: [u64; 4], b: [u64; 4]) -> [u64; 8] {
    let mut product = [0u64; 8];
    let mut row = 0;
    while row < 4 {
        let mut carry = 0;
        let mut column = 0;
        while column < 4 {
            let (limb, next) = multiply_add(product[row + column], a[row], b[column], carry);
            product[row + column] = limb;
            carry = next;
            column += 1;
        }
        product[row + 4] = carry;
        row += 1;
    }
    product
}

/// a² as eight limbs: the products above the diagonal once, doubled, then the squares.
#[inline(always)]
const fn square_wide(a: [u64; 4]) -> [u64; 8] {
    let (l1, c) = multiply_add(0, a[0], a[1], 0);
    let (l2, c) = multiply_add(0, a[0], a[2], c);
    let (l3, l4) = multiply_add(0, a[0], a[3], c);
    let (l3, c) = multiply_add(l3, a[1], a[2], 0);
    let (l4, l5) = multiply_add(l4, a[1], a[3], c);
    let (l5, l6) = multiply_add(l5, a[2], a[3], 0);
    let off_diagonal = [0, l1, l2, l3, l4, l5, l6, 0];
    let mut result = [0u64; 8];
    let mut carry = 0;
    let mut shifted_out = 0;
    let mut index = 0;
    while index < 4 {
        let square = a[index] as u128 * a[index] as u128;
        let (low, high) = (off_diagonal[2 * index], off_diagonal[2 * index + 1]);
        let (limb, next) = add_carry((low << 1) | shifted_out, square as u64, carry);
        result[2 * index] = limb;
        let (limb, next) = add_carry((high << 1) | (low >> 63), (square >> 64) as u64, next);
        result[2 * index + 1] = limb;
        shifted_out = high >> 63;
        carry = next;
        index += 1;
    }
    result
}

/// Montgomery reduction, T·2⁻²⁵⁶ mod p, for T < p·2²⁵⁶ (Montgomery 1985, REDC, by limbs).
#[inline(always)]
pub(super) const fn reduce_wide<M: Modulus>(wide: [u64; 8]) -> [u64; 4] {
    let p = M::VALUE;
    let mut t = wide;
    // Carry out of limb `round + 4`; it is at most 1 and the value stays below 2p·2²⁵⁶.
    let mut carry_high = 0;
    let mut round = 0;
    while round < 4 {
        let quotient = t[round].wrapping_mul(M::NEGATIVE_INVERSE);
        let (_, carry) = multiply_add(t[round], quotient, p[0], 0);
        let (l1, carry) = multiply_add(t[round + 1], quotient, p[1], carry);
        let (l2, carry) = multiply_add(t[round + 2], quotient, p[2], carry);
        let (l3, carry) = multiply_add(t[round + 3], quotient, p[3], carry);
        let (l4, carry) = add_carry(t[round + 4], carry, carry_high);
        t[round + 1] = l1;
        t[round + 2] = l2;
        t[round + 3] = l3;
        t[round + 4] = l4;
        carry_high = carry;
        round += 1;
    }
    subtract_once([t[4], t[5], t[6], t[7]], p)
}

/// a·b·2⁻²⁵⁶ mod p for a, b in [0, p): product and reduction interleaved by limbs (CIOS).
/// The modulus' top bit is 0, so no limb beyond the fifth is needed between two rows.
#[inline(always)]
pub(super) const fn multiply_montgomery<M: Modulus>(a: [u64; 4], b: [u64; 4]) -> [u64; 4] {
    let p = M::VALUE;
    let mut t = [0u64; 4];
    let mut row = 0;
    while row < 4 {
        let (l0, carry) = multiply_add(t[0], a[row], b[0], 0);
        let (l1, carry) = multiply_add(t[1], a[row], b[1], carry);
        let (l2, carry) = multiply_add(t[2], a[row], b[2], carry);
        let (l3, top) = multiply_add(t[3], a[row], b[3], carry);
        let quotient = l0.wrapping_mul(M::NEGATIVE_INVERSE);
        let (_, carry) = multiply_add(l0, quotient, p[0], 0);
        let (r0, carry) = multiply_add(l1, quotient, p[1], carry);
        let (r1, carry) = multiply_add(l2, quotient, p[2], carry);
        let (r2, carry) = multiply_add(l3, quotient, p[3], carry);
        t = [r0, r1, r2, top.wrapping_add(carry)];
        row += 1;
    }
    subtract_once(t, p)
}

impl<M: Modulus> Add for Field<M> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let (sum, _) = add_limbs(self.limbs, other.limbs);
        Self::from_reduced(subtract_once(sum, M::VALUE))
    }
}

impl<M: Modulus> Sub for Field<M> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        let (difference, borrow) = sub_limbs(self.limbs, other.limbs);
        let (wrapped, _) = add_limbs(difference, M::VALUE);
        Self::from_reduced(select(borrow, wrapped, difference))
    }
}

impl<M: Modulus> Neg for Field<M> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::ZERO - self
    }
}

impl<M: Modulus> Mul for Field<M> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self::from_reduced(multiply_montgomery::<M>(self.limbs, other.limbs))
    }
}

impl<M: Modulus> AddAssign for Field<M> {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl<M: Modulus> SubAssign for Field<M> {
    #[inline(always)]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl<M: Modulus> MulAssign for Field<M> {
    #[inline(always)]
    fn mul_assign(&mut self, other: Self) {
        *self = *self * other;
    }
}

impl<M: Modulus> Sum for Field<M> {
    fn sum<I: Iterator<Item = Self>>(terms: I) -> Self {
        terms.fold(Self::ZERO, |sum, term| sum + term)
    }
}

impl<M: Modulus> From<u64> for Field<M> {
    fn from(value: u64) -> Self {
        Self::from_reduced(multiply_montgomery::<M>([value, 0, 0, 0], M::R_SQUARED))
    }
}

// A derive would require the same traits of the modulus type; these do not.
impl<M: Modulus> Copy for Field<M> {}
impl<M: Modulus> Clone for Field<M> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<M: Modulus> PartialEq for Field<M> {
    fn eq(&self, other: &Self) -> bool {
        self.limbs == other.limbs
    }
}
impl<M: Modulus> Eq for Field<M> {}
impl<M: Modulus> Hash for Field<M> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.limbs.hash(state);
    }
}
impl<M: Modulus> Default for Field<M> {
    fn default() -> Self {
        Self::ZERO
    }
}
impl<M: Modulus> fmt::Debug for Field<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({self})", M::NAME)
    }
}
