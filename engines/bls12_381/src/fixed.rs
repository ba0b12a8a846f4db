// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sums of multiples of fixed points of G1, with tables that are computed once.

use blst::{blst_p1, blst_p1_affine};
use rayon::prelude::*;

use crate::lanes::{fixed_points, FixedPoints};
use crate::library::{Curve, Ladder, WindowTable, G1};

/// The maximum number of points of a sum for which the library's tables of windows are faster than
/// its buckets, and small enough.
const MOST_WINDOW_POINTS: usize = 64;

/// The tables of several sums, each of the same number of points.
pub(crate) enum FixedSums {
    /// In lanes.
    Lanes(FixedPoints),
    /// With the library's tables of windows, one for each sum.
    Windows(Vec<Sum>),
    /// With the library's buckets, without a table.
    Buckets { points: Vec<blst_p1_affine>, points_a_sum: usize },
}

/// The table of a sum; points that are infinity are left out.
pub(crate) struct Sum {
    table: WindowTable,
    is_infinite: Vec<bool>,
}

impl FixedSums {
    /// Computes the tables of points, those of each sum consecutive. Tables in lanes have windows
    /// of `width` bits.
    ///
    /// # Panics
    /// If the points are not those of whole sums.
    pub(crate) fn new(points: &[blst_p1_affine], points_a_sum: usize, width: u32) -> Self {
        if let Some(table) = fixed_points(points, points_a_sum, width) {
            return Self::Lanes(table);
        }
        match points_a_sum <= MOST_WINDOW_POINTS {
            true => Self::Windows(points.par_chunks(points_a_sum).map(Sum::new).collect()),
            false => Self::Buckets { points: points.to_vec(), points_a_sum },
        }
    }

    /// Returns the sums of the points times scalars, little-endian, on the threads of the current
    /// pool. The scalars are those of the first sums.
    ///
    /// # Panics
    /// If the scalars are not those of whole sums, or more than the points.
    pub(crate) fn sums(&self, scalars: &[[u8; 32]]) -> Vec<blst_p1> {
        match self {
            // The lanes that made the table are still there.
            Self::Lanes(table) => table.sums(scalars).unwrap_or_default(),
            Self::Windows(sums) => {
                let points_a_sum = sums.first().map_or(1, |sum| sum.is_infinite.len());
                let rows = sums.par_iter().zip(scalars.par_chunks(points_a_sum));
                rows.map(|(sum, scalars)| sum.of(scalars)).collect()
            }
            Self::Buckets { points, points_a_sum } => {
                let rows = points.chunks(*points_a_sum).zip(scalars.chunks(*points_a_sum));
                rows.map(|(points, scalars)| by_buckets(points, scalars)).collect()
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

/// Returns a sum in parallel shares.
fn by_buckets(points: &[blst_p1_affine], scalars: &[[u8; 32]]) -> blst_p1 {
    let share = points.len().div_ceil(rayon::current_num_threads()).max(1);
    let of_share = |(points, scalars): (&[blst_p1_affine], &[[u8; 32]])| {
        let is_infinite: Vec<bool> = points.iter().map(G1::is_infinity).collect();
        let points: Vec<blst_p1_affine> = finite(points, &is_infinite).collect();
        let scalars: Vec<[u8; 32]> = finite(scalars, &is_infinite).collect();
        match points[..] {
            [point] => G1::multiply(&point, Ladder { scalars: &scalars[0], bits: 255 }),
            _ => {
                G1::sum_of_products(&points, Ladder { scalars: scalars.as_flattened(), bits: 255 })
            }
        }
    };
    let shares = points.par_chunks(share).zip(scalars.par_chunks(share));
    shares.map(of_share).reduce(blst_p1::default, |a, b| G1::add(&a, &b))
}
