// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sums of multiples of fixed points of G1: the table holds each point P also as 2^(w·j)·P for all
//! windows j of a number, so that all windows share their buckets.
//!
//! A sum of n points takes 2n·⌈130/w⌉ + 2^(w − 1) additions instead of the ⌈130/w⌉·(2n + 2^(w − 1))
//! of [`sum_g1`](super::sum_g1). Several sums are computed together, so that they share inversions.

use blst::{blst_fp, blst_p1, blst_p1_affine};
use rayon::prelude::*;

use super::additions::{PointUnit, PoolRow};
use super::curves::{LaneCurve, StorePoints};
use super::lists::{halves, of_shapes, Lists, Weighted};
use super::numbers::{split, Digits, Multiplied};
use super::pool::{Machine, Pool};
use super::serial::{units, SerialPool};
use crate::library::{Curve, G1};

/// The number of entries of all lists that are summed together.
const ENTRIES: usize = 1 << 16;

/// The number of points whose multiples share an inversion.
const TOGETHER: usize = 64;

/// A sum's number is in the bits of a shift above this one; the shift of a bit is below 2⁶.
const SHIFT_BITS: u32 = 6;

/// The four units of each point.
enum Units {
    Lanes(Machine, Vec<PoolRow>),
    Serial(Vec<blst_fp>),
}

/// The points of a table, and sums of them.
enum Points<'a> {
    Lanes(Pool<'a, G1>),
    Serial(SerialPool<'a>),
}

impl Points<'_> {
    fn sums(&mut self, lists: Lists) -> Option<Vec<Option<PointUnit>>> {
        match self {
            Self::Lanes(pool) => pool.sums(lists),
            Self::Serial(pool) => Some(pool.sums(lists)),
        }
    }

    fn points(&self, places: &[PointUnit]) -> Option<Vec<blst_p1_affine>> {
        match self {
            Self::Lanes(pool) => pool.points(places),
            Self::Serial(pool) => Some(places.iter().map(|place| pool.point(*place)).collect()),
        }
    }
}

/// The table of several sums, each with the same number of points.
pub struct FixedPoints {
    units: Units,
    /// The points, in the order of the sums, that are infinity.
    is_infinite: Vec<bool>,
    points_a_sum: usize,
    width: u32,
}

impl FixedPoints {
    /// Returns the bytes of memory of a table, in lanes or not.
    pub const fn bytes(points: usize, width: u32, in_lanes: bool) -> usize {
        let unit = if in_lanes { size_of::<PoolRow>() } else { size_of::<blst_fp>() };
        4 * points * Digits::windows_of(width) as usize * unit
    }

    /// Creates the table of points of the group, those of each sum consecutive, with windows of
    /// `width` bits, from 3 to 15; on a machine with lanes or without. `None` if the machine has no
    /// lanes.
    ///
    /// # Panics
    /// If the points are not those of whole sums.
    pub(super) fn new(
        machine: Option<Machine>,
        points: &[blst_p1_affine],
        points_a_sum: usize,
        width: u32,
    ) -> Option<Self> {
        assert!(points_a_sum > 0 && points.len().is_multiple_of(points_a_sum), "whole sums");
        let windows = Digits::windows_of(width) as usize;
        let units = match machine {
            Some(machine) => Units::Lanes(machine, in_lanes(machine, points, windows, width)?),
            None => {
                let of = |points: &[_]| units(&shifted(points, windows, width), G1::beta());
                Units::Serial(points.par_chunks(TOGETHER).flat_map_iter(of).collect())
            }
        };
        let is_infinite = points.iter().map(G1::is_infinity).collect();
        Some(Self { units, is_infinite, points_a_sum, width })
    }

    /// Returns the sums of the points times scalars: a sum for each `points_a_sum` scalars.
    ///
    /// # Panics
    /// If the scalars are not those of whole sums, or more than the points.
    pub fn sums(&self, scalars: &[[u8; 32]]) -> Option<Vec<blst_p1>> {
        assert!(scalars.len().is_multiple_of(self.points_a_sum), "whole sums");
        assert!(scalars.len() <= self.is_infinite.len(), "a point for each scalar");
        let windows = Digits::windows_of(self.width) as usize;
        let together = (ENTRIES / (2 * windows * self.points_a_sum)).max(1) * self.points_a_sum;
        let sums: Option<Vec<Vec<blst_p1>>> = scalars
            .par_chunks(together)
            .enumerate()
            .map(|(number, scalars)| self.some_sums(number * together, scalars))
            .collect();
        Some(sums?.concat())
    }

