// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sums of multiples of points by Pippenger's buckets.

use std::marker::PhantomData;

use super::lanes::{Curve, Row};
use super::points::Projective;
use super::{Base, Machine, BITS};
use crate::buckets::{groups, window_sums, Part};
use crate::digits::{Raised, Windows};

/// The bits of a short factor.
pub const SHORT_BITS: u32 = 128;

/// The terms of a sum.
#[derive(Clone, Debug)]
pub struct Terms<M> {
    /// The points whose factors are below 2²⁵⁵, then those whose factors are below 2¹²⁸.
    rows: [Vec<Row>; 2],
    factors: [Vec<[u64; 4]>; 2],
    modulus: PhantomData<M>,
}

impl<M> Default for Terms<M> {
    fn default() -> Self {
        Self { rows: Default::default(), factors: Default::default(), modulus: PhantomData }
    }
}

impl<M: Base> Terms<M> {
    /// Adds points times factors below 2²⁵⁵.
    pub fn extend(&mut self, terms: impl IntoIterator<Item = (Row, [u64; 4])>) {
        for (row, factor) in terms {
            self.rows[0].push(row);
            self.factors[0].push(factor);
        }
    }

    /// Adds points times factors below 2¹²⁸.
    pub fn extend_short(&mut self, terms: impl IntoIterator<Item = (Row, u128)>) {
        for (row, factor) in terms {
            self.rows[1].push(row);
            self.factors[1].push([factor as u64, (factor >> 64) as u64, 0, 0]);
        }
    }

    /// Returns the number of long terms, and of short terms.
    fn counts(&self) -> [usize; 2] {
        [self.rows[0].len(), self.rows[1].len()]
    }
}

/// Returns the windows of long and of short factors.
fn windows(width: u32) -> [Windows; 2] {
    [Windows::new(width, BITS), Windows::new(width, SHORT_BITS)]
}

/// Returns the width with the fewest multiplications: eleven for a term in a window, 24 for a
/// bucket.
fn best_width([long, short]: [usize; 2]) -> u32 {
    let cost = |width: &u32| {
        let [long_groups, short_groups] = windows(*width).map(|windows| groups(windows) as usize);
        11 * (long_groups * long + short_groups * short) + 24 * (long_groups << (width - 1))
    };
    (4..12).min_by_key(cost).unwrap_or(8)
}

/// Returns the sum; `None` without lanes.
pub fn sum<M: Base>(machine: Machine, terms: &Terms<M>) -> Option<Projective<M>> {
    let width = best_width(terms.counts());
    let rows = terms.rows.concat();
    let windows = windows(width);
    let raised = |part: usize| -> Vec<Raised> {
        terms.factors[part].iter().map(|factor| windows[part].raise(factor)).collect()
    };
    let [long, short] = [raised(0), raised(1)];
    let parts = [
        Part { numbers: &long, windows: windows[0] },
        Part { numbers: &short, windows: windows[1] },
    ];
    let sums = window_sums::<Curve<M>>(&rows, &parts, |group| machine.run(group))?;
    Some(combine(&sums, width))
}

/// Returns Σ 2^(width·w)·sums\[w\].
fn combine<M: Base>(sums: &[Projective<M>], width: u32) -> Projective<M> {
    sums.iter().rev().fold(Projective::IDENTITY, |total, sum| {
        (0..width).fold(total, |total, _| total.double()).add(sum)
    })
}
