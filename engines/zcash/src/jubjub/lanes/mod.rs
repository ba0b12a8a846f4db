// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Powers for square roots and sums of multiples, eight at a time, for backends with lanes.
//!
//! - `powers`: sixteen elements in two registers. `points`: the formulas. `rows`: the points of
//!   a sum in memory. `buckets`: the curve of the buckets.

mod buckets;
mod points;
mod powers;
mod rows;

#[cfg(test)]
mod tests;

use halimede_arith::lanes::{self as eight, LANES};
use halimede_arith::serial::{self, Arithmetic, Kernel};
use halimede_arith::{Backend, Fr};

use self::buckets::Jubjub;
use self::powers::{LanePowers, ELEMENTS};
use self::rows::Row;
use super::points::Extended;
use super::powers::Ratio;
use super::terms::{combine, raised, windows, Terms};
use crate::buckets::{groups, window_sums, Group, Part};
use crate::roots::Powers;

/// The number of elements from which a backend computes powers in lanes.
fn worth_powers(backend: Backend) -> usize {
    match backend {
        Backend::Avx512Ifma => 2,
        _ => 6,
    }
}

/// Returns the powers of elements; `None` without lanes, and for so few elements that serial
/// arithmetic is faster.
pub fn powers(backend: Backend, ratios: &[Ratio]) -> Option<Vec<Powers<Fr>>> {
    if !eight::available(backend) || ratios.len() < worth_powers(backend) {
        return None;
    }
    powers_by(ratios, |kernel| eight::run(backend, kernel))
}

/// Returns the powers of elements, computed by a function that runs kernels.
fn powers_by(
    ratios: &[Ratio],
    run: impl Fn(LanePowers<'_>) -> Option<[Powers<Fr>; ELEMENTS]>,
) -> Option<Vec<Powers<Fr>>> {
    let mut all = Vec::with_capacity(ratios.len());
    for some in ratios.chunks(ELEMENTS) {
        // Lanes beyond the last element repeat the first one.
        let mut elements = [some.first()?; ELEMENTS];
        for (lane, element) in elements.iter_mut().zip(some) {
            *lane = element;
        }
        all.extend(&run(LanePowers(elements))?[..some.len()]);
    }
    Some(all)
}

/// Returns the sum of multiples of points; `None` without lanes.
pub fn sum(backend: Backend, terms: &Terms) -> Option<Extended> {
    if !eight::available(backend) {
        return None;
    }
    let width = best_width(terms);
    sum_by(backend, terms, width, |group| eight::run(backend, group))
}

/// Returns the width with the fewest multiplications.
fn best_width(terms: &Terms) -> u32 {
    let cost = |width: &u32| {
        let [short, long] = windows(*width).map(|windows| groups(windows) as usize);
        8 * (short * terms.short.len() + long * terms.long.len()) + 18 * (long << (width - 1))
    };
    (4..12).min_by_key(cost).unwrap_or(8)
}

/// Returns a sum, computed by a function that runs kernels.
fn sum_by(
    backend: Backend,
    terms: &Terms,
    width: u32,
    run: impl Fn(Group<'_, Jubjub>) -> Option<[Extended; LANES]> + Sync,
) -> Option<Extended> {
    let [short, long] = windows(width);
    let rows: Vec<Row> =
        terms.long.iter().chain(&terms.short).map(|term| Row::new(&term.point)).collect();
    let (short_numbers, long_numbers) = (raised(&terms.short, short), raised(&terms.long, long));
    let parts = [
        Part { numbers: &long_numbers, windows: long },
        Part { numbers: &short_numbers, windows: short },
    ];
    let sums = window_sums(&rows, &parts, run)?;
    Some(serial::run(backend, Combination { sums: &sums, width }))
}

/// Combines the sums of windows.
struct Combination<'a> {
    sums: &'a [Extended],
    width: u32,
}

impl Kernel for Combination<'_> {
    type Output = Extended;

    #[inline(always)]
    fn compute<A: Arithmetic>(self) -> Extended {
        combine(self.sums, self.width)
    }
}
