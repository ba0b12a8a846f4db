// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Multiples of independent points by numbers of 128 bits, such as a batch's random multipliers:
//! sixteen points of G1 at a time, eight of G2.
//!
//! A number is written as 33 signed odd digits of four bits, the first of them 1. An even number
//! has the digits of the next number, and the point is subtracted at the end. Each point has a
//! table of its odd multiples up to 15, scaled to a common Z without an inversion: the formulas
//! also hold on that isomorphic curve.

use blst::{blst_p1, blst_p1_affine, blst_p2, blst_p2_affine};
use halimede_arith::lanes::{run, Kernel, Lanes, LANES};
use halimede_arith::Backend;

use super::curve::{Coordinates, Digits, Jacobian, OverFp, OverFp2, ENTRIES};
use super::library;
use super::transfer::{load_g1, load_g2, store_fp, store_fp2, POINTS_OF_G1};
use super::worth::worth;

/// The number of digits of a number, except the first digit.
const WINDOWS: usize = 32;

/// The numbers of a kernel's points as digits, the last window first.
pub(super) struct Numbers {
    pub(super) windows: [Digits; WINDOWS],
    /// −1 where the point is subtracted at the end.
    pub(super) even: Digits,
}

impl Numbers {
    /// Returns the digits of numbers; the first row holds those of the first LANES points.
    pub(super) fn new(numbers: &[u128]) -> Self {
        let mut result = Self { windows: [[[1; LANES]; 2]; WINDOWS], even: [[0; LANES]; 2] };
        for (point, number) in numbers.iter().enumerate() {
            let (row, lane) = (point / LANES, point % LANES);
            result.even[row][lane] = if number % 2 == 0 { -1 } else { 0 };
            // Subtracts the odd digit d − 16, where d is the lowest five bits; the rest divided by
            // 16 is odd again. After the last window it is 1, the first digit.
            let mut rest = number | 1;
            for window in 0..WINDOWS {
                let digit = (rest & 31) as i8 - 16;
                result.windows[window][row][lane] = digit;
                rest = rest >> 4 | 1;
            }
        }
        result
    }
}

/// A table of the odd multiples of points, all with the same Z.
pub(super) struct Table<L: Lanes, C: Coordinates<L>> {
    pub(super) x: [C::Stored; ENTRIES],
    y: [C::Stored; ENTRIES],
    pub(super) z: C::Element<3>,
}

impl<L: Lanes, C: Coordinates<L>> Table<L, C> {
    #[inline(always)]
    pub(super) fn new(x: &C::Element<3>, y: &C::Element<3>) -> Self {
        let (x, y) = (C::widened::<3, 27>(*x), C::widened::<3, 27>(*y));
        let twice: Jacobian<L, C> = Jacobian::of(x, y).doubled();
        let zz = C::square(&twice.z);
        let zzz = C::product(&zz, &twice.z);
        let first: Jacobian<L, C> = Jacobian::of(
            C::widened::<3, 27>(C::product(&x, &zz)),
            C::widened::<3, 27>(C::product(&y, &zzz)),
        );
        // On this curve 2·P has Z = 1.
        let mut entries = [first; ENTRIES];
        let mut ratios = [C::widened::<1, 30>(C::one()); ENTRIES];
        for entry in 1..ENTRIES {
            (entries[entry], ratios[entry]) =
                entries[entry - 1].added_with_ratio(&twice.x, &twice.y);
        }
        let last = &entries[ENTRIES - 1];
        let (x, y) = (C::product(&last.x, &C::one()), C::product(&last.y, &C::one()));
        let mut table = Self {
            x: [C::stored(&x); ENTRIES],
            y: [C::stored(&y); ENTRIES],
            z: C::product(&twice.z, &last.z),
        };
        let mut ratio = C::widened::<1, 3>(C::one());
        for entry in (0..ENTRIES - 1).rev() {
            ratio = C::product(&ratio, &ratios[entry + 1]);
            let square = C::square(&ratio);
            table.x[entry] = C::stored(&C::product(&entries[entry].x, &square));
            let cube = C::product(&square, &ratio);
            table.y[entry] = C::stored(&C::product(&entries[entry].y, &cube));
        }
        table
    }

    /// Selects points by digits.
    #[inline(always)]
    pub(super) fn points(&self, digits: &Digits) -> [C::Element<27>; 2] {
        let y = C::gathered(&self.y, digits);
        let y = C::replaced_where(&y, digits, &C::negated(&y));
        [C::widened::<3, 27>(C::gathered(&self.x, digits)), C::widened::<3, 27>(y)]
    }
}

