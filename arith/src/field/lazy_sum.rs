// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sums of small multiples of elements, reduced once at the end.

use std::marker::PhantomData;

use super::arithmetic::Field;
use super::limbs::{add_carry, multiply_add, sub_borrow, sub_limbs, subtract_once};
use super::Modulus;

/// Bits of the modulus that the quotient estimate looks at.
const TOP_BITS: u32 = 58;

/// A sum Σ kᵢ·xᵢ of reduced elements, kept as an integer. The kᵢ may be negative; their
/// magnitudes sum to at most [`LazySum::LIMIT`] = 63, so that the integer stays below 64·p.
#[derive(Clone, Copy, Debug)]
pub struct LazySum<M: Modulus> {
    limbs: [u64; 5],
    modulus: PhantomData<M>,
}

impl<M: Modulus> LazySum<M> {
    /// Largest sum of the magnitudes of the multiples.
    pub const LIMIT: u64 = 63;

    /// The empty sum.
    pub const ZERO: Self = Self { limbs: [0; 5], modulus: PhantomData };

    /// A sum that the caller has computed: an integer below 64·p.
    #[inline(always)]
    pub(super) fn from_limbs(limbs: [u64; 5]) -> Self {
        Self { limbs, modulus: PhantomData }
    }

    /// self + x.
    #[inline(always)]
    #[must_use]
    pub fn plus(self, x: &Field<M>) -> Self {
        let [l0, l1, l2, l3, l4] = self.limbs;
        let (l0, carry) = add_carry(l0, x.limbs[0], 0);
        let (l1, carry) = add_carry(l1, x.limbs[1], carry);
        let (l2, carry) = add_carry(l2, x.limbs[2], carry);
        let (l3, carry) = add_carry(l3, x.limbs[3], carry);
        Self { limbs: [l0, l1, l2, l3, l4 + carry], modulus: PhantomData }
    }

    /// self + k·x; a negative k adds |k|·(p − x).
    #[inline(always)]
    #[must_use]
    pub fn plus_multiple(self, k: i64, x: &Field<M>) -> Self {
        let addend = if k < 0 { sub_limbs(M::VALUE, x.limbs).0 } else { x.limbs };
        let factor = k.unsigned_abs();
        let [l0, l1, l2, l3, l4] = self.limbs;
        let (l0, carry) = multiply_add(l0, factor, addend[0], 0);
        let (l1, carry) = multiply_add(l1, factor, addend[1], carry);
        let (l2, carry) = multiply_add(l2, factor, addend[2], carry);
        let (l3, carry) = multiply_add(l3, factor, addend[3], carry);
        Self { limbs: [l0, l1, l2, l3, l4 + carry], modulus: PhantomData }
    }

    /// Returns the sum modulo p. Let v be the integer, and s such that p/2ˢ has 58 bits. Since v <
    /// 64·p, q = ⌊⌊v/2ˢ⌋ / (⌊p/2ˢ⌋ + 1)⌋ is the quotient or one less, and one conditional
    /// subtraction corrects it.
    #[inline(always)]
    pub fn reduce(self) -> Field<M> {
        let shift = M::BITS - TOP_BITS - 192; // of limb 3: moduli have 251 to 255 bits
        let divisor = (M::VALUE[3] >> shift) + 1;
        let top = (self.limbs[3] >> shift) | (self.limbs[4] << (64 - shift));
        let quotient = top / divisor;
        let p = M::VALUE;
        let (m0, carry) = multiply_add(0, quotient, p[0], 0);
        let (m1, carry) = multiply_add(0, quotient, p[1], carry);
        let (m2, carry) = multiply_add(0, quotient, p[2], carry);
        let (m3, _) = multiply_add(0, quotient, p[3], carry);
        // The difference lies in [0, 2p), so limb 4 of both cancels.
        let (d0, borrow) = sub_borrow(self.limbs[0], m0, 0);
        let (d1, borrow) = sub_borrow(self.limbs[1], m1, borrow);
        let (d2, borrow) = sub_borrow(self.limbs[2], m2, borrow);
        let (d3, _) = sub_borrow(self.limbs[3], m3, borrow);
        Field::from_reduced(subtract_once([d0, d1, d2, d3], p))
    }
}
