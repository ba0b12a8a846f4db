// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Steps on columns whose bounds the types of [`Fp`](super::Fp), [`Sum`](super::Sum) and
//! [`Wide`](super::Wide) state.

use super::super::vector::{Lanes, LANES, LIMB_BITS, LIMB_MASK};
use super::{Columns, Factors, Words, LIMBS, MODULUS_52};

/// The number of columns of a product.
pub const COLUMNS: usize = 2 * LIMBS;

/// 2⁴¹⁶ − p as limbs: the complement of the bits of p, plus one.
const COMPLEMENT: [u64; LIMBS] = {
    let mut limbs = MODULUS_52;
    let mut limb = 0;
    while limb < LIMBS {
        limbs[limb] = LIMB_MASK - limbs[limb];
        limb += 1;
    }
    // p is odd, so the lowest limb of the complement is even.
    limbs[0] += 1;
    limbs
};

/// ⌊2⁵²/(⌊p/2³⁶⁴⌋ + 1)⌋: the high half of a product by it is a quotient by p.
const RECIPROCAL: u64 = (1 << LIMB_BITS) / (MODULUS_52[LIMBS - 1] + 1);

crate::steps! {
    /// a + b, column by column.
    pub(super) fn sum<L: Lanes, const N: usize>(a: &[L; N], b: &[L; N]) -> [L; N] {
        let mut columns = *a;
        for (column, other) in columns.iter_mut().zip(b) {
            *column = column.add(*other);
        }
        columns
    }

    /// a − b, column by column.
    pub(super) fn difference<L: Lanes, const N: usize>(a: &[L; N], b: &[L; N]) -> [L; N] {
        let mut columns = *a;
        for (column, other) in columns.iter_mut().zip(b) {
            *column = column.sub(*other);
        }
        columns
    }

    /// a + offset − b, column by column.
    pub(super) fn offset_difference<L: Lanes>(
        a: &Columns<L>,
        offset: &[u64; LIMBS],
        b: &Columns<L>,
    ) -> Columns<L> {
        let mut columns = *a;
        for k in 0..LIMBS {
            columns[k] = columns[k].add(L::splat(offset[k])).sub(b[k]);
        }
        columns
    }

    /// Carries into columns in [0, 2⁵²), except the last column, which keeps its overflow.
    pub(super) fn carried<L: Lanes>(columns: &Columns<L>) -> Columns<L> {
        let mut columns = *columns;
        for k in 1..LIMBS {
            columns[k] = columns[k].add(columns[k - 1].shift_right_signed::<LIMB_BITS>());
            columns[k - 1] = columns[k - 1].and(L::splat(LIMB_MASK));
        }
        columns
    }

    /// Returns columns as the limbs of a factor. The bits above the limbs stay in their columns,
    /// since a factor has only the bits of a limb.
    pub(super) fn carried_factors<L: Lanes>(columns: &Columns<L>) -> Factors<L> {
        let mut columns = *columns;
        for k in 1..LIMBS {
            columns[k] = columns[k].add(columns[k - 1].shift_right_signed::<LIMB_BITS>());
        }
        let [a, b, c, d, e, f, g, h] = columns;
        [
            a.factor(),
            b.factor(),
            c.factor(),
            d.factor(),
            e.factor(),
            f.factor(),
            g.factor(),
            h.factor(),
        ]
    }

    /// Returns limbs as those of a factor.
    pub(super) fn factors_of_limbs<L: Lanes>(limbs: &Columns<L>) -> Factors<L> {
        let [a, b, c, d, e, f, g, h] = limbs;
        [
            a.factor_of_limb(),
            b.factor_of_limb(),
            c.factor_of_limb(),
            d.factor_of_limb(),
            e.factor_of_limb(),
            f.factor_of_limb(),
            g.factor_of_limb(),
            h.factor_of_limb(),
        ]
    }

    /// Returns a congruent number in [0, 2p], in 16 products of limbs.
    ///
    /// Let v be the sum plus p, so that the quotient is not negative. The columns are below 2⁶², so
    /// the top column differs from ⌊v/2³⁶⁴⌋ by less than 2¹⁰. Subtract 2¹¹ and multiply by the
    /// reciprocal: the high half q, rounded down, is not above the quotient of v by p, and below it
    /// by less than 1.04, since 2¹¹ and twice 2¹⁰ are below 0.04·p/2³⁶⁴. If high halves are rounded
    /// to the nearest, half of p/2³⁶⁴ is subtracted too, which lowers q by at least a half and less
    /// than 0.51. v − q·p is v + q·(2⁴¹⁶ − p) modulo 2⁴¹⁶.
    pub(super) fn reduced<L: Lanes>(columns: &Columns<L>) -> Columns<L> {
        let offset = if L::NEAREST { (1 << 11) + MODULUS_52[LIMBS - 1] / 2 + 1 } else { 1 << 11 };
        let mut columns = *columns;
        let top = columns[LIMBS - 1].add(L::splat(MODULUS_52[LIMBS - 1].wrapping_sub(offset)));
        let mut quotient = L::without_bias(0, 1);
        L::multiply_add_high(&mut quotient, top.factor(), L::splat_factor(RECIPROCAL));
        let quotient = quotient.factor();
        for k in 0..LIMBS {
            let start = L::splat(MODULUS_52[k]).add(L::without_bias(1, u64::from(k > 0)));
            columns[k] = columns[k].add(start);
        }
        for k in 0..LIMBS - 1 {
            let (lower, upper) = columns.split_at_mut(k + 1);
            let complement = L::splat_factor(COMPLEMENT[k]);
            L::multiply_add(&mut lower[k], &mut upper[0], quotient, complement);
        }
        let complement = L::splat_factor(COMPLEMENT[LIMBS - 1]);
        L::multiply_add_low(&mut columns[LIMBS - 1], quotient, complement);
        let mut limbs = carried(&columns);
        limbs[LIMBS - 1] = limbs[LIMBS - 1].and(L::splat(LIMB_MASK));
        limbs
    }

    /// Returns the congruent number in [0, p), for a number in [0, 2p].
    pub(super) fn below_modulus<L: Lanes>(limbs: &Columns<L>) -> Columns<L> {
        let mut less = *limbs;
        for k in 0..LIMBS {
            less[k] = less[k].sub(L::splat(MODULUS_52[k]));
        }
        let less = carried(&less);
        let sign = less[LIMBS - 1];
        let mut result = less;
        for k in 0..LIMBS {
            result[k] = sign.select_by_sign(limbs[k], less[k]);
        }
        result
    }

    /// Loads lane `i` of each column from lane `i` of `sources[i]`.
    pub(super) fn gathered<L: Lanes>(sources: [&[[u64; LANES]; LIMBS]; LANES]) -> Columns<L> {
        let mut columns = [L::splat(0); LIMBS];
        for (limb, column) in columns.iter_mut().enumerate() {
            let mut values = [0; LANES];
            for lane in 0..LANES {
                values[lane] = sources[lane][limb][lane];
            }
            *column = L::load(&values);
        }
        columns
    }

    /// Converts six words per lane to limbs.
    pub(super) fn of_words<L: Lanes>(numbers: [&Words; LANES]) -> Columns<L> {
        let mut words = [[0; LANES]; 6];
        for lane in 0..LANES {
            for word in 0..6 {
                words[word][lane] = numbers[lane][word];
            }
        }
        let mut limbs = [L::splat(0); LIMBS];
        for (limb, value) in limbs.iter_mut().enumerate() {
            let (word, shift) = (limb * 52 / 64, limb * 52 % 64);
            let upper = if word + 1 < 6 { L::load(&words[word + 1]) } else { L::splat(0) };
            *value = joined(L::load(&words[word]), upper, shift);
        }
        limbs
    }
}

/// Returns 52 bits, which begin at bit `shift` of the lower word.
#[inline(always)]
fn joined<L: Lanes>(lower: L, upper: L, shift: usize) -> L {
    // The shift instruction needs a constant, hence a const generic.
    match shift {
        0 => lower,
        52 => lower.shift_right::<52>().add(upper.shift_left::<12>()),
        40 => lower.shift_right::<40>().add(upper.shift_left::<24>()),
        28 => lower.shift_right::<28>().add(upper.shift_left::<36>()),
        16 => lower.shift_right::<16>().add(upper.shift_left::<48>()),
        4 => lower.shift_right::<4>(),
        56 => lower.shift_right::<56>().add(upper.shift_left::<8>()),
        _ => lower.shift_right::<44>().add(upper.shift_left::<20>()),
    }
    .and(L::splat(LIMB_MASK))
}
