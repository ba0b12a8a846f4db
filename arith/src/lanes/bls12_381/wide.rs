// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Products of sixteen columns, their sums, and Montgomery reduction.

use super::super::vector::Lanes;
use super::columns::{self, COLUMNS};
use super::halves::{
    product_columns, reduced_columns, reduced_limbs, reduced_pair_of_limbs, square_columns,
};
use super::{Factor, Fp, Sum};

/// The largest product of the bounds of two factors.
const LARGEST_PRODUCT: u64 = 1 << 26;

/// The largest number of products of a sum: the columns, with those of a reduction, are below
/// 127·2⁵⁶.
const LARGEST_COUNT: u32 = 126;

/// Sums and differences of at most COUNT products per lane, each below 2²⁶·p².
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Wide<L, const COUNT: u32>([L; COLUMNS]);

/// One column of such a sum. Sums of many wide numbers are computed column by column, so that they
/// stay in registers. Every column of a sum must be computed from the same terms.
#[derive(Clone, Copy, Debug)]
pub struct Column<L, const COUNT: u32>(pub(super) L);

impl<L: Lanes, const COUNT: u32> Column<L, COUNT> {
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

impl<L: Lanes, const A: u64> Factor<L, A> {
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

impl<L: Lanes, const COUNT: u32> Wide<L, COUNT> {
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
        Wide(columns::sum(&self.0, &other.0))
    }

    /// self − other.
    #[inline(always)]
    pub fn minus<const N: u32, const M: u32>(&self, other: &Wide<L, N>) -> Wide<L, M> {
        const { assert!(COUNT + N <= M && M <= LARGEST_COUNT, "the products of a difference") };
        Wide(columns::difference(&self.0, &other.0))
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
pub fn reduced_pair<L: Lanes, const N: u32, const M: u32>(
    a: &Wide<L, N>,
    b: &Wide<L, M>,
) -> [Fp<L, 3>; 2] {
    const { assert!(N <= LARGEST_COUNT && M <= LARGEST_COUNT, "the products of a sum") };
    let [a, b] = reduced_pair_of_limbs(&a.0, &b.0);
    [Fp(a), Fp(b)]
}

/// Like [`reduced_pair`], but not carried: the values are in [0, 3p], and the columns are as large
/// as those of the products, which the bound of the sums must allow.
#[inline(always)]
pub fn reduced_pair_of_sums<L: Lanes, const N: u32, const M: u32, const C: u64>(
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
