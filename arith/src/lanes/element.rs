// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One field element per lane: five limbs of 52 bits, Montgomery form with R' = 2²⁶⁰.
//!
//! An element is any integer congruent to x·2²⁶⁰, not necessarily the smallest; each function
//! states its ranges. *Columns* are the coefficients of a number in powers of 2⁵², signed and of up
//! to 63 bits; `carried` converts them to limbs. A half of a product is below 2⁵² and a column
//! receives at most nine halves of a product, so the sum of 200 products and their reduction fits.

#![allow(clippy::needless_range_loop)] // one index runs through several arrays

use super::vector::{Constants, Lanes, Vector, LIMB_BITS, LIMB_MASK};
use crate::field::{Bls12381Scalar, Bn254Scalar, Modulus, PallasBase, StarkPrime, VestaBase};

/// The number of limbs of an element.
pub const LIMBS: usize = 5;

/// Coefficients cₖ of the number Σ cₖ·2⁵²ᵏ.
pub type Columns<L> = [L; LIMBS];
/// The columns of a product or of a sum of products.
pub type Wide<L> = [L; 2 * LIMBS];
/// An element as a factor of a product.
pub type Factors<L> = [<L as Vector>::Factor; LIMBS];

/// A modulus whose Montgomery quotient needs at most one half product.
pub trait LaneModulus: Modulus {
    /// p as limbs of 52 bits.
    const LIMBS_52: [u64; LIMBS] = limbs_52(Self::VALUE);

    /// Returns the low 52 bits of −t·p⁻¹ for a column t, given −t.
    fn quotient<L: Lanes>(negated: L) -> L::Factor;
}

impl LaneModulus for Bls12381Scalar {
    #[inline(always)]
    fn quotient<L: Lanes>(negated: L) -> L::Factor {
        // p ≡ 1 − 2³², and (1 − 2³²)⁻¹ = 1 + 2³² mod 2⁵².
        negated.add(negated.shift_left::<32>()).factor()
    }
}

impl LaneModulus for StarkPrime {
    #[inline(always)]
    fn quotient<L: Lanes>(negated: L) -> L::Factor {
        // p ≡ 1 mod 2⁵².
        negated.factor()
    }
}

impl LaneModulus for PallasBase {
    #[inline(always)]
    fn quotient<L: Lanes>(negated: L) -> L::Factor {
        quotient_by_half_product::<L, Self>(negated)
    }
}

impl LaneModulus for VestaBase {
    #[inline(always)]
    fn quotient<L: Lanes>(negated: L) -> L::Factor {
        quotient_by_half_product::<L, Self>(negated)
    }
}

impl LaneModulus for Bn254Scalar {
    #[inline(always)]
    fn quotient<L: Lanes>(negated: L) -> L::Factor {
        const INVERSE: u64 = Bn254Scalar::NEGATIVE_INVERSE.wrapping_neg() & LIMB_MASK;
        let mut quotient = L::without_bias(1, 0);
        L::multiply_add_low(&mut quotient, negated.factor(), L::splat_factor(INVERSE));
        quotient.factor()
    }
}

/// [`LaneModulus::quotient`] for p ≡ 1 + c·2³²: (1 + c·2³²)⁻¹ is 1 + (2²⁰ − c)·2³² mod 2⁵².
#[inline(always)]
fn quotient_by_half_product<L: Lanes, M: LaneModulus>(negated: L) -> L::Factor {
    let mut quotient = negated.add(L::without_bias(1, 0));
    let factor = L::splat_factor((1 << 20) - (M::LIMBS_52[0] >> 32));
    L::multiply_add_low(&mut quotient, negated.shift_left::<32>().factor(), factor);
    quotient.factor()
}

