// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The field of the curve secp256k1, p = 2²⁵⁶ − 2³² − 977, with one element per lane.
//!
//! Elements are not in Montgomery form: 2²⁶⁰ is 16·(2³² + 977) modulo p, so the upper half of a
//! product is folded onto the lower half with one row of half products.
//!
//! A value is any number congruent to the element. *Limbs* are columns in [0, 2⁵²); the value is
//! below 2²⁶⁰, sixteen times p. The result of a product is *reduced*: limbs of a value below 2²⁵⁶ +
//! 2²¹⁴. Sums and differences are computed column by column and then carried. [`difference`] adds a
//! given multiple of p, which must cover the bounds of its operands.

use super::element::{
    add_product, add_square, halves, limbs_52, Columns, Factors, ProductSum, Wide, LIMBS,
};
use super::vector::{Lanes, LIMB_BITS, LIMB_MASK};

#[cfg(test)]
mod tests;

/// p, least significant limb first.
pub const MODULUS: [u64; 4] = [0xffff_fffe_ffff_fc2f, u64::MAX, u64::MAX, u64::MAX];

/// 2²⁵⁶ − p.
const COMPLEMENT: u64 = MODULUS[0].wrapping_neg();

/// p as limbs of 52 bits.
const MODULUS_52: [u64; LIMBS] = limbs_52(MODULUS);

/// The bits of the top limb of a number below 2²⁵⁶.
const TOP_BITS: u32 = 48;

/// a·b mod p, reduced, for a·b below 2⁵²⁰.
#[inline(always)]
pub fn multiply<L: Lanes>(a: &Factors<L>, b: &Factors<L>) -> Columns<L> {
    carry(multiply_loose(a, b))
}

crate::large_steps! {
    /// a·b mod p like [`multiply`], but in columns below 2⁵⁸: for [`sum`] and differences, which
    /// carry.
    pub fn multiply_loose<L: Lanes>(a: &Factors<L>, b: &Factors<L>) -> Columns<L> {
        reduce(sum_of_products([(a, b)]))
    }
}

/// a² mod p, reduced, for a below 2²⁶⁰.
#[inline(always)]
pub fn square<L: Lanes>(a: &Factors<L>) -> Columns<L> {
    carry(square_loose(a))
}

crate::large_steps! {
    /// a² mod p like [`square`], but in columns below 2⁵⁸.
    pub fn square_loose<L: Lanes>(a: &Factors<L>) -> Columns<L> {
        reduce(add_square(start(1), a))
    }
}

crate::large_steps! {
    /// a·b + c·d mod p, reduced, for a·b + c·d below 2⁵²⁰: one reduction for both products.
    pub fn multiply_add<L: Lanes>(
        a: &Factors<L>,
        b: &Factors<L>,
        c: &Factors<L>,
        d: &Factors<L>,
    ) -> Columns<L> {
        carry(reduce(sum_of_products([(a, b), (c, d)])))
    }
}

/// The sum of at most [`MOST_PRODUCTS`] products.
#[inline(always)]
fn sum_of_products<L: Lanes, const N: usize>(pairs: [(&Factors<L>, &Factors<L>); N]) -> Wide<L> {
    let mut columns = start(N as u64);
    if !L::SPLIT_SUMS {
        for (a, b) in pairs {
            add_product(&mut columns, a, b);
        }
        return columns;
    }
    let mut sum = ProductSum::new();
    for (a, b) in pairs {
        sum.add_product(a, b);
    }
    sum.added_to(columns)
}

/// The initial columns of a sum of `products` products that is then reduced: without the biases of
/// the products, and in the lower columns without those of [`reduce`]. With
/// [`Vector::NEAREST`](super::Vector::NEAREST) they include [`POSITIVE`], so that no column of the
/// sum is negative.
#[inline(always)]
fn start<L: Lanes>(products: u64) -> Wide<L> {
    let mut columns = [L::splat(0); 2 * LIMBS];
    for (column, value) in columns.iter_mut().enumerate() {
        let (low, high) = (halves(column), halves(column.wrapping_sub(1)));
        let (more_low, more_high) = reduction_halves::<L>(column);
        *value = L::without_bias(products * low + more_low, products * high + more_high);
        if L::NEAREST {
            *value = value.add(L::splat(POSITIVE[column]));
        }
    }
    columns
}