    /// Returns the sums from the point with the index `first` on.
    fn some_sums(&self, first: usize, scalars: &[[u8; 32]]) -> Option<Vec<blst_p1>> {
        let mut lists = Lists::default();
        for (sum, scalars) in scalars.chunks(self.points_a_sum).enumerate() {
            let numbers: Vec<u128> = scalars.iter().flat_map(split).collect();
            let digits = Digits::of_width(&numbers, Multiplied::Halves, self.width);
            digits.shared_buckets(first + sum * self.points_a_sum, &self.is_infinite, &mut lists);
        }
        let count = scalars.len() / self.points_a_sum;
        let buckets = lists.ends.len() / count;
        let working = lists.entries.len() / 2 + 2 * lists.ends.len();
        let mut pool = match &self.units {
            Units::Lanes(machine, rows) => Points::Lanes(Pool::over(*machine, rows, working)),
            Units::Serial(units) => Points::Serial(SerialPool::over(units)),
        };
        let sums = pool.sums(lists)?;
        let weighted = sums.chunks(buckets).enumerate().map(|(sum, buckets)| Weighted {
            shift: (sum as u32) << SHIFT_BITS,
            sums: [&[None], buckets].concat(),
        });
        let mut weighted: Vec<Weighted> = weighted.collect();
        while weighted.iter().any(|weighted| !weighted.is_one_bit()) {
            let (lists, shapes) = halves(&weighted);
            let sums = pool.sums(lists)?;
            weighted.retain(Weighted::is_one_bit);
            weighted.extend(of_shapes(&shapes, &sums));
        }
        sums_of_bits(&pool, weighted, count)
    }
}

/// Returns the units of all multiples for lanes; `None` if the machine has none.
fn in_lanes(
    machine: Machine,
    points: &[blst_p1_affine],
    windows: usize,
    width: u32,
) -> Option<Vec<PoolRow>> {
    let units = 4 * windows * G1::ROWS;
    let mut rows = vec![PoolRow::ZERO; points.len() * units];
    let store = |(pool, points): (&mut [PoolRow], &[blst_p1_affine])| {
        let points = shifted(points, windows, width);
        machine.run(StorePoints::<G1> { pool, points: &points, beta: Some(G1::beta()) })
    };
    let parts = rows.par_chunks_mut(TOGETHER * units).zip(points.par_chunks(TOGETHER));
    parts.map(store).collect::<Option<Vec<()>>>()?;
    Some(rows)
}

/// Returns P, 2^width·P, 2^(2·width)·P, … of each point.
fn shifted(points: &[blst_p1_affine], windows: usize, width: u32) -> Vec<blst_p1_affine> {
    let mut shifted = Vec::with_capacity(points.len() * windows);
    for point in points {
        let mut multiple = G1::to_jacobian(point);
        for window in 0..windows {
            for _ in 0..if window == 0 { 0 } else { width } {
                multiple = G1::double(&multiple);
            }
            shifted.push(multiple);
        }
    }
    G1::to_affine(&shifted)
}

/// Returns Σ 2^bit·P of each sum.
fn sums_of_bits(pool: &Points<'_>, mut bits: Vec<Weighted>, count: usize) -> Option<Vec<blst_p1>> {
    bits.retain(|weighted| weighted.sums[1].is_some());
    bits.sort_unstable_by_key(|weighted| std::cmp::Reverse(weighted.shift));
    let places: Vec<_> = bits.iter().filter_map(|weighted| weighted.sums[1]).collect();
    let points = pool.points(&places)?;
    let mut sums = vec![blst_p1::default(); count];
    let mut rows = bits.iter().map(|weighted| weighted.shift).zip(&points).peekable();
    while let Some((shift, point)) = rows.next() {
        let sum = &mut sums[(shift >> SHIFT_BITS) as usize];
        *sum = G1::add_affine(sum, point);
        // The next bit of the same sum, or bit 0.
        let next = rows.peek().map(|(next, _)| *next);
        let next = next.filter(|next| next >> SHIFT_BITS == shift >> SHIFT_BITS);
        for _ in next.unwrap_or(shift >> SHIFT_BITS << SHIFT_BITS)..shift {
            *sum = G1::double(sum);
        }
    }
    Some(sums)
}
