// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The power in Fp from which square roots are computed, of two elements per lane.
//!
//! With e = (p − 3)/4, an element a and r = aᵉ: a·r² is 1 if a is a square and −1 if it is not (0
//! for 0). So a·r is a root of a or of −a, and ±r is its reciprocal.

use halimede_arith::lanes::bls12_381::{reduced_pair, Fp};
use halimede_arith::lanes::Lanes;
use halimede_arith::outlined;

use super::curve::{Coordinates, OverFp};

/// The elements of two points per lane.
pub type Two<L> = [Fp<L, 3>; 2];

outlined! {
    /// Returns a^(2ⁿ).
    fn squared_times<L: Lanes>(a: &Two<L>, n: u32) -> Two<L> {
        let mut result = *a;
        for _ in 0..n {
            result = reduced_pair(&result[0].factor().square(), &result[1].factor().square());
        }
        result
    }

    /// Returns a^(|x|/2¹⁶) for the curve parameter |x| = 1101001000000001₂·2⁴⁸ + 2¹⁶.
    fn power_by_upper_x<L: Lanes>(a: &Two<L>) -> Two<L> {
        let mut result = *a;
        for n in [1, 2, 3, 9, 32] {
            result = then(&result, n, a);
        }
        result
    }

    /// Returns a^((p − 3)/4) in 383 squarings and 47 multiplications, using
    /// p = (u + 1)²(u⁴ − u² + 1)/3 − u for u = |x|.
    ///
    /// With m = (u − 2)/3, v = u/4 and t = mv + ⌊m/4⌋, h = (u + 1)²/3 is 4(mv + m) + 3, and e is
    /// (u + 1)(u − 1)·uv·h + t. In binary, m is 100011₂, nine zeros, sixteen times 01₂, eight times
    /// 10₂; ⌊m/4⌋ is an intermediate result.
    pub fn power<L: Lanes>(a: &Two<L>) -> Two<L> {
        let a2 = squares(a);
        let a3 = products(&a2, a);
        let a5 = products(&a3, &a2);
        let a85 = then(&a5, 4, &a5);
        let mut quarter = then(a, 5, &a3);
        for n in [17, 8, 8, 8, 7] {
            quarter = then(&quarter, n, &a85);
        }
        quarter = squares(&then(&then(&quarter, 4, &a5), 2, a));
        let m = squares(&then(&quarter, 1, a));
        let mv = squared_times(&power_by_upper_x(&m), 14);
        let t = products(&mv, &quarter);
        let h = then(&products(&mv, &m), 2, &a3);
        let more = then(&power_by_upper_x(&h), 16, &h);
        // u − 1 is u/2⁴⁸, 32 zeros and sixteen ones.
        let c3 = then(&more, 1, &more);
        let c15 = then(&c3, 2, &c3);
        let mut less = more;
        for n in [1, 2, 3, 9] {
            less = then(&less, n, &more);
        }
        for n in [36, 4, 4, 4] {
            less = then(&less, n, &c15);
        }
        let by_v = squared_times(&power_by_upper_x(&less), 14);
        then(&power_by_upper_x(&by_v), 16, &t)
    }
}

/// Returns a·b.
#[inline(always)]
pub fn products<L: Lanes, const A: u64, const B: u64>(
    a: &[Fp<L, A>; 2],
    b: &[Fp<L, B>; 2],
) -> Two<L> {
    <OverFp as Coordinates<L>>::product(a, b)
}

/// Returns a².
#[inline(always)]
pub fn squares<L: Lanes, const A: u64>(a: &[Fp<L, A>; 2]) -> Two<L> {
    <OverFp as Coordinates<L>>::square(a)
}

/// Returns a^(2ⁿ)·b.
#[inline(always)]
fn then<L: Lanes>(a: &Two<L>, n: u32, b: &Two<L>) -> Two<L> {
    products(&squared_times(a, n), b)
}
