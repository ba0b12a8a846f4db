// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sums of multiples of fixed points of G1, with tables that are computed once.

use blst::{blst_p1, blst_p1_affine};
use rayon::prelude::*;

use crate::lanes::{fixed_points, worth, FixedPoints};
use crate::library::{Curve, WindowTable, G1};

/// The maximum number of points of a sum for which the library's tables of windows are small
/// enough.
const MOST_WINDOW_POINTS: usize = 64;

/// The tables of several sums, each of the same number of points.
pub(crate) enum FixedSums {
    /// Buckets that all windows share.
    Buckets(FixedPoints),
    /// The library's tables of windows, one for each sum.
    Windows(Vec<Sum>),
}

/// The table of a sum; points that are infinity are left out.
pub(crate) struct Sum {
    table: WindowTable,
    is_infinite: Vec<bool>,
}

impl FixedSums {
    /// Returns `true` if the library's tables are faster.
    fn has_windows(points_a_sum: usize) -> bool {
        points_a_sum <= MOST_WINDOW_POINTS && !worth().fixed_points
    }

    /// Returns the bytes of memory of the tables of `points` points.
    pub(crate) fn bytes(points: usize, points_a_sum: usize, width: u32) -> usize {
        match Self::has_windows(points_a_sum) {
            true => points * WindowTable::BYTES_A_POINT,
            false => FixedPoints::bytes(points, width, worth().fixed_points),
        }
    }

    /// Computes the tables of points, those of each sum consecutive. Tables for buckets have
    /// windows of `width` bits.
    ///
    /// # Panics
    /// If the points are not those of whole sums.
    pub(crate) fn new(points: &[blst_p1_affine], points_a_sum: usize, width: u32) -> Self {
        if !Self::has_windows(points_a_sum) {
            if let Some(table) = fixed_points(points, points_a_sum, width) {
                return Self::Buckets(table);
            }
        }
        Self::Windows(points.par_chunks(points_a_sum).map(Sum::new).collect())
    }

    /// Returns the sums of the points times scalars, little-endian, on the threads of the current
    /// pool. The scalars are those of the first sums.
    ///
    /// # Panics
    /// If the scalars are not those of whole sums, or more than the points.
    pub(crate) fn sums(&self, scalars: &[[u8; 32]]) -> Vec<blst_p1> {
        match self {
            // The lanes that made the table are still there.
            Self::Buckets(table) => table.sums(scalars).unwrap_or_default(),
            Self::Windows(sums) => {
                let points_a_sum = sums.first().map_or(1, |sum| sum.is_infinite.len());
                let rows = sums.par_iter().zip(scalars.par_chunks(points_a_sum));
                rows.map(|(sum, scalars)| sum.of(scalars)).collect()
            }
        }
    }
}

impl Sum {
    fn new(points: &[blst_p1_affine]) -> Self {
        let is_infinite: Vec<bool> = points.iter().map(G1::is_infinity).collect();
        let finite: Vec<_> = finite(points, &is_infinite).collect();
        Self { table: WindowTable::new(&finite), is_infinite }
    }

    fn of(&self, scalars: &[[u8; 32]]) -> blst_p1 {
        let scalars: Vec<[u8; 32]> = finite(scalars, &self.is_infinite).collect();
        self.table.sum(&scalars)
    }
}

/// Selects the items of points that are not infinity.
fn finite<'a, T: Copy>(items: &'a [T], is_infinite: &'a [bool]) -> impl Iterator<Item = T> + 'a {
    items.iter().zip(is_infinite).filter(|(_, is_infinite)| !**is_infinite).map(|(item, _)| *item)
}
