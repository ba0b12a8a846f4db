// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One element of Fp12 over all lanes, for products of few pairings: with one element per lane,
//! most lanes would be empty.
//!
//! Fp12 is Fp2\[w\]/(w⁶ − ξ). Lane k of a [`Spread`] holds the coefficient of wᵏ. In `cyclotomic`,
//! lanes hold the parts of Fp4 instead, so that one instruction does the eight products of a square
//! in Fp4.

use blst::blst_fp12;
use halimede_arith::lanes::bls12_381::{reduced_pair, Term, Wide};
use halimede_arith::lanes::{Lanes, LANES};
use halimede_arith::outlined;

use super::final_exponentiation::{Chain, Frobenius};
use super::fp12::Line;
use super::fp2::{Fp2, REDUCED};
use super::transfer::{load_fp2, store_fp2};

mod cyclotomic;
mod kernels;

pub use kernels::{final_exponentiation, miller_product, miller_product_at_lines, LinesAt};
#[cfg(test)]
pub(super) use kernels::{FinalExponentiation, MillerProduct, MillerProductAtLines};

/// The coefficient of wᵏ in lane k. The last two lanes have no meaning.
#[derive(Clone, Copy, Debug)]
pub struct Spread<L>(Fp2<L, REDUCED>);

/// The bound of ξ times a coefficient.
const TIMES_XI: u64 = 2 * REDUCED;

/// Unreduced sums of N products each: of real parts, of imaginary parts, and of their sums.
struct Sums<L, const N: u32>([Wide<L, N>; 3]);

impl<L: Lanes, const N: u32> Sums<L, N> {
    #[inline(always)]
    fn plus<const M: u32>(&self, other: &Sums<L, 1>) -> Sums<L, M> {
        let ([a, b, c], [d, e, f]) = (&self.0, &other.0);
        Sums([a.plus(d), b.plus(e), c.plus(f)])
    }
}

/// Returns the three products of Karatsuba.
#[inline(always)]
fn products<L: Lanes, const A: u64, const B: u64>(a: &Fp2<L, A>, b: &Fp2<L, B>) -> Sums<L, 1> {
    let ([a0, a1], [b0, b1]) = (&a.0, &b.0);
    let sums = (a0.plus::<_, 12>(a1).factor(), b0.plus::<_, 156>(b1).factor());
    Sums([
        a0.factor().product(&b0.factor()),
        a1.factor().product(&b1.factor()),
        sums.0.product(&sums.1),
    ])
}

/// The coefficients of wʲ·f: those of f move by j lanes, and those that leave at the end come back
/// at the start, times ξ.
macro_rules! rotated {
    ($f:expr, $times_xi:expr, $sources:literal, $mask:literal) => {
        $f.permuted::<$sources>()
            .widened::<TIMES_XI>()
            .with_lanes::<$mask>(&$times_xi.permuted::<$sources>())
    };
}

/// Reduces the sums of at most six products to the coefficients.
#[inline(always)]
fn reduced<L: Lanes, const N: u32>(sums: &Sums<L, N>) -> Spread<L> {
    let [real, imaginary, both] = &sums.0;
    let difference = real.minus::<_, 12>(imaginary);
    let rest = both.minus::<_, 18>(&real.plus::<_, 12>(imaginary));
    Spread(Fp2(reduced_pair(&difference, &rest)))
}

outlined! {
    /// Computes f = f·b: Σⱼ bⱼ·wʲf, in 18 products of eight lanes.
    fn multiply<L: Lanes>(f: &mut Spread<L>, b: &Spread<L>) {
        let (f0, b, xi) = (f.0, &b.0, f.0.times_xi::<TIMES_XI>());
        let sums = products(&f0, &b.broadcast(0));
        let f1 = rotated!(f0, xi, 0x5012_3467, 0b00_0001);
        let sums = sums.plus::<2>(&products(&f1, &b.broadcast(1)));
        let f2 = rotated!(f0, xi, 0x4501_2367, 0b00_0011);
        let sums = sums.plus::<3>(&products(&f2, &b.broadcast(2)));
        let f3 = rotated!(f0, xi, 0x3450_1267, 0b00_0111);
        let sums = sums.plus::<4>(&products(&f3, &b.broadcast(3)));
        let f4 = rotated!(f0, xi, 0x2345_0167, 0b00_1111);
        let sums = sums.plus::<5>(&products(&f4, &b.broadcast(4)));
        let f5 = rotated!(f0, xi, 0x1234_5067, 0b01_1111);
        *f = reduced(&sums.plus::<6>(&products(&f5, &b.broadcast(5))));
    }

    /// Computes f times the line of lane `number`: c₀ + c₁w² + c₂w³.
    fn multiply_by_line<L: Lanes>(f: &mut Spread<L>, line: &Line<L>, number: usize) {
        let (f0, xi) = (f.0, f.0.times_xi::<TIMES_XI>());
        let sums = products(&f0, &line.c0.broadcast(number));
        let f2 = rotated!(f0, xi, 0x4501_2367, 0b00_0011);
        let sums = sums.plus::<2>(&products(&f2, &line.c1.broadcast(number)));
        let f3 = rotated!(f0, xi, 0x3450_1267, 0b00_0111);
        *f = reduced(&sums.plus::<3>(&products(&f3, &line.c2.broadcast(number))));
    }
}

/// Computes f = f².
#[inline(always)]
fn square<L: Lanes>(f: &mut Spread<L>) {
    let factor = *f;
    multiply(f, &factor);
}

impl<L: Lanes> Spread<L> {
    /// Returns 1.
    #[inline(always)]
    fn one() -> Self {
        let zero = Fp2::<L, REDUCED>::zero();
        Self(zero.with_lanes::<1>(&Fp2::one().widened()))
    }

    #[inline(always)]
    fn load(number: &blst_fp12) -> Self {
        let mut coefficients = [&number.fp6[0].fp2[0]; LANES];
        for (power, coefficient) in coefficients.iter_mut().enumerate().take(6) {
            *coefficient = &number.fp6[power % 2].fp2[power / 2];
        }
        Self(load_fp2(coefficients))
    }

    #[inline(always)]
    fn store(&self) -> blst_fp12 {
        let (coefficients, mut number) = (store_fp2(&self.0), blst_fp12::default());
        for (power, coefficient) in coefficients.into_iter().enumerate().take(6) {
            number.fp6[power % 2].fp2[power / 2] = coefficient;
        }
        number
    }
}

impl<L: Lanes> Chain<L> for Spread<L> {
    type Space = ();

    #[inline(always)]
    fn conjugate(&self) -> Self {
        // w⁶ is in Fp2, and conjugation maps w to −w.
        Self(self.0.with_lanes::<0b10_1010>(&self.0.negated()))
    }

    #[inline(always)]
    fn multiply(&mut self, other: &Self, (): &mut ()) {
        multiply(self, other);
    }

    #[inline(always)]
    fn squared_times(&self, count: u32) -> Self {
        cyclotomic::squared_times(self, count)
    }

    #[inline(always)]
    fn frobenius(&self, power: usize, constants: &Frobenius) -> Self {
        let [a, b, c, d, e, f] = &constants[power - 1];
        let constants = load_fp2::<L>([a, b, c, d, e, f, f, f]);
        let mapped = if power == 1 { self.0.conjugate() } else { self.0 };
        Self(mapped.product(&constants))
    }
}