/// Converts a number below 2²⁵⁶ to limbs of 52 bits.
pub const fn limbs_52(limbs: [u64; 4]) -> [u64; LIMBS] {
    [
        limbs[0] & LIMB_MASK,
        ((limbs[0] >> 52) | (limbs[1] << 12)) & LIMB_MASK,
        ((limbs[1] >> 40) | (limbs[2] << 24)) & LIMB_MASK,
        ((limbs[2] >> 28) | (limbs[3] << 36)) & LIMB_MASK,
        limbs[3] >> 16,
    ]
}

/// The number of low halves that a product adds to each column. The high halves go one column
/// further.
const PRODUCT_HALVES: [u64; 9] = [1, 2, 3, 4, 5, 4, 3, 2, 1];

/// The initial columns of a sum of `products` products that is then reduced.
#[inline(always)]
pub fn start<L: Lanes, M: LaneModulus>(products: u64) -> Wide<L> {
    let mut columns = [L::splat(0); 2 * LIMBS];
    for (column, value) in columns.iter_mut().enumerate() {
        let (low, high) = reduction_halves::<M>(column);
        *value = L::without_bias(
            low + products * halves(column),
            high + products * halves(column.wrapping_sub(1)),
        );
    }
    columns
}

/// Returns the number of low halves that a product adds to a column. The high halves go one column
/// further.
#[inline(always)]
pub(super) fn halves(column: usize) -> u64 {
    if column < 9 {
        PRODUCT_HALVES[column]
    } else {
        0
    }
}

/// Returns the numbers of low and of high halves that [`reduce`] adds to a column.
#[inline(always)]
fn reduction_halves<M: LaneModulus>(column: usize) -> (u64, u64) {
    let (mut low, mut high) = (0, 0);
    for quotient in 0..LIMBS {
        for limb in 0..LIMBS {
            let place = quotient + limb;
            if limb > 0 && M::LIMBS_52[limb] != 0 {
                low += u64::from(place == column);
                high += u64::from(place + 1 == column);
            }
        }
        if M::LIMBS_52[0] != 1 {
            high += u64::from(quotient + 1 == column);
        }
    }
    (low, high)
}

crate::steps! {
    /// sum += a·b.
    pub fn add_product<L: Lanes>(sum: &mut Wide<L>, a: &Factors<L>, b: &Factors<L>) {
        L::add_product(sum, a, b);
    }
}

#[inline(always)]
fn add_at<L: Lanes>(sum: &mut Wide<L>, column: usize, a: L::Factor, b: L::Factor) {
    let (mut low, mut high) = (sum[column], sum[column + 1]);
    L::multiply_add_in_order(&mut low, &mut high, a, b);
    (sum[column], sum[column + 1]) = (low, high);
}

crate::steps! {
    /// a², before the reduction: the ten products of different limbs once, doubled, then the
    /// squares.
    pub fn square<L: Lanes; M: LaneModulus>(a: &Factors<L>) -> Wide<L> {
        // The products of different limbs, by column.
        const CROSS: [u64; 10] = [0, 1, 1, 2, 2, 2, 1, 1, 0, 0];
        let mut sum = [L::splat(0); 2 * LIMBS];
        for column in 1..9 {
            sum[column] = L::without_bias(CROSS[column], CROSS[column - 1]);
        }
        add_cross_products(&mut sum, a);
        for (column, value) in sum.iter_mut().enumerate() {
            let (low, high) = reduction_halves::<M>(column);
            // The squares: a low half in each even column, a high half in each odd column.
            let even = 1 - column as u64 % 2;
            *value = value.add(*value).add(L::without_bias(low + even, high + 1 - even));
        }
        for i in 0..LIMBS {
            add_at(&mut sum, 2 * i, a[i], a[i]);
        }
        sum
    }
}

/// Adds the ten products of different limbs once.
#[inline(always)]
fn add_cross_products<L: Lanes>(sum: &mut Wide<L>, a: &Factors<L>) {
    let [a0, a1, a2, a3, a4] = *a;
    L::add_row(&mut sum[1..], a0, &[a1, a2, a3, a4]);
    L::add_row(&mut sum[3..], a1, &[a2, a3, a4]);
    L::add_row(&mut sum[5..], a2, &[a3, a4]);
    L::add_row(&mut sum[7..], a3, &[a4]);
}

