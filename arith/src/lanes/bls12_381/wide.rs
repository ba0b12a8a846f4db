// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Products of sixteen columns, their sums, and Montgomery reduction.

use super::super::integers::IntegerLanes;
use super::super::vector::{LIMB_BITS, LIMB_MASK};
use super::{Columns, Factor, Fp, Sum, LIMBS, MODULUS_52};

/// The number of columns of a product.
pub const COLUMNS: usize = 2 * LIMBS;

/// The largest product of the bounds of two factors.
const LARGEST_PRODUCT: u64 = 1 << 26;

/// The largest number of products of a sum: the columns, with those of a reduction, are below
/// 127·2⁵⁶.
const LARGEST_COUNT: u32 = 126;

/// p⁻¹ mod 2⁵² by Newton's iteration, which doubles the number of correct bits. The initial value p
/// is correct in three bits.
const INVERSE: u64 = {
    let mut inverse = MODULUS_52[0];
    let mut round = 0;
    while round < 5 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(MODULUS_52[0].wrapping_mul(inverse)));
        round += 1;
    }
    inverse & LIMB_MASK
};

/// The rounds of one or more reductions, interleaved. The compiler would not unroll a loop over the
/// rounds and would keep the columns in memory.
macro_rules! in_rounds {
    ($($state:ident),*) => {
        in_rounds!(@ ($($state),*) 0 1 2 3 4 5 6 7)
    };
    (@ $states:tt $($round:literal)*) => {
        $(in_rounds!(@round $round $states);)*
    };
    (@round $round:literal ($($state:ident),*)) => {
        $($state.round::<$round>();)*
    };
}

/// Sums and differences of at most COUNT products per lane, each below 2²⁶·p².
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Wide<L, const COUNT: u32>([L; COLUMNS]);

/// One column of such a sum. Sums of many wide numbers are computed column by column, so that they
/// stay in registers. Every column of a sum must be computed from the same terms.
#[derive(Clone, Copy, Debug)]
pub struct Column<L, const COUNT: u32>(L);

impl<L: IntegerLanes, const COUNT: u32> Column<L, COUNT> {
    /// self + other.
    #[inline(always)]
    pub fn plus<const N: u32, const M: u32>(self, other: Column<L, N>) -> Column<L, M> {
        const { assert!(COUNT + N <= M && M <= LARGEST_COUNT, "the products of a sum") };
        Column(self.0.add(other.0))
    }

    /// self − other.
    #[inline(always)]
    pub fn minus<const N: u32, const M: u32>(self, other: Column<L, N>) -> Column<L, M> {
        const { assert!(COUNT + N <= M && M <= LARGEST_COUNT, "the products of a difference") };
        Column(self.0.sub(other.0))
    }

    /// FACTOR·self.
    #[inline(always)]
    pub fn times<const FACTOR: u64, const M: u32>(self) -> Column<L, M> {
        const { assert!(COUNT * FACTOR as u32 <= M && M <= LARGEST_COUNT, "products of a multiple") };
        Column(super::small_multiple::<L, FACTOR>(self.0))
    }
}

impl<L: IntegerLanes, const A: u64> Factor<L, A> {
    /// a·b. A column receives at most fifteen halves of products, each below 2⁵².
    #[inline(always)]
    pub fn product<const B: u64>(&self, other: &Factor<L, B>) -> Wide<L, 1> {
        const { assert!(A * B <= LARGEST_PRODUCT, "the factors of a product") };
        Wide(product_columns(&self.0, &other.0))
    }

    /// a²: products of different limbs once, doubled, then the squares.
    #[inline(always)]
    pub fn square(&self) -> Wide<L, 1> {
        const { assert!(A * A <= LARGEST_PRODUCT, "the factor of a square") };
        Wide(square_columns(&self.0))
    }
}

impl<L: IntegerLanes, const COUNT: u32> Wide<L, COUNT> {
    /// 0 in each lane.
    #[inline(always)]
    pub fn zero() -> Self {
        Self([L::splat(0); COLUMNS])
    }

    /// Returns a column.
    #[inline(always)]
    pub fn column(&self, column: usize) -> Column<L, COUNT> {
        Column(self.0[column])
    }

