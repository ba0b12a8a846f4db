// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Fp2 = Fp\[u\]/(u² + 1), one element per lane, and its unreduced products.

use halimede_arith::lanes::bls12_381::{reduced_pair, Fp, Term, Wide};
use halimede_arith::lanes::{Lanes, LANES};
use halimede_arith::outlined;

/// The bound of products.
pub const REDUCED: u64 = 3;
/// The largest bound of a factor: sums of two are then below the largest sum.
pub const LARGEST: u64 = 255;
/// The maximum number of products in the sums of this module before they are reduced.
pub const WIDEST: u32 = 126;

/// c₀ + c₁u, each in [0, B·p].
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Fp2<L, const B: u64>(pub [Fp<L, B>; 2]);

/// An unreduced sum of at most N products in each part.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Wide2<L, const N: u32>(pub [Wide<L, N>; 2]);

impl<L: Lanes> Fp2<L, 1> {
    /// Returns 1 in each lane.
    #[inline(always)]
    pub fn one() -> Self {
        Self([Fp::one(), Fp::zero()])
    }
}

impl<L: Lanes, const A: u64> Fp2<L, A> {
    /// Returns 0 in each lane.
    #[inline(always)]
    pub fn zero() -> Self {
        Self([Fp::zero(); 2])
    }

    /// Returns the same element as a type with a larger bound.
    #[inline(always)]
    pub fn widened<const C: u64>(self) -> Fp2<L, C> {
        Fp2([self.0[0].widened(), self.0[1].widened()])
    }

    /// As [`Self::widened`], to the largest bound and in place.
    #[inline(always)]
    fn widest(&self) -> &Fp2<L, LARGEST> {
        let parts: &[Fp<L, LARGEST>; 2] = Fp::all_widened(&self.0);
        // SAFETY: `Fp2` is a transparent wrapper.
        unsafe { &*std::ptr::from_ref(parts).cast() }
    }

    /// self + other.
    #[inline(always)]
    pub fn plus<const B: u64, const C: u64>(&self, other: &Fp2<L, B>) -> Fp2<L, C> {
        let ([a0, a1], [b0, b1]) = (&self.0, &other.0);
        Fp2([a0.plus::<_, C>(b0).carried(), a1.plus::<_, C>(b1).carried()])
    }

    /// self − other.
    #[inline(always)]
    pub fn minus<const B: u64, const C: u64>(&self, other: &Fp2<L, B>) -> Fp2<L, C> {
        let ([a0, a1], [b0, b1]) = (&self.0, &other.0);
        Fp2([a0.minus::<_, C>(b0).carried(), a1.minus::<_, C>(b1).carried()])
    }

    /// −self.
    #[inline(always)]
    pub fn negated(&self) -> Self {
        Self([self.0[0].negated::<A>().carried(), self.0[1].negated::<A>().carried()])
    }

    /// c₀ − c₁u.
    #[inline(always)]
    pub fn conjugate(&self) -> Self {
        Self([self.0[0], self.0[1].negated::<A>().carried()])
    }

    /// FACTOR·self.
    #[inline(always)]
    pub fn times<const FACTOR: u64, const C: u64>(&self) -> Fp2<L, C> {
        let [c0, c1] = &self.0;
        Fp2([c0.times::<FACTOR, C>().carried(), c1.times::<FACTOR, C>().carried()])
    }

    /// ξ·self for ξ = 1 + u.
    #[inline(always)]
    pub fn times_xi<const C: u64>(&self) -> Fp2<L, C> {
        let [c0, c1] = &self.0;
        Fp2([c0.minus::<_, C>(c1).carried(), c0.plus::<_, C>(c1).carried()])
    }

    /// Returns a congruent number in [0, 2p] for each part.
    #[inline(always)]
    pub fn reduced(&self) -> Fp2<L, 2> {
        Fp2([self.0[0].sum::<A>().reduced(), self.0[1].sum::<A>().reduced()])
    }

    /// Returns negative signs where the element is 0.
    #[inline(always)]
    pub fn zero_signs(&self) -> L {
        self.0[0].zero_signs().and(self.0[1].zero_signs())
    }

    /// Returns `negative` in the lanes with a negative sign, self in the others.
    #[inline(always)]
    pub fn replaced_by_sign(&self, signs: L, negative: &Self) -> Self {
        let ([a0, a1], [b0, b1]) = (&self.0, &negative.0);
        Self([a0.replaced_by_sign(signs, b0), a1.replaced_by_sign(signs, b1)])
    }

    /// Returns the element of lane `number` in every lane.
    #[inline(always)]
    pub fn broadcast(&self, number: usize) -> Self {
        Self([self.0[0].broadcast(number), self.0[1].broadcast(number)])
    }

    /// Moves elements between lanes ([`Lanes::permuted`]).
    #[inline(always)]
    pub fn permuted<const SOURCES: u32>(&self) -> Self {
        Self([self.0[0].permuted::<SOURCES>(), self.0[1].permuted::<SOURCES>()])
    }

    /// Returns `other` in the lanes of MASK, and self in the others ([`Lanes::with_lanes`]).
    #[inline(always)]
    pub fn with_lanes<const MASK: u8>(&self, other: &Self) -> Self {
        let ([a0, a1], [b0, b1]) = (&self.0, &other.0);
        Self([a0.with_lanes::<MASK>(b0), a1.with_lanes::<MASK>(b1)])
    }

