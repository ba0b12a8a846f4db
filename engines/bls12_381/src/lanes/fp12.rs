// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Fp6 = Fp2\[v\]/(v³ − ξ) and Fp12 = Fp6\[w\]/(w² − v), ξ = 1 + u, one element per lane.
//!
//! Products in Fp2 are added before they are reduced: a product in Fp12 takes 54 products and 12
//! reductions in Fp (Aranha, Karabina, Longa, Gebotys, López: "Faster explicit formulas for
//! computing pairings over ordinary curves", 2011).

use halimede_arith::lanes::bls12_381::COLUMNS;
use halimede_arith::lanes::Lanes;
use halimede_arith::outlined;

use super::fp2::{reduce_into, Fp2, Wide2, REDUCED, WIDEST};

/// c₀ + c₁v + c₂v², a part of an element of Fp12.
pub type Fp6<L> = [Fp2<L, REDUCED>; 3];

/// The maximum number of products in a part of an unreduced product in Fp6.
const WIDE_6: u32 = 21;

/// An unreduced element of Fp6.
type Wide6<L> = [Wide2<L, WIDE_6>; 3];

/// a + bw, with coefficients in the range of products.
#[derive(Clone, Copy, Debug)]
pub struct Fp12<L>(pub [Fp6<L>; 2]);

/// Space for unreduced numbers. Create it once: filling it with zeros takes as long as several
/// products.
pub struct Workspace<L> {
    low: Wide6<L>,
    high: Wide6<L>,
    sums: Wide6<L>,
    wide: Wide2<L, WIDEST>,
}

impl<L: Lanes> Workspace<L> {
    /// Creates an empty workspace.
    #[inline(always)]
    pub fn new() -> Self {
        let empty = [Wide2::zero(); 3];
        Self { low: empty, high: empty, sums: empty, wide: Wide2::zero() }
    }
}

/// The largest bound of a sum that is a factor in Fp6.
const SUM_6: u64 = 9;

#[inline(always)]
fn sum_6<L: Lanes, const B: u64>(a: &Fp6<L>, b: &[Fp2<L, B>; 3]) -> [Fp2<L, SUM_6>; 3] {
    [a[0].plus(&b[0]), a[1].plus(&b[1]), a[2].plus(&b[2])]
}

impl<L: Lanes> Fp12<L> {
    /// Returns 1 in each lane.
    #[inline(always)]
    pub fn one() -> Self {
        let zero = Fp2::zero();
        Self([[Fp2::one().widened(), zero, zero], [zero; 3]])
    }

    /// Returns a − bw, the conjugate over Fp6: the inverse of an element of norm 1.
    #[inline(always)]
    pub fn conjugate(&self) -> Self {
        let [a, b] = &self.0;
        Self([*a, [b[0].negated(), b[1].negated(), b[2].negated()]])
    }
}

/// Adds v·b to a, or subtracts it, column by column: b₂ξ + b₀v + b₁v².
macro_rules! with_v_times {
    ($a:expr, $operation:ident, $b:expr, $coefficient:expr, $column:expr, $count:literal) => {{
        let shifted = &$b[($coefficient + 2) % 3].0;
        let (real, imaginary) = (shifted[0].column($column), shifted[1].column($column));
        if $coefficient == 0 {
            let xi = (real.minus::<_, 42>(imaginary), real.plus::<_, 42>(imaginary));
            ($a.0.$operation::<_, $count>(xi.0), $a.1.$operation::<_, $count>(xi.1))
        } else {
            ($a.0.$operation::<_, $count>(real), $a.1.$operation::<_, $count>(imaginary))
        }
    }};
}