/// Returns the numbers of low and of high halves that [`reduce`] adds to one of the lower columns.
#[inline(always)]
fn reduction_halves<L: Lanes>(column: usize) -> (u64, u64) {
    if column >= LIMBS {
        return (0, 0);
    }
    // The row of the upper columns, and the top of the result.
    let (low, high) = (1 + u64::from(column == 0), u64::from(column > 0) + u64::from(column == 1));
    // The overflows, of which one is left after a carry.
    let overflow = u64::from(column > 0 && !L::NEAREST);
    (low + overflow, high)
}

/// The largest number of products of a sum.
const MOST_PRODUCTS: u64 = 2;

/// A multiple of p whose columns outweigh the negative low halves of a sum of [`MOST_PRODUCTS`]
/// products and of the two rows that [`reduce`] adds. It is 2²⁶⁰·p, below 2⁵¹⁶.
const POSITIVE: [u64; 2 * LIMBS] = {
    // 2²⁶⁰·p: the limbs of p, five limbs further.
    let mut columns = [0; 2 * LIMBS];
    let mut limb = 0;
    while limb < LIMBS {
        columns[LIMBS + limb] = MODULUS_52[limb];
        limb += 1;
    }
    // Each column takes units from the next one, whose unit is 2⁵².
    let units = (5 * MOST_PRODUCTS + 2) / 2;
    let mut column = 2 * LIMBS - 1;
    while column > 0 {
        columns[column] -= units;
        columns[column - 1] += units << LIMB_BITS;
        column -= 1;
    }
    columns
};

/// T mod p, reduced except that columns are below 2⁵⁸, for T below 2⁵²⁰ in columns below 2⁵⁷.
///
/// The upper five columns are H = ⌊T/2²⁶⁰⌋, without the carry of the lower ones. H·(2²⁶⁰ mod p) is
/// added to the lower columns: the low 52 bits of each upper column, and its overflow one column
/// further, so that nothing waits for a carry. Where products take more instructions
/// ([`Vector::NEAREST`](super::Vector::NEAREST)), the overflows are carried first. 2²⁵⁶ is folded
/// without the carry of the lower columns into the last one. That carry is below 2⁶, so the result
/// is below 2²⁵⁶ + 2²¹⁴.
#[inline(always)]
fn reduce<L: Lanes>(t: Wide<L>) -> Columns<L> {
    let fold = L::splat_factor(COMPLEMENT << 4);
    // The last overflow has a low half, and the row a high half.
    let mut low = [t[0], t[1], t[2], t[3], t[4], L::without_bias(1, 1)];
    let mut upper = [t[5], t[6], t[7], t[8], t[9]];
    if L::NEAREST {
        for limb in 1..LIMBS {
            upper[limb] = upper[limb].add(upper[limb - 1].shift_right::<LIMB_BITS>());
        }
    }
    let [u0, u1, u2, u3, u4] = upper;
    let row = [u0.factor(), u1.factor(), u2.factor(), u3.factor(), u4.factor()];
    L::add_row(&mut low, fold, &row);
    for limb in if L::NEAREST { LIMBS - 1 } else { 0 }..LIMBS {
        let beyond = upper[limb].shift_right::<LIMB_BITS>().factor();
        L::multiply_add_low(&mut low[limb + 1], beyond, fold);
    }
    // 42 bits; times 2²⁵⁶ − p it is below 2⁷⁵.
    let [mut c0, mut c1, c2, c3, c4, high] = low;
    let top = c4.shift_right::<TOP_BITS>().add(high.shift_left::<4>());
    L::multiply_add(&mut c0, &mut c1, top.factor(), L::splat_factor(COMPLEMENT));
    [c0, c1, c2, c3, c4.and(L::splat((1 << TOP_BITS) - 1))]
}

/// Converts columns to limbs. No column except the last is negative, so that a shift without a sign
/// serves, which AVX2 has.
#[inline(always)]
fn carry<L: Lanes>(mut columns: Columns<L>) -> Columns<L> {
    for limb in 1..LIMBS {
        columns[limb] = columns[limb].add(columns[limb - 1].shift_right::<LIMB_BITS>());
        columns[limb - 1] = columns[limb - 1].and(L::splat(LIMB_MASK));
    }
    columns
}

