// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sums of multiples of points in lanes: Pippenger's buckets with one window in each lane. Each
//! term is added to one bucket of each window, and no two lanes share a bucket.

#![allow(clippy::needless_range_loop)] // one index runs through several arrays

use std::marker::PhantomData;

use halimede_arith::lanes::{Kernel, Lanes, LANES};
use rayon::prelude::*;

use crate::digits::{Raised, Windows};

/// A curve whose points are added in lanes, by complete formulas. All functions with `L` must be
/// `#[inline(always)]`, like kernels.
pub trait LaneCurve {
    /// A point to add, the same in each lane.
    type Row: Sync;
    /// A point in memory.
    type Bucket: Copy;
    /// A point as a result.
    type Sum: Copy + Send;
    /// One point per lane.
    type Point<L: Lanes>: Copy;
    /// Numbers that the formulas need.
    type Constants;

    /// Returns the numbers that the formulas need.
    fn constants() -> Self::Constants;
    /// Returns the neutral element.
    fn identity() -> Self::Bucket;
    /// Loads a point for each lane.
    fn load<L: Lanes>(buckets: &[Self::Bucket], places: &[usize; LANES]) -> Self::Point<L>;
    /// Stores the point of each lane. All places differ.
    fn store<L: Lanes>(
        point: &Self::Point<L>,
        buckets: &mut [Self::Bucket],
        places: &[usize; LANES],
    );
    /// Returns the point plus a row, or minus that row in the lanes with a negative sign.
    fn add_row<L: Lanes>(point: &Self::Point<L>, row: &Self::Row, sign: L) -> Self::Point<L>;
    /// Returns a + b.
    fn add<L: Lanes>(
        a: &Self::Point<L>,
        b: &Self::Point<L>,
        constants: &Self::Constants,
    ) -> Self::Point<L>;
    /// Returns the point of each lane.
    fn sums<L: Lanes>(point: &Self::Point<L>) -> [Self::Sum; LANES];
}

/// The digits of a number in eight windows.
pub type Digits = [i16; LANES];

/// Computes the sums of eight windows.
pub struct Group<'a, C: LaneCurve> {
    /// The terms; those beyond the digits are not added.
    pub rows: &'a [C::Row],
    /// The digits of each term.
    pub digits: &'a [Digits],
    /// The largest digit.
    pub most: usize,
    /// The curve.
    pub curve: PhantomData<C>,
}

/// Returns the place of the bucket of a digit in each lane. Those of digit 0 are never read.
#[inline(always)]
fn places(digits: &Digits) -> [usize; LANES] {
    let mut places = [0; LANES];
    for lane in 0..LANES {
        places[lane] = usize::from(digits[lane].unsigned_abs()) * LANES + lane;
    }
    places
}

impl<C: LaneCurve> Kernel for Group<'_, C> {
    type Output = [C::Sum; LANES];

    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        let mut buckets = vec![C::identity(); (self.most + 1) * LANES];
        for (row, digits) in self.rows.iter().zip(self.digits) {
            let places = places(digits);
            let mut signs = [0; LANES];
            for lane in 0..LANES {
                signs[lane] = i64::from(digits[lane]) as u64;
            }
            let bucket = C::load::<L>(&buckets, &places);
            C::store(&C::add_row(&bucket, row, L::load(&signs)), &mut buckets, &places);
        }
        // Σ i·bucket(i), by running sums.
        let constants = C::constants();
        let neutral = vec![C::identity(); LANES];
        let mut running = C::load::<L>(&neutral, &places(&[0; LANES]));
        let mut total = running;
        for digit in (1..=self.most).rev() {
            let bucket = C::load::<L>(&buckets, &places(&[digit as i16; LANES]));
            running = C::add(&running, &bucket, &constants);
            total = C::add(&total, &running, &constants);
        }
        C::sums(&total)
    }
}

/// The number of groups of eight windows.
pub fn groups(windows: Windows) -> u32 {
    windows.count.div_ceil(LANES as u32)
}

/// Returns the digits of eight windows of each number.
fn digits(raised: &[Raised], windows: Windows, group: u32) -> impl Iterator<Item = Digits> + '_ {
    let first = group * LANES as u32;
    raised.iter().map(move |raised| {
        std::array::from_fn(|lane| raised.digit(windows, first + lane as u32) as i16)
    })
}

/// The factors of consecutive terms.
pub struct Part<'a> {
    /// The factors, raised for the windows.
    pub numbers: &'a [Raised],
    /// The windows of the factors.
    pub windows: Windows,
}

/// Returns the sum of each window, computed by a function that runs kernels. The parts have the
/// same width; the part with the longest numbers comes first. `None` if `run` returns `None`.
pub fn window_sums<C: LaneCurve>(
    rows: &[C::Row],
    parts: &[Part<'_>],
    run: impl Fn(Group<'_, C>) -> Option<[C::Sum; LANES]> + Sync,
) -> Option<Vec<C::Sum>> {
    let Some(longest) = parts.first().map(|part| part.windows) else { return Some(Vec::new()) };
    let sums_of_group = |group| {
        let mut digits_of_group = Vec::with_capacity(rows.len());
        for part in parts.iter().take_while(|part| group < groups(part.windows)) {
            digits_of_group.extend(digits(part.numbers, part.windows, group));
        }
        let digits = &digits_of_group;
        run(Group { rows, digits, most: longest.most(), curve: PhantomData })
    };
    let all = (0..groups(longest)).into_par_iter().map(sums_of_group);
    let mut sums = all.collect::<Option<Vec<_>>>()?.into_flattened();
    sums.truncate(longest.count as usize);
    Some(sums)
}