outlined! {
    /// Computes a·b by Karatsuba: 6 products in Fp2.
    fn wide_product_6<L: Lanes, const A: u64, const B: u64>(
        result: &mut Wide6<L>,
        a: &[Fp2<L, A>; 3],
        b: &[Fp2<L, B>; 3],
    ) {
        let v0 = a[0].wide_product(&b[0]);
        let v1 = a[1].wide_product(&b[1]);
        let v2 = a[2].wide_product(&b[2]);
        let s12 = a[1].plus::<_, 18>(&a[2]).wide_product(&b[1].plus::<_, 18>(&b[2]));
        let s01 = a[0].plus::<_, 18>(&a[1]).wide_product(&b[0].plus::<_, 18>(&b[1]));
        let s02 = a[0].plus::<_, 18>(&a[2]).wide_product(&b[0].plus::<_, 18>(&b[2]));
        for k in 0..COLUMNS {
            let v0 = [v0.0[0].column(k), v0.0[1].column(k)];
            let v1 = [v1.0[0].column(k), v1.0[1].column(k)];
            let v2 = [v2.0[0].column(k), v2.0[1].column(k)];
            // a₀b₀ + ξ((a₁ + a₂)(b₁ + b₂) − a₁b₁ − a₂b₂)
            let d0 = s12.0[0].column(k).minus::<_, 6>(v1[0]).minus::<_, 9>(v2[0]);
            let d1 = s12.0[1].column(k).minus::<_, 6>(v1[1]).minus::<_, 9>(v2[1]);
            result[0].0[0].set_column(k, v0[0].plus::<_, 12>(d0).minus::<_, 21>(d1));
            result[0].0[1].set_column(k, v0[1].plus::<_, 12>(d0).plus::<_, 21>(d1));
            // (a₀ + a₁)(b₀ + b₁) − a₀b₀ − a₁b₁ + ξa₂b₂
            let d0 = s01.0[0].column(k).minus::<_, 6>(v0[0]).minus::<_, 9>(v1[0]);
            let d1 = s01.0[1].column(k).minus::<_, 6>(v0[1]).minus::<_, 9>(v1[1]);
            result[1].0[0].set_column(k, d0.plus::<_, 12>(v2[0]).minus::<_, 15>(v2[1]));
            result[1].0[1].set_column(k, d1.plus::<_, 12>(v2[0]).plus::<_, 15>(v2[1]));
            // (a₀ + a₂)(b₀ + b₂) − a₀b₀ − a₂b₂ + a₁b₁
            let d0 = s02.0[0].column(k).minus::<_, 6>(v0[0]).minus::<_, 9>(v2[0]);
            let d1 = s02.0[1].column(k).minus::<_, 6>(v0[1]).minus::<_, 9>(v2[1]);
            result[2].0[0].set_column(k, d0.plus::<_, 12>(v1[0]));
            result[2].0[1].set_column(k, d1.plus::<_, 12>(v1[1]));
        }
    }

    /// Computes a·(b₀ + b₁v): 5 products in Fp2.
    fn wide_product_by_two<L: Lanes, const A: u64, const B: u64>(
        result: &mut Wide6<L>,
        a: &[Fp2<L, A>; 3],
        b0: &Fp2<L, LINE>,
        b1: &Fp2<L, B>,
    ) {
        let v0 = a[0].wide_product(b0);
        let v1 = a[1].wide_product(b1);
        let s12 = a[1].plus::<_, 18>(&a[2]).wide_product(b1);
        let s01 = a[0].plus::<_, 18>(&a[1]).wide_product(&b0.plus::<_, 84>(b1));
        let s02 = a[0].plus::<_, 18>(&a[2]).wide_product(b0);
        for k in 0..COLUMNS {
            let v0 = [v0.0[0].column(k), v0.0[1].column(k)];
            let v1 = [v1.0[0].column(k), v1.0[1].column(k)];
            // a₀b₀ + ξa₂b₁
            let d0 = s12.0[0].column(k).minus::<_, 6>(v1[0]);
            let d1 = s12.0[1].column(k).minus::<_, 6>(v1[1]);
            result[0].0[0].set_column(k, v0[0].plus::<_, 9>(d0).minus::<_, 15>(d1));
            result[0].0[1].set_column(k, v0[1].plus::<_, 9>(d0).plus::<_, 15>(d1));
            // (a₀ + a₁)(b₀ + b₁) − a₀b₀ − a₁b₁
            let d0 = s01.0[0].column(k).minus::<_, 6>(v0[0]);
            let d1 = s01.0[1].column(k).minus::<_, 6>(v0[1]);
            result[1].0[0].set_column(k, d0.minus::<_, 9>(v1[0]));
            result[1].0[1].set_column(k, d1.minus::<_, 9>(v1[1]));
            // a₂b₀ + a₁b₁
            let d0 = s02.0[0].column(k).minus::<_, 6>(v0[0]);
            let d1 = s02.0[1].column(k).minus::<_, 6>(v0[1]);
            result[2].0[0].set_column(k, d0.plus::<_, 9>(v1[0]));
            result[2].0[1].set_column(k, d1.plus::<_, 9>(v1[1]));
        }
    }

    /// Computes c₁v·a: 3 products in Fp2.
    fn wide_product_by_v<L: Lanes>(result: &mut Wide6<L>, a: &Fp6<L>, c1: &Fp2<L, REDUCED>) {
        let last = a[2].wide_product(c1);
        let (first, second) = (a[0].wide_product(c1), a[1].wide_product(c1));
        for k in 0..COLUMNS {
            let (real, imaginary) = (last.0[0].column(k), last.0[1].column(k));
            result[0].0[0].set_column(k, real.minus::<_, 6>(imaginary));
            result[0].0[1].set_column(k, real.plus::<_, 6>(imaginary));
            for part in 0..2 {
                result[1].0[part].set_column(k, first.0[part].column(k));
                result[2].0[part].set_column(k, second.0[part].column(k));
            }
        }
    }

    /// Computes f = (low + v·high) + (sums − low − high)w.
    fn join<L: Lanes>(f: &mut Fp12<L>, space: &mut Workspace<L>) {
        let Workspace { low, high, sums, wide } = space;
        for coefficient in 0..3 {
            let parts = &low[coefficient].0;
            for k in 0..COLUMNS {
                let low = (parts[0].column(k), parts[1].column(k));
                let (real, imaginary) = with_v_times!(low, plus, high, coefficient, k, 63);
                wide.0[0].set_column(k, real);
                wide.0[1].set_column(k, imaginary);
            }
            reduce_into(&mut f.0[0][coefficient], wide);
        }
        for coefficient in 0..3 {
            for part in 0..2 {
                let (low, high) = (&low[coefficient].0[part], &high[coefficient].0[part]);
                let sum = &sums[coefficient].0[part];
                for k in 0..COLUMNS {
                    let rest = sum.column(k).minus::<_, 42>(low.column(k));
                    wide.0[part].set_column(k, rest.minus::<_, 63>(high.column(k)));
                }
            }
            reduce_into(&mut f.0[1][coefficient], wide);
        }
    }

    /// Computes f = f·b.
    pub fn multiply<L: Lanes>(f: &mut Fp12<L>, b: &Fp12<L>, space: &mut Workspace<L>) {
        let ([a0, a1], [b0, b1]) = (&f.0, &b.0);
        wide_product_6(&mut space.low, a0, b0);
        wide_product_6(&mut space.high, a1, b1);
        wide_product_6(&mut space.sums, &sum_6(a0, a1), &sum_6(b0, b1));
        join(f, space);
    }

    /// Computes f = f² as (a + b)(a + vb) − ab − vab + 2abw, in 36 products in Fp.
    pub fn square<L: Lanes>(f: &mut Fp12<L>, space: &mut Workspace<L>) {
        let [a, b] = &f.0;
        wide_product_6(&mut space.low, a, b);
        let shifted = [b[2].times_xi::<6>(), b[0].widened(), b[1].widened()];
        wide_product_6(&mut space.sums, &sum_6(a, b), &sum_6(a, &shifted));
        let Workspace { low, sums, wide, .. } = space;
        for coefficient in 0..3 {
            let (parts, products) = (&sums[coefficient].0, &low[coefficient].0);
            for k in 0..COLUMNS {
                let rest = (
                    parts[0].column(k).minus::<_, 42>(products[0].column(k)),
                    parts[1].column(k).minus::<_, 42>(products[1].column(k)),
                );
                let (real, imaginary) = with_v_times!(rest, minus, low, coefficient, k, 84);
                wide.0[0].set_column(k, real);
                wide.0[1].set_column(k, imaginary);
            }
            reduce_into(&mut f.0[0][coefficient], wide);
            for k in 0..COLUMNS {
                wide.0[0].set_column(k, products[0].column(k).times::<2, 42>());
                wide.0[1].set_column(k, products[1].column(k).times::<2, 42>());
            }
            reduce_into(&mut f.0[1][coefficient], wide);
        }
    }

    /// Computes f = f·(c₀ + c₁v + c₂vw), the product with a line, in 39 products in Fp.
    pub fn multiply_by_line<L: Lanes>(f: &mut Fp12<L>, line: &Line<L>, space: &mut Workspace<L>) {
        let ([a, b], Line { c0, c1, c2 }) = (&f.0, line);
        wide_product_by_two(&mut space.low, a, c0, c1);
        wide_product_by_v(&mut space.high, b, c2);
        wide_product_by_two(&mut space.sums, &sum_6(a, b), c0, &c1.plus::<_, 6>(c2));
        join(f, space);
    }
}

/// Returns a·b in Fp6.
#[inline(always)]
pub fn product_6<L: Lanes>(a: &Fp6<L>, b: &Fp6<L>, space: &mut Workspace<L>) -> Fp6<L> {
    wide_product_6(&mut space.low, a, b);
    let mut result = *a;
    for (part, wide) in result.iter_mut().zip(&space.low) {
        reduce_into(part, wide.widest());
    }
    result
}

/// The largest bound of a line's constant coefficient.
pub const LINE: u64 = 78;

/// A line through points of the twist, evaluated at a point of the curve: c₀ + c₁v + c₂vw.
#[derive(Clone, Copy, Debug)]
pub struct Line<L> {
    pub c0: Fp2<L, LINE>,
    pub c1: Fp2<L, REDUCED>,
    pub c2: Fp2<L, REDUCED>,
}