crate::steps! {
    /// sum + a². The products of different limbs are summed separately and doubled; low and high
    /// halves are in separate chains. The sum starts as that of one product, because those halves
    /// count twice.
    pub(super) fn add_square<L: Lanes>(sum: Wide<L>, a: &Factors<L>) -> Wide<L> {
        let mut sum = sum;
        let (mut low, mut high) = ([L::splat(0); 2 * LIMBS], [L::splat(0); 2 * LIMBS]);
        if !L::SPLIT_SUMS {
            add_cross_products(&mut low, a);
            for column in 1..2 * LIMBS {
                sum[column] = sum[column].add(low[column].add(low[column]));
            }
            for i in 0..LIMBS {
                add_at(&mut sum, 2 * i, a[i], a[i]);
            }
            return sum;
        }
        for i in 0..LIMBS {
            let (even, odd) = sum.split_at_mut(2 * i + 1);
            L::multiply_add(&mut even[2 * i], &mut odd[0], a[i], a[i]);
            for j in i + 1..LIMBS {
                L::multiply_add(&mut low[i + j], &mut high[i + j + 1], a[i], a[j]);
            }
        }
        for column in 1..2 * LIMBS {
            let once = low[column].add(high[column]);
            sum[column] = sum[column].add(once.add(once));
        }
        sum
    }
}

/// A sum of many products. With [`Vector::SPLIT_SUMS`], low and high halves are summed separately,
/// which doubles the number of chains of additions.
pub struct ProductSum<L: Lanes> {
    /// Low halves or all halves, by column.
    sum: Wide<L>,
    /// High halves, by the column that they are added to.
    high: Wide<L>,
}

impl<L: Lanes> ProductSum<L> {
    /// The empty sum.
    #[inline(always)]
    pub fn new() -> Self {
        Self { sum: [L::splat(0); 2 * LIMBS], high: [L::splat(0); 2 * LIMBS] }
    }

    /// self += a·b.
    #[inline(always)]
    pub fn add_product(&mut self, a: &Factors<L>, b: &Factors<L>) {
        if !L::SPLIT_SUMS {
            return add_product(&mut self.sum, a, b);
        }
        add_split_product(&mut self.sum, &mut self.high, a, b);
    }

    /// Returns the sum of `products` products, before the reduction.
    #[inline(always)]
    pub fn finish<M: LaneModulus>(self, products: u64) -> Wide<L> {
        self.added_to(start::<L, M>(products))
    }

    /// sum + self.
    #[inline(always)]
    pub(super) fn added_to(self, mut sum: Wide<L>) -> Wide<L> {
        for column in 0..2 * LIMBS {
            sum[column] = sum[column].add(self.sum[column]);
            if L::SPLIT_SUMS {
                sum[column] = sum[column].add(self.high[column]);
            }
        }
        sum
    }
}

crate::steps! {
    /// Adds the low halves of a·b to `low` and the high halves to `high`.
    fn add_split_product<L: Lanes>(
        low: &mut Wide<L>,
        high: &mut Wide<L>,
        a: &Factors<L>,
        b: &Factors<L>,
    ) {
        for i in 0..LIMBS {
            for j in 0..LIMBS {
                L::multiply_add(&mut low[i + j], &mut high[i + j + 1], a[i], b[j]);
            }
        }
    }
}

impl<L: Lanes> Default for ProductSum<L> {
    #[inline(always)]
    fn default() -> Self {
        Self::new()
    }
}