    /// Returns `true` for the lanes that are 0.
    #[inline(always)]
    pub fn is_zero(&self) -> [bool; LANES] {
        let [mut zero, imaginary] = [self.0[0].is_zero(), self.0[1].is_zero()];
        for (zero, other) in zero.iter_mut().zip(imaginary) {
            *zero &= other;
        }
        zero
    }

    /// Returns self·other, unreduced.
    #[inline(always)]
    pub fn wide_product<const B: u64>(&self, other: &Fp2<L, B>) -> Wide2<L, 3> {
        wide_product(self.widest(), other.widest())
    }

    /// Returns self², unreduced.
    #[inline(always)]
    pub fn wide_square(&self) -> Wide2<L, 1> {
        wide_square(self.widest())
    }

    /// self·other.
    #[inline(always)]
    pub fn product<const B: u64>(&self, other: &Fp2<L, B>) -> Fp2<L, REDUCED> {
        reduce(self.wide_product(other).widest())
    }

    /// self².
    #[inline(always)]
    pub fn square(&self) -> Fp2<L, REDUCED> {
        reduce(self.wide_square().widest())
    }

    /// Returns self times an element of Fp.
    #[inline(always)]
    pub fn scaled<const B: u64>(&self, factor: &Fp<L, B>) -> Fp2<L, REDUCED> {
        let [factor] = Fp::all_widened(std::array::from_ref(factor));
        reduce(wide_scaled(self.widest(), factor).widest())
    }
}

impl<L: Lanes, const N: u32> Wide2<L, N> {
    /// Returns 0 in each lane, for sums that are computed column by column.
    #[inline(always)]
    pub fn zero() -> Self {
        Self([Wide::zero(); 2])
    }

    /// Returns the same sum in place, as the type that `reduce` takes.
    #[inline(always)]
    pub fn widest(&self) -> &Wide2<L, WIDEST> {
        let parts: &[Wide<L, WIDEST>; 2] = Wide::all_widened(&self.0);
        // SAFETY: `Wide2` is a transparent wrapper.
        unsafe { &*std::ptr::from_ref(parts).cast() }
    }

    /// self + other.
    #[inline(always)]
    pub fn plus<const M: u32, const K: u32>(&self, other: &Wide2<L, M>) -> Wide2<L, K> {
        Wide2([self.0[0].plus(&other.0[0]), self.0[1].plus(&other.0[1])])
    }

    /// self − other.
    #[inline(always)]
    pub fn minus<const M: u32, const K: u32>(&self, other: &Wide2<L, M>) -> Wide2<L, K> {
        Wide2([self.0[0].minus(&other.0[0]), self.0[1].minus(&other.0[1])])
    }

    /// ξ·self.
    #[inline(always)]
    pub fn times_xi<const K: u32>(&self) -> Wide2<L, K> {
        let [real, imaginary] = &self.0;
        Wide2([real.minus(imaginary), real.plus(imaginary)])
    }

    /// FACTOR·self.
    #[inline(always)]
    pub fn times<const FACTOR: u64, const K: u32>(&self) -> Wide2<L, K> {
        Wide2([self.0[0].times::<FACTOR, K>(), self.0[1].times::<FACTOR, K>()])
    }
}

/// Multiplies two elements by Karatsuba: 3 products in Fp.
#[inline(always)]
fn products<L: Lanes>(a: &Fp2<L, LARGEST>, b: &Fp2<L, LARGEST>) -> Wide2<L, 3> {
    let ([a0, a1], [b0, b1]) = (&a.0, &b.0);
    let low = a0.factor().product(&b0.factor());
    let high = a1.factor().product(&b1.factor());
    let both = low.plus::<1, 2>(&high);
    let real = low.minus::<1, 3>(&high);
    let sums = (a0.plus::<_, 510>(a1).factor(), b0.plus::<_, 510>(b1).factor());
    Wide2([real, sums.0.product(&sums.1).minus(&both)])
}

/// Returns (c₀ + c₁)(c₀ − c₁) + 2c₀c₁u.
#[inline(always)]
fn squares<L: Lanes>(a: &Fp2<L, LARGEST>) -> Wide2<L, 1> {
    let [a0, a1] = &a.0;
    let (sum, difference) = (a0.plus::<_, 510>(a1).factor(), a0.minus::<_, 510>(a1).factor());
    let twice = a0.times::<2, 510>().factor();
    Wide2([sum.product(&difference), twice.product(&a1.factor())])
}

outlined! {
    fn wide_product<L: Lanes>(a: &Fp2<L, LARGEST>, b: &Fp2<L, LARGEST>) -> Wide2<L, 3> {
        products(a, b)
    }

    fn wide_square<L: Lanes>(a: &Fp2<L, LARGEST>) -> Wide2<L, 1> {
        squares(a)
    }

    fn wide_scaled<L: Lanes>(a: &Fp2<L, LARGEST>, factor: &Fp<L, LARGEST>) -> Wide2<L, 1> {
        let factor = factor.factor();
        Wide2([a.0[0].factor().product(&factor), a.0[1].factor().product(&factor)])
    }

    /// Divides the sum by 2⁴¹⁶, modulo p, into `result`.
    pub fn reduce_into<L: Lanes>(result: &mut Fp2<L, REDUCED>, wide: &Wide2<L, WIDEST>) {
        *result = Fp2(reduced_pair(&wide.0[0], &wide.0[1]));
    }

    /// Returns the sum divided by 2⁴¹⁶, modulo p.
    pub fn reduce<L: Lanes>(wide: &Wide2<L, WIDEST>) -> Fp2<L, REDUCED> {
        Fp2(reduced_pair(&wide.0[0], &wide.0[1]))
    }
}
