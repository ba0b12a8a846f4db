// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A cheap reduction of sums: subtracts an estimate of the quotient times p.

#![allow(clippy::needless_range_loop)] // one index runs through several arrays

use super::element::{carry, Columns, LaneModulus, LIMBS};
use super::vector::{Lanes, LIMB_BITS};

/// The bits of p that the estimate uses: the highest ones.
const LEADING_BITS: u32 = 6;
/// The bits of the fraction of 1/p.
const FRACTION_BITS: u32 = 24;

/// The lowest bit of the last limb that the estimate uses, for a prime of 254 and of 255 bits.
const SHIFT_254: u32 = 254 - 208 - LEADING_BITS;
const SHIFT_255: u32 = 255 - 208 - LEADING_BITS;

/// Returns 2²⁰⁸⁺`shift`/p·2^[`FRACTION_BITS`], rounded down, at most 2⁻⁵⁸ of itself too small.
const fn reciprocal<M: LaneModulus>(shift: u32) -> u64 {
    let power = 1u128 << (208 + shift + FRACTION_BITS - 192);
    (power / (M::VALUE[3] as u128 + 1)) as u64
}

crate::steps! {
    /// Returns a congruent number in [0, 1.1·p) of a number in [0, 2¹²·p), for a prime of 254 or
    /// 255 bits. The columns of the argument are signed and below 2⁶². It costs eleven half
    /// products.
    ///
    /// The number minus q·p, where q is an estimate of the quotient that is never too large. The
    /// missing low bits of the number change the estimate by at most 2⁻⁵, and the missing bits of
    /// 1/p by at most 2¹⁸·2⁻²⁴.
    pub fn reduce_below<L: Lanes; M: LaneModulus>(columns: Columns<L>) -> Columns<L> {
        let mut rest = carry(columns);
        let top = rest[LIMBS - 1];
        let (leading, factor) = match M::BITS {
            255 => (top.shift_right::<SHIFT_255>(), const { reciprocal::<M>(SHIFT_255) }),
            _ => (top.shift_right::<SHIFT_254>(), const { reciprocal::<M>(SHIFT_254) }),
        };
        let mut estimate = L::without_bias(1, 0);
        L::multiply_add_low(&mut estimate, leading.factor(), L::splat_factor(factor));
        let quotient = estimate.shift_right::<FRACTION_BITS>().factor();
        let mut multiple = [L::without_bias(1, 1); LIMBS + 1];
        multiple[0] = L::without_bias(1, 0);
        multiple[LIMBS] = L::without_bias(0, 1);
        for limb in 0..LIMBS {
            let (lower, upper) = multiple.split_at_mut(limb + 1);
            let prime = L::splat_factor(M::LIMBS_52[limb]);
            L::multiply_add(&mut lower[limb], &mut upper[0], quotient, prime);
        }
        for limb in 0..LIMBS {
            rest[limb] = rest[limb].sub(multiple[limb]);
        }
        rest[LIMBS - 1] = rest[LIMBS - 1].sub(multiple[LIMBS].shift_left::<LIMB_BITS>());
        rest
    }
}