crate::steps! {
    /// Montgomery reduction: (T + Q·p)/2²⁶⁰ with Q < 2²⁶⁰ such that the division is exact. The
    /// result is below T/2²⁶⁰ + p. T is the sum of columns that began with [`start`]; only the
    /// upper five columns may be negative. Returns columns.
    pub fn reduce<L: Lanes; M: LaneModulus>(t: Wide<L>) -> Columns<L> {
        let mut t = t;
        // The compiler would not unroll a loop over the rounds and would keep the columns in
        // memory.
        let mut carry = L::splat(0);
        carry = reduction_round::<L, M, 0>(&mut t, carry);
        carry = reduction_round::<L, M, 1>(&mut t, carry);
        carry = reduction_round::<L, M, 2>(&mut t, carry);
        carry = reduction_round::<L, M, 3>(&mut t, carry);
        carry = reduction_round::<L, M, 4>(&mut t, carry);
        [t[5].sub(carry), t[6], t[7], t[8], t[9]]
    }
}

/// Adds the multiple of p that makes column `ROUND` of t 0, for −(the carry into the column).
/// Returns −(the carry into the next column).
#[inline(always)]
fn reduction_round<L: Lanes, M: LaneModulus, const ROUND: usize>(t: &mut Wide<L>, carry: L) -> L {
    let p = M::LIMBS_52;
    let negated = carry.sub(t[ROUND]);
    let quotient = M::quotient(negated);
    let columns = &mut t[ROUND..];
    // A quotient makes the low limb of the column 0, so the carry is the column divided by 2⁵² and
    // rounded up: −⌊−t/2⁵²⌋. The low half of the quotient times p₀ is therefore not needed, and
    // p₀ = 1 has no high half.
    let carry = if p[0] != 1 {
        L::multiply_add_high(&mut columns[1], quotient, L::splat_factor(p[0]));
        carry_beside_high::<L>(negated, p[0])
    } else {
        negated.shift_right_signed::<LIMB_BITS>()
    };
    if p[1] == 0 {
        add_multiple::<L, M, 3, 2>(columns, quotient);
    } else if const { has_zero_limb::<M>() } {
        add_multiple::<L, M, 1, 2>(columns, quotient);
        add_multiple::<L, M, 4, 1>(columns, quotient);
    } else {
        add_multiple::<L, M, 1, 4>(columns, quotient);
    }
    carry
}

/// Returns −(the carry of a column t whose low limb a product makes 0), given −t, where the product
/// has the odd factor `odd` and its high half is added elsewhere. The other factor is below 2⁵².
///
/// The carry is ⌈t/2⁵²⌉ if the high half is rounded down. With [`Vector::NEAREST`] the high half is
/// 1 larger if the low half, −t modulo 2⁵², is more than 2⁵¹, so ⌊−t/2⁵²⌋ must be 1 larger. If the
/// low half is 2⁵¹, the other factor is 2⁵¹ as well, and the high half is `odd`/2, rounded to even.
#[inline(always)]
pub(super) fn carry_beside_high<L: Lanes>(negated: L, odd: u64) -> L {
    if !L::NEAREST {
        return negated.shift_right_signed::<LIMB_BITS>();
    }
    let is_rounded_down = odd >> 1 & 1 == 0;
    let rounding = L::splat((1 << (LIMB_BITS - 1)) - u64::from(is_rounded_down));
    negated.add(rounding).shift_right_signed::<LIMB_BITS>()
}

/// Returns `true` if limb 3 of p is 0. No other limb is 0, except limbs 1 and 2 together.
const fn has_zero_limb<M: LaneModulus>() -> bool {
    let [p0, p1, p2, p3, p4] = M::LIMBS_52;
    assert!(p0 != 0 && (p1 == 0) == (p2 == 0) && p4 != 0, "the zero limbs of the prime");
    p3 == 0
}

/// N limbs of p, from limb FROM on.
struct LimbsOf<M, const FROM: usize>(std::marker::PhantomData<M>);