    /// Replaces a column.
    #[inline(always)]
    pub fn set_column<const N: u32>(&mut self, column: usize, value: Column<L, N>) {
        const { assert!(N <= COUNT, "the new count must be at least the old one") };
        self.0[column] = value.0;
    }

    /// self + other.
    #[inline(always)]
    pub fn plus<const N: u32, const M: u32>(&self, other: &Wide<L, N>) -> Wide<L, M> {
        const { assert!(COUNT + N <= M && M <= LARGEST_COUNT, "the products of a sum") };
        let mut columns = self.0;
        for (column, other) in columns.iter_mut().zip(other.0) {
            *column = column.add(other);
        }
        Wide(columns)
    }

    /// self − other.
    #[inline(always)]
    pub fn minus<const N: u32, const M: u32>(&self, other: &Wide<L, N>) -> Wide<L, M> {
        const { assert!(COUNT + N <= M && M <= LARGEST_COUNT, "the products of a difference") };
        let mut columns = self.0;
        for (column, other) in columns.iter_mut().zip(other.0) {
            *column = column.sub(other);
        }
        Wide(columns)
    }

    /// FACTOR·self.
    #[inline(always)]
    pub fn times<const FACTOR: u64, const M: u32>(&self) -> Wide<L, M> {
        const { assert!(COUNT * FACTOR as u32 <= M && M <= LARGEST_COUNT, "products of a multiple") };
        let mut columns = self.0;
        for column in &mut columns {
            *column = super::small_multiple::<L, FACTOR>(*column);
        }
        Wide(columns)
    }

    /// Converts sums to a type with a larger count, for procedures that are compiled once.
    #[inline(always)]
    pub fn all_widened<const M: u32, const N: usize>(sums: &[Self; N]) -> &[Wide<L, M>; N] {
        const { assert!(COUNT <= M, "the new count must be at least the old one") };
        // SAFETY: both types are transparent wrappers of the same columns.
        unsafe { &*std::ptr::from_ref(sums).cast() }
    }

    /// Converts to a type with a larger count.
    #[inline(always)]
    pub fn widened<const M: u32>(self) -> Wide<L, M> {
        const { assert!(COUNT <= M, "the new count must be at least the old one") };
        Wide(self.0)
    }

    /// Returns the sum divided by 2⁴¹⁶, in [0, 3p].
    ///
    /// The magnitude of the sum is below 126·2²⁶·p², so it is below 0.21·p after the division by
    /// 2⁴¹⁶. The quotients add less than p, and p is added so that nothing is negative.
    #[inline(always)]
    pub fn reduced(&self) -> Fp<L, 3> {
        const { assert!(COUNT <= LARGEST_COUNT, "the products of a sum that is reduced") };
        Fp(reduced_limbs(&self.0))
    }
}

/// [`Wide::reduced`] of two sums with interleaved rounds, since each round waits for the one
/// before.
#[inline(always)]
pub fn reduced_pair<L: IntegerLanes, const N: u32, const M: u32>(
    a: &Wide<L, N>,
    b: &Wide<L, M>,
) -> [Fp<L, 3>; 2] {
    const { assert!(N <= LARGEST_COUNT && M <= LARGEST_COUNT, "the products of a sum") };
    let [a, b] = reduced_columns(&a.0, &b.0);
    [Fp(super::carried(a)), Fp(super::carried(b))]
}

/// Like [`reduced_pair`], but not carried: the values are in [0, 3p], and the columns are as large
/// as those of the products, which the bound of the sums must allow.
#[inline(always)]
pub fn reduced_pair_of_sums<L: IntegerLanes, const N: u32, const M: u32, const C: u64>(
    a: &Wide<L, N>,
    b: &Wide<L, M>,
) -> [Sum<L, C>; 2] {
    const {
        assert!(8 * (N as u64 + 1) <= C && 8 * (M as u64 + 1) <= C, "the columns of the products");
        assert!(C <= super::LARGEST_SUM, "the sum's bound");
    };
    let [a, b] = reduced_columns(&a.0, &b.0);
    [Sum(a), Sum(b)]
}

