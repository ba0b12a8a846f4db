// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Squares in the cyclotomic subgroup, as in [`super::super::cyclotomic`]: three squares in Fp4,
//! each with its eight products in one register.

use halimede_arith::lanes::bls12_381::{
    reduced_pair_of_sums, Column, Fp, Sum, Term, Wide, COLUMNS,
};
use halimede_arith::lanes::Lanes;
use halimede_arith::outlined;

use super::super::fp2::{Fp2, REDUCED};
use super::Spread;

/// The bound of sums without carry propagation: columns of four products.
const LOOSE: u64 = 40;

/// A number of Fp12 as pairs (z, z′) of coefficients, that is elements z + z′s of Fp4 with s² = ξ:
/// those of w⁰ and w³ in lanes 0 to 3 of the first element, w¹ and w⁴ in lanes 4 to 7, and w² and
/// w⁵ in both halves of the second. Even lanes have real parts.
struct Pairs<L>([Fp<L, REDUCED>; 2]);

impl<L: Lanes> Pairs<L> {
    #[inline(always)]
    fn of(number: &Spread<L>) -> Self {
        let Fp2([real, imaginary]) = &number.0;
        let first = real.permuted::<0x0033_1144>();
        let second = real.permuted::<0x2255_2255>();
        Self([
            first.with_lanes::<0b1010_1010>(&imaginary.permuted::<0x0033_1144>()),
            second.with_lanes::<0b1010_1010>(&imaginary.permuted::<0x2255_2255>()),
        ])
    }

    #[inline(always)]
    fn spread(&self) -> Spread<L> {
        let [first, second] = &self.0;
        let real = first.permuted::<0x0402_6000>();
        let imaginary = first.permuted::<0x1513_7111>();
        Spread(Fp2([
            real.with_lanes::<0b10_0100>(&second.permuted::<0x0000_0200>()),
            imaginary.with_lanes::<0b10_0100>(&second.permuted::<0x1111_1311>()),
        ]))
    }
}

/// Returns the products for the square of a + bs, from elements whose lanes are
/// a₀ a₀ b₀ b₀ a₀ a₁ a₀ a₁, a₁ a₀ b₁ b₀ a₀ a₁ a₀ a₁ and a₀ a₁ b₀ b₁ b₀ b₁ b₁ b₀:
/// a₀² − a₁², 2a₀a₁, b₀² − b₁², 2b₀b₁, 2a₀b₀, −2a₁b₁, 2a₀b₁, 2a₁b₀.
#[inline(always)]
fn products<L: Lanes>(a: &Fp<L, REDUCED>, b: &Fp<L, REDUCED>, c: &Fp<L, REDUCED>) -> Wide<L, 1> {
    let factor = c.sum::<6>().with_lanes::<0b00_0101>(&c.minus(b));
    let factor = factor.with_lanes::<0b10_0000>(&c.negated());
    a.plus::<_, 6>(b).factor().product(&factor.factor())
}

/// Returns the columns of 2ab and a² + ξb² of two squares: those of the first square in the lower
/// lanes; of the second, ξ·2ab and a² + ξb² in the upper ones.
#[inline(always)]
fn both<L: Lanes>(low: Column<L, 1>, high: Column<L, 1>) -> Column<L, 4> {
    const UPPER: u8 = 0b1111_0000;
    let a = low.permuted::<0x0146_0000>().with_lanes::<UPPER>(high.permuted::<0x0000_4401>());
    let b = low.permuted::<0x2257_0000>().with_lanes::<UPPER>(high.permuted::<0x0000_5522>());
    let c = low.permuted::<0x3333_3333>().with_lanes::<UPPER>(high.permuted::<0x0000_6633>());
    let c = c.with_lanes::<0b0000_1100>(Column::zero());
    let d = Column::zero().with_lanes::<0b0011_0000>(high.permuted::<0x7777_7777>());
    let (sum, signed) = (a.plus::<_, 2>(b), c.plus::<_, 2>(d));
    sum.plus(signed).with_lanes::<0b0101_0001>(sum.minus(signed))
}

/// Returns the columns of a² + ξb² and 2ab, twice.
#[inline(always)]
fn one<L: Lanes>(square: Column<L, 1>) -> Column<L, 3> {
    let c = square.permuted::<0x3333_3333>().with_lanes::<0b1100_1100>(Column::zero());
    let sum = square.permuted::<0x0146_0146>().plus::<_, 2>(square.permuted::<0x2257_2257>());
    sum.plus(c).with_lanes::<0b0001_0001>(sum.minus(c))
}

/// Returns 3t − 2z in the lanes of MASK, and 3t + 2z in the others.
#[inline(always)]
fn combined<L: Lanes, const MASK: u8>(t: &Sum<L, LOOSE>, z: &Fp<L, REDUCED>) -> Fp<L, REDUCED> {
    let (t, z) = (t.times::<3, 120>(), z.times::<2, 6>());
    t.plus::<_, 126>(&z).with_lanes::<MASK>(&t.minus(&z)).reduced().widened()
}

outlined! {
    /// Squares the number in place.
    fn square<L: Lanes>(number: &mut Pairs<L>) {
        let [z, y] = &number.0;
        let of_03 = products(
            &z.permuted::<0x0022_0101>(),
            &z.permuted::<0x1032_0101>(),
            &z.permuted::<0x0123_2332>(),
        );
        let of_14 = products(
            &z.permuted::<0x4466_4545>(),
            &z.permuted::<0x5476_4545>(),
            &z.permuted::<0x4567_6776>(),
        );
        let of_25 = products(
            &y.permuted::<0x0022_0101>(),
            &y.permuted::<0x1032_0101>(),
            &y.permuted::<0x0123_2332>(),
        );
        let (mut first, mut second) = (Wide::<L, 4>::zero(), Wide::<L, 3>::zero());
        for k in 0..COLUMNS {
            first.set_column(k, both(of_03.column(k), of_25.column(k)));
            second.set_column(k, one(of_14.column(k)));
        }
        let [t, s] = reduced_pair_of_sums(&first, &second);
        number.0 = [combined::<L, 0b1100_0011>(&t, z), combined::<L, 0b0011_0011>(&s, y)];
    }
}

/// Returns f^(2ⁿ) for f in the cyclotomic subgroup.
#[inline(always)]
pub fn squared_times<L: Lanes>(f: &Spread<L>, n: u32) -> Spread<L> {
    let mut number = Pairs::of(f);
    for _ in 0..n {
        square(&mut number);
    }
    number.spread()
}
