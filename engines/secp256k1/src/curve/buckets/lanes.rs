// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Buckets in lanes: first one bucket per lane, the longest lists first, so that the lists of a
//! register have nearly the same length; then one window per lane.

#![allow(clippy::needless_range_loop)] // one index runs through several arrays

use std::cmp::Reverse;

use halimede_arith::lanes::element::LIMBS;
use halimede_arith::lanes::secp256k1::canonical;
use halimede_arith::lanes::transfer::words_of_limbs;
use halimede_arith::lanes::{self as eight, Columns, Kernel, Lanes, LANES};
use halimede_arith::serial::limbs::Limbs;
use halimede_arith::Backend;
use rayon::prelude::*;

use super::windows::{Entry, Lists, Windows};
use crate::curve::lanes::{Affine, Jacobian};
use crate::curve::serial::{Jacobian as SerialJacobian, Row};

/// The number of registers of buckets that a thread adds at a time.
const TOGETHER: usize = 16;

/// A point as limbs of 52 bits: five of X, five of Y, five of Z, and one that is not used.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct Bucket([[u64; LANES]; 2]);

const EMPTY: Bucket = Bucket([[0; LANES]; 2]);

/// Returns the sum of each bucket; `None` for a backend without lanes.
pub fn buckets(
    backend: Backend,
    rows: &[Row],
    lists: &Lists,
    starts: &[Row],
) -> Option<Vec<Bucket>> {
    let in_window = lists.windows.buckets();
    let mut order: Vec<usize> = (0..lists.count()).collect();
    order.sort_by_key(|bucket| Reverse(lists.list(*bucket).len()));
    let sums_of_group = |group: &[usize]| {
        // Lanes beyond the last bucket have no points.
        let mut registers = Addition { rows, lists: [&[]; LANES], starts: [&starts[0]; LANES] };
        for (lane, bucket) in group.iter().enumerate() {
            registers.lists[lane] = lists.list(*bucket);
            registers.starts[lane] = &starts[bucket % in_window];
        }
        eight::run(backend, registers)
    };
    let sums: Option<Vec<_>> =
        order.par_chunks(LANES).with_min_len(TOGETHER).map(sums_of_group).collect();
    let mut buckets = vec![EMPTY; lists.count()];
    for (bucket, sum) in order.iter().zip(sums?.iter().flatten()) {
        buckets[*bucket] = *sum;
    }
    Some(buckets)
}

/// Returns Σ b·B(b) of each window, from the sums of all buckets; Z is 0 where the formulas failed.
/// `None` for a backend without lanes.
pub fn window_sums(
    backend: Backend,
    windows: Windows,
    buckets: &[Bucket],
) -> Option<Vec<SerialJacobian>> {
    let windows: Vec<&[Bucket]> = buckets.chunks_exact(windows.buckets()).collect();
    let sums_of_group = |group: &[&[Bucket]]| {
        // Lanes beyond the last window repeat the first one.
        let mut windows = [*group.first()?; LANES];
        windows[..group.len()].copy_from_slice(group);
        let sums = eight::run(backend, Reduction { windows })?;
        Some(sums.into_iter().take(group.len()).collect::<Vec<_>>())
    };
    let sums: Option<Vec<_>> = windows.par_chunks(LANES).map(sums_of_group).collect();
    Some(sums?.into_iter().flatten().collect())
}

/// Adds the points of one bucket per lane.
struct Addition<'a> {
    rows: &'a [Row],
    lists: [&'a [Entry]; LANES],
    starts: [&'a Row; LANES],
}

impl Kernel for Addition<'_> {
    type Output = [Bucket; LANES];

    #[inline(always)]
    fn run<L: Lanes>(self) -> [Bucket; LANES] {
        let mut rows = [&self.starts[0].0; LANES];
        let mut longest = 0;
        for lane in 0..LANES {
            rows[lane] = &self.starts[lane].0;
            longest = self.lists[lane].len().max(longest);
        }
        let mut sum = Jacobian::of(&Affine::<L>::of_rows(rows, &[0; LANES]));
        for step in 0..longest {
            // Lanes at the end of their list add their start and ignore the sum.
            let (mut signs, mut is_active) = ([0; LANES], [0; LANES]);
            for lane in 0..LANES {
                rows[lane] = &self.starts[lane].0;
                if let Some(entry) = self.lists[lane].get(step) {
                    rows[lane] = &self.rows[entry.row()].0;
                    signs[lane] = entry.sign();
                    is_active[lane] = 1 << 63;
                }
            }
            let next = sum.add(&Affine::of_rows(rows, &signs));
            sum = next.select_by_sign(L::load(&is_active), &sum);
        }
        stored(&sum)
    }
}

/// Computes Σ b·B(b) for one window per lane.
struct Reduction<'a> {
    windows: [&'a [Bucket]; LANES],
}

impl Kernel for Reduction<'_> {
    type Output = [SerialJacobian; LANES];

    #[inline(always)]
    fn run<L: Lanes>(self) -> [SerialJacobian; LANES] {
        let highest = self.windows[0].len() - 1;
        let mut running = loaded::<L>(&self.windows, highest);
        let mut total = running;
        for number in (0..highest).rev() {
            running = running.add_jacobian(&loaded(&self.windows, number));
            total = total.add_jacobian(&running);
        }
        let [x, y, z] = [&total.x, &total.y, &total.z].map(words::<L>);
        let mut sums = [SerialJacobian { x: [0; 4], y: [0; 4], z: [0; 4] }; LANES];
        for lane in 0..LANES {
            sums[lane] = SerialJacobian { x: x[lane], y: y[lane], z: z[lane] };
        }
        sums
    }
}

/// Loads a bucket of each window.
#[inline(always)]
fn loaded<L: Lanes>(windows: &[&[Bucket]; LANES], number: usize) -> Jacobian<L> {
    let mut rows = [[&windows[0][number].0[0]; LANES]; 2];
    for lane in 0..LANES {
        let Bucket([low, high]) = &windows[lane][number];
        (rows[0][lane], rows[1][lane]) = (low, high);
    }
    let [x0, x1, x2, x3, x4, y0, y1, y2] = L::load_rows(rows[0]);
    let [y3, y4, z0, z1, z2, z3, z4, _] = L::load_rows(rows[1]);
    Jacobian { x: [x0, x1, x2, x3, x4], y: [y0, y1, y2, y3, y4], z: [z0, z1, z2, z3, z4] }
}

/// Stores the point of each lane.
#[inline(always)]
fn stored<L: Lanes>(point: &Jacobian<L>) -> [Bucket; LANES] {
    let mut buckets = [EMPTY; LANES];
    for (place, columns) in [&point.x, &point.y, &point.z].into_iter().enumerate() {
        for limb in 0..LIMBS {
            let (number, lanes) = (LIMBS * place + limb, columns[limb].store());
            for lane in 0..LANES {
                buckets[lane].0[number / LANES][number % LANES] = lanes[lane];
            }
        }
    }
    buckets
}

/// Returns each lane's number in [0, p).
#[inline(always)]
fn words<L: Lanes>(number: &Columns<L>) -> [Limbs; LANES] {
    let words = words_of_limbs(canonical(number)).map(|word| word.store());
    let mut numbers = [[0; 4]; LANES];
    for lane in 0..LANES {
        for word in 0..4 {
            numbers[lane][word] = words[word][lane];
        }
    }
    numbers
}