crate::steps! {
    /// The columns of a·b.
    fn product_columns<L: IntegerLanes>(a: &Columns<L>, b: &Columns<L>) -> [L; COLUMNS] {
        let mut columns = [L::splat(0); COLUMNS];
        for i in 0..LIMBS {
            for j in 0..LIMBS {
                columns[i + j] = L::add_low(columns[i + j], a[j], b[i]);
            }
            for j in 0..LIMBS {
                columns[i + j + 1] = L::add_high(columns[i + j + 1], a[j], b[i]);
            }
        }
        columns
    }

    /// The columns of a².
    fn square_columns<L: IntegerLanes>(a: &Columns<L>) -> [L; COLUMNS] {
        let mut columns = [L::splat(0); COLUMNS];
        for i in 0..LIMBS {
            for j in i + 1..LIMBS {
                columns[i + j] = L::add_low(columns[i + j], a[i], a[j]);
            }
            for j in i + 1..LIMBS {
                columns[i + j + 1] = L::add_high(columns[i + j + 1], a[i], a[j]);
            }
        }
        for column in &mut columns {
            *column = column.add(*column);
        }
        for i in 0..LIMBS {
            columns[2 * i] = L::add_low(columns[2 * i], a[i], a[i]);
            columns[2 * i + 1] = L::add_high(columns[2 * i + 1], a[i], a[i]);
        }
        columns
    }

    /// Returns the reduced sum as limbs.
    fn reduced_limbs<L: IntegerLanes>(columns: &[L; COLUMNS]) -> Columns<L> {
        let mut state = Reduction { columns: *columns, negated: L::splat(0) };
        in_rounds!(state);
        super::carried(state.finished())
    }

    /// Returns two reduced sums as columns.
    fn reduced_columns<L: IntegerLanes>(
        a: &[L; COLUMNS],
        b: &[L; COLUMNS],
    ) -> [Columns<L>; 2] {
        let mut a = Reduction { columns: *a, negated: L::splat(0) };
        let mut b = Reduction { columns: *b, negated: L::splat(0) };
        in_rounds!(a, b);
        [a.finished(), b.finished()]
    }
}

/// A Montgomery reduction, one limb per round.
struct Reduction<L> {
    columns: [L; COLUMNS],
    /// −(the column of the round plus the carry into it).
    negated: L,
}

impl<L: IntegerLanes> Reduction<L> {
    /// Adds the multiple of p that makes column `round` 0. The carry into the next column is this
    /// column divided by 2⁵² and rounded up, −⌊−t/2⁵²⌋, so the low half of the quotient times the
    /// lowest limb of p is not needed.
    #[inline(always)]
    fn round<const ROUND: usize>(&mut self) {
        let t = &mut self.columns;
        let carry = self.negated.shift_right_signed::<LIMB_BITS>();
        let negated = carry.sub(t[ROUND]);
        let quotient = L::add_low(L::splat(0), negated, L::splat(INVERSE));
        // The values that the next round waits for come first, in two chains.
        let high = L::add_high(t[ROUND + 1], quotient, L::splat(MODULUS_52[0]));
        let low = L::add_low(L::splat(0), quotient, L::splat(MODULUS_52[1]));
        t[ROUND + 1] = high.add(low);
        for limb in 2..LIMBS {
            t[ROUND + limb] = L::add_low(t[ROUND + limb], quotient, L::splat(MODULUS_52[limb]));
        }
        for limb in 1..LIMBS {
            let column = ROUND + limb + 1;
            t[column] = L::add_high(t[column], quotient, L::splat(MODULUS_52[limb]));
        }
        self.negated = negated;
    }

    #[inline(always)]
    fn finished(self) -> Columns<L> {
        let t = self.columns;
        let carry = self.negated.shift_right_signed::<LIMB_BITS>();
        let mut result: Columns<L> =
            [t[8].sub(carry), t[9], t[10], t[11], t[12], t[13], t[14], t[15]];
        for (column, limb) in result.iter_mut().zip(MODULUS_52) {
            *column = column.add(L::splat(limb));
        }
        result
    }
}