/// Returns the multiples of points; Z is 0 where the formulas failed.
#[inline(always)]
fn multiples<L: Lanes, C: Coordinates<L>>(
    x: &C::Element<3>,
    y: &C::Element<3>,
    numbers: &Numbers,
) -> Jacobian<L, C> {
    let table = Table::<L, C>::new(x, y);
    let [x, y] = table.points(&[[1; LANES]; 2]);
    let mut sum: Jacobian<L, C> = Jacobian::of(x, y);
    for digits in numbers.windows.iter().rev() {
        for _ in 0..4 {
            sum = sum.doubled();
        }
        let [x, y] = table.points(digits);
        sum = sum.added(&x, &y);
    }
    let [x, y] = table.points(&[[-1; LANES]; 2]);
    let less = sum.added(&x, &y);
    let sum = sum.replaced_where(&numbers.even, &less);
    Jacobian { z: C::widened::<3, 6>(C::product(&sum.z, &table.z)), ..sum }
}

/// Computes multiples of sixteen points.
pub(super) struct MultiplesG1<'a> {
    pub points: &'a [blst_p1_affine; POINTS_OF_G1],
    pub numbers: &'a Numbers,
}

impl Kernel for MultiplesG1<'_> {
    type Output = [blst_p1; POINTS_OF_G1];

    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        let (x, y) = load_g1::<L>(self.points);
        let sum = multiples::<L, OverFp>(&x, &y, self.numbers);
        let mut results = [blst_p1::default(); POINTS_OF_G1];
        for (number, results) in results.chunks_mut(LANES).enumerate() {
            let (x, y) = (store_fp(&sum.x[number]), store_fp(&sum.y[number]));
            let z = store_fp(&sum.z[number]);
            for (lane, result) in results.iter_mut().enumerate() {
                *result = blst_p1 { x: x[lane], y: y[lane], z: z[lane] };
            }
        }
        results
    }
}

/// Computes multiples of eight points.
pub(super) struct MultiplesG2<'a> {
    pub points: &'a [blst_p2_affine; LANES],
    pub numbers: &'a Numbers,
}

impl Kernel for MultiplesG2<'_> {
    type Output = [blst_p2; LANES];

    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        let (x, y) = load_g2::<L>(self.points);
        let sum = multiples::<L, OverFp2>(&x, &y, self.numbers);
        let (x, y, z) = (store_fp2(&sum.x), store_fp2(&sum.y), store_fp2(&sum.z));
        let mut results = [blst_p2::default(); LANES];
        for (lane, result) in results.iter_mut().enumerate() {
            *result = blst_p2 { x: x[lane], y: y[lane], z: z[lane] };
        }
        results
    }
}

/// Returns each point of G1 times its number, in Jacobian coordinates.
///
/// # Panics
/// If the numbers of points and factors differ.
pub fn multiples_g1(points: &[blst_p1_affine], numbers: &[u128]) -> Vec<blst_p1> {
    assert_eq!(points.len(), numbers.len(), "a number for each point");
    let mut results = Vec::with_capacity(points.len());
    for (points, numbers) in points.chunks(POINTS_OF_G1).zip(numbers.chunks(POINTS_OF_G1)) {
        let mut lanes = [points[0]; POINTS_OF_G1];
        lanes[..points.len()].copy_from_slice(points);
        let together = match points.len() >= worth().g1.multiples {
            true => {
                let numbers = Numbers::new(numbers);
                let kernel = MultiplesG1 { points: &lanes, numbers: &numbers };
                run(Backend::active(), kernel)
            }
            false => None,
        };
        let found = |place: usize| together.as_ref().map(|together| together[place]);
        for (place, (point, number)) in points.iter().zip(numbers).enumerate() {
            // For points of G1, Z is 0 only if the point is infinity or the number is 0.
            let in_lanes = found(place).filter(|found| found.z != blst::blst_fp::default());
            results.push(in_lanes.unwrap_or_else(|| library::multiple_g1(point, *number)));
        }
    }
    results
}

/// Returns each point of G2 times its number, in Jacobian coordinates.
///
/// # Panics
/// If the numbers of points and factors differ.
pub fn multiples_g2(points: &[blst_p2_affine], numbers: &[u128]) -> Vec<blst_p2> {
    assert_eq!(points.len(), numbers.len(), "a number for each point");
    let mut results = Vec::with_capacity(points.len());
    for (points, numbers) in points.chunks(LANES).zip(numbers.chunks(LANES)) {
        let mut lanes = [points[0]; LANES];
        lanes[..points.len()].copy_from_slice(points);
        let together = match points.len() >= worth().g2.multiples {
            true => {
                let numbers = Numbers::new(numbers);
                let kernel = MultiplesG2 { points: &lanes, numbers: &numbers };
                run(Backend::active(), kernel)
            }
            false => None,
        };
        let found = |place: usize| together.as_ref().map(|together| together[place]);
        for (place, (point, number)) in points.iter().zip(numbers).enumerate() {
            // As in G1.
            let in_lanes = found(place).filter(|found| found.z != blst::blst_fp2::default());
            results.push(in_lanes.unwrap_or_else(|| library::multiple_g2(point, *number)));
        }
    }
    results
}