/// The columns of `multiple`·p, of which all except the last outweigh three columns below 2⁵⁸.
const fn outweighing(multiple: u64) -> [u64; LIMBS] {
    const UNITS: u64 = 1 << 8;
    let mut columns = MODULUS_52;
    let mut limb = 0;
    while limb < LIMBS {
        columns[limb] *= multiple;
        if limb + 1 < LIMBS {
            columns[limb] += UNITS << LIMB_BITS;
        }
        if limb > 0 {
            columns[limb] -= UNITS;
        }
        limb += 1;
    }
    columns
}

/// Converts limbs to a factor.
#[inline(always)]
pub fn factors<L: Lanes>(limbs: &Columns<L>) -> Factors<L> {
    let [a, b, c, d, e] = *limbs;
    [
        a.factor_of_limb(),
        b.factor_of_limb(),
        c.factor_of_limb(),
        d.factor_of_limb(),
        e.factor_of_limb(),
    ]
}

/// Returns the sum of all terms as limbs, for a sum below 2²⁶⁰.
#[inline(always)]
pub fn sum<L: Lanes, const TERMS: usize>(terms: [&Columns<L>; TERMS]) -> Columns<L> {
    let mut columns = *terms[0];
    for term in &terms[1..] {
        for (column, addend) in columns.iter_mut().zip(*term) {
            *column = column.add(*addend);
        }
    }
    carry(columns)
}

/// Returns `multiple`·p + a − b as limbs. It must be in [0, 2²⁶⁰): b is below a + `multiple`·p.
#[inline(always)]
pub fn difference<L: Lanes>(multiple: u64, a: &Columns<L>, b: &Columns<L>) -> Columns<L> {
    let mut columns = *a;
    for (limb, column) in columns.iter_mut().enumerate() {
        *column = column.add(L::splat(outweighing(multiple)[limb])).sub(b[limb]);
    }
    carry(columns)
}

/// Returns `multiple`·p + a − b − 2c as limbs, with a bound like that of [`difference`].
#[inline(always)]
pub fn difference_of_three<L: Lanes>(
    multiple: u64,
    a: &Columns<L>,
    b: &Columns<L>,
    c: &Columns<L>,
) -> Columns<L> {
    let mut columns = *a;
    for (limb, column) in columns.iter_mut().enumerate() {
        let twice = c[limb].add(c[limb]);
        *column = column.add(L::splat(outweighing(multiple)[limb])).sub(b[limb]).sub(twice);
    }
    carry(columns)
}

crate::steps! {
    /// Returns the element in [0, p), for limbs of any value below 2²⁶⁰.
    pub fn canonical<L: Lanes>(limbs: &Columns<L>) -> Columns<L> {
        let top_mask = L::splat((1 << TOP_BITS) - 1);
        let mut folded = *limbs;
        let top = folded[LIMBS - 1].shift_right::<TOP_BITS>();
        folded[0] = folded[0].add(L::without_bias(1, 0));
        L::multiply_add_low(&mut folded[0], top.factor(), L::splat_factor(COMPLEMENT));
        folded[LIMBS - 1] = folded[LIMBS - 1].and(top_mask);
        // Below 2²⁵⁶ + 2³⁷, so below 2p. It is at least p if the sum with 2²⁵⁶ − p reaches 2²⁵⁶.
        let folded = carry(folded);
        let mut above = folded;
        above[0] = above[0].add(L::splat(COMPLEMENT));
        let above = carry(above);
        let is_less = above[LIMBS - 1].sub(L::splat(1 << TOP_BITS));
        let mut result = above;
        result[LIMBS - 1] = result[LIMBS - 1].and(top_mask);
        for limb in 0..LIMBS {
            result[limb] = is_less.select_by_sign(folded[limb], result[limb]);
        }
        result
    }
}

/// Returns the lanes whose element is 0 modulo p, for limbs of any value below 2²⁶⁰.
#[inline(always)]
pub fn is_zero<L: Lanes>(limbs: &Columns<L>) -> [bool; super::LANES] {
    // The limbs of a number in [0, p) are not negative: their sum is 0 only if all limbs are 0.
    let [a, b, c, d, e] = canonical(limbs);
    let sums = a.add(b).add(c).add(d).add(e).store();
    let mut zero = [false; super::LANES];
    for (zero, sum) in zero.iter_mut().zip(sums) {
        *zero = sum == 0;
    }
    zero
}