impl<M: LaneModulus, const FROM: usize, const N: usize> Constants<N> for LimbsOf<M, FROM> {
    const LIMBS: [u64; N] = {
        let mut limbs = [0; N];
        let mut limb = 0;
        while limb < N {
            limbs[limb] = M::LIMBS_52[FROM + limb];
            limb += 1;
        }
        limbs
    };
}

/// Adds the quotient times N limbs of p, from limb FROM on.
#[inline(always)]
fn add_multiple<L: Lanes, M: LaneModulus, const FROM: usize, const N: usize>(
    columns: &mut [L],
    quotient: L::Factor,
) {
    L::add_constants::<LimbsOf<M, FROM>, N>(&mut columns[FROM..], quotient);
}

/// Adds the bits above 52 to the next column, without removing them. The low 52 bits of each column
/// except the last are then the limbs; the last column holds the rest with its sign.
#[inline(always)]
fn carried<L: Lanes>(mut columns: Columns<L>) -> Columns<L> {
    for limb in 1..LIMBS {
        columns[limb] = columns[limb].add(columns[limb - 1].shift_right_signed::<LIMB_BITS>());
    }
    columns
}

crate::steps! {
    /// Returns the same number with columns in [0, 2⁵²), except the last column, which keeps the
    /// sign.
    pub fn carry<L: Lanes>(columns: Columns<L>) -> Columns<L> {
        let mut columns = carried(columns);
        let mask = L::splat(LIMB_MASK);
        for column in &mut columns[..LIMBS - 1] {
            *column = column.and(mask);
        }
        columns
    }

    /// Converts the columns of a number in [0, 2²⁶⁰) to a factor.
    pub fn factors<L: Lanes>(columns: Columns<L>) -> Factors<L> {
        let columns = carried(columns);
        [
            columns[0].factor(),
            columns[1].factor(),
            columns[2].factor(),
            columns[3].factor(),
            columns[4].factor(),
        ]
    }

    /// Converts limbs to a factor that is the same in each lane.
    pub fn splat_factors<L: Lanes>(limbs: &[u64; LIMBS]) -> Factors<L> {
        [
            L::splat_factor(limbs[0]),
            L::splat_factor(limbs[1]),
            L::splat_factor(limbs[2]),
            L::splat_factor(limbs[3]),
            L::splat_factor(limbs[4]),
        ]
    }

    /// Adds the same columns in each lane.
    pub fn add_columns<L: Lanes>(columns: &mut [L], addend: &[u64; LIMBS]) {
        for (column, addend) in columns.iter_mut().zip(addend) {
            *column = column.add(L::splat(*addend));
        }
    }

    /// a·b·2⁻²⁶⁰ mod p, below a·b/2²⁶⁰ + p.
    pub fn multiply<L: Lanes; M: LaneModulus>(a: &Factors<L>, b: &Factors<L>) -> Columns<L> {
        let mut product = start::<L, M>(1);
        add_product(&mut product, a, b);
        reduce::<L, M>(product)
    }

    /// Reduces a number with signed columns below 2⁶² modulo 2²⁵¹ + 17·2¹⁹² + 1, into [0, 2.01·p).
    ///
    /// With h = ⌊c₄/2⁴³⌋ − 1, the number minus h·p lies between 2²⁵¹ − 2²²⁰ and 2²⁵² + 2²²⁰: the
    /// carries of the lower columns and h·(17·2¹⁹² + 1) are below 2²²⁰.
    pub fn folded<L: Lanes>(columns: Columns<L>) -> Columns<L> {
        let [c0, c1, c2, c3, c4] = columns;
        let multiple = c4.shift_right_signed::<43>().sub(L::splat(1));
        let by_17 = multiple.shift_left::<4>().add(multiple);
        let c4 = c4.and(L::splat((1 << 43) - 1)).add(L::splat(1 << 43));
        [c0.sub(multiple), c1, c2, c3.sub(by_17.shift_left::<36>()), c4]
    }
}
