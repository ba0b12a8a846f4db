// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Products of independent points of G1 and scalars, sixteen at a time.
//!
//! A scalar is k₀ + k₁·x² with two numbers below x², and x²·(X, Y) = (βX, −Y). Both numbers have
//! signed odd digits as in [`multiples`](super::multiples), and share their doublings.

use blst::{blst_fp, blst_p1, blst_p1_affine};
use halimede_arith::lanes::{run, Kernel, Lanes, LANES};
use halimede_arith::Backend;

use super::buckets::split;
use super::curve::{Coordinates, Digits, Jacobian, OverFp, ENTRIES};
use super::groups::beta;
use super::multiples::{Numbers, Table};
use super::transfer::{load_fp, load_g1, store_fp, POINTS_OF_G1};
use super::worth::worth;
use crate::library::{products, Curve, G1};

type Coordinate<L, const B: u64> = <OverFp as Coordinates<L>>::Element<B>;

/// The table of a point, and that of x² times the point.
struct Tables<L: Lanes> {
    table: Table<L, OverFp>,
    beta_x: [<OverFp as Coordinates<L>>::Stored; ENTRIES],
}

impl<L: Lanes> Tables<L> {
    #[inline(always)]
    fn new(x: &Coordinate<L, 3>, y: &Coordinate<L, 3>, beta: &Coordinate<L, 3>) -> Self {
        let table = Table::<L, OverFp>::new(x, y);
        let mut beta_x = table.x;
        for (entry, place) in beta_x.iter_mut().enumerate() {
            let digit = 2 * entry as i8 + 1;
            let [x, _] = table.points(&[[digit; LANES]; 2]);
            let product = <OverFp as Coordinates<L>>::product(&x, beta);
            *place = <OverFp as Coordinates<L>>::stored(&product);
        }
        Self { table, beta_x }
    }

    /// Selects multiples of the point by digits.
    #[inline(always)]
    fn low(&self, digits: &Digits) -> [Coordinate<L, 27>; 2] {
        self.table.points(digits)
    }

    /// Selects multiples of x² times the point by digits.
    #[inline(always)]
    fn high(&self, digits: &Digits) -> [Coordinate<L, 27>; 2] {
        let [_, y] = self.table.points(digits);
        let x = <OverFp as Coordinates<L>>::gathered(&self.beta_x, digits);
        [<OverFp as Coordinates<L>>::widened::<3, 27>(x), <OverFp as Coordinates<L>>::negated(&y)]
    }
}

/// Computes the products of sixteen points.
struct ProductsG1<'a> {
    points: &'a [blst_p1_affine; POINTS_OF_G1],
    low: &'a Numbers,
    high: &'a Numbers,
    beta: &'a blst_fp,
}

impl Kernel for ProductsG1<'_> {
    /// Z is 0 where the formulas failed.
    type Output = [blst_p1; POINTS_OF_G1];

    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        let (x, y) = load_g1::<L>(self.points);
        let tables = Tables::<L>::new(&x, &y, &[load_fp([self.beta; LANES]); 2]);
        let (one, minus_one) = ([[1; LANES]; 2], [[-1; LANES]; 2]);
        let [x, y] = tables.low(&one);
        let mut sum: Jacobian<L, OverFp> = Jacobian::of(x, y);
        let [x, y] = tables.high(&one);
        sum = sum.added(&x, &y);
        for (low, high) in self.low.windows.iter().zip(&self.high.windows).rev() {
            for _ in 0..4 {
                sum = sum.doubled();
            }
            let [x, y] = tables.low(low);
            sum = sum.added(&x, &y);
            let [x, y] = tables.high(high);
            sum = sum.added(&x, &y);
        }
        let [x, y] = tables.low(&minus_one);
        let less = sum.added(&x, &y);
        sum = sum.replaced_where(&self.low.even, &less);
        let [x, y] = tables.high(&minus_one);
        let less = sum.added(&x, &y);
        sum = sum.replaced_where(&self.high.even, &less);
        let z = <OverFp as Coordinates<L>>::product(&sum.z, &tables.table.z);
        let mut results = [blst_p1::default(); POINTS_OF_G1];
        for (number, results) in results.chunks_mut(LANES).enumerate() {
            let (x, y) = (store_fp(&sum.x[number]), store_fp(&sum.y[number]));
            let z = store_fp(&z[number]);
            for (lane, result) in results.iter_mut().enumerate() {
                *result = blst_p1 { x: x[lane], y: y[lane], z: z[lane] };
            }
        }
        results
    }
}

/// Returns each point of G1 times its scalar, in Jacobian coordinates, computed on this thread.
///
/// # Panics
/// If the numbers of points and scalars differ.
pub fn products_g1(points: &[blst_p1_affine], scalars: &[[u8; 32]]) -> Vec<blst_p1> {
    assert_eq!(points.len(), scalars.len(), "a scalar for each point");
    let mut results = Vec::with_capacity(points.len());
    if points.len() < worth().g1.multiples {
        return products(points, scalars);
    }
    for (points, scalars) in points.chunks(POINTS_OF_G1).zip(scalars.chunks(POINTS_OF_G1)) {
        let together = in_lanes(points, scalars);
        for (place, (point, scalar)) in points.iter().zip(scalars).enumerate() {
            let found = together.as_ref().map(|together| together[place]);
            let found = found.filter(|found| found.z != blst_fp::default());
            // Z is also 0 if the product is infinity.
            let by_library = || products(&[*point], &[*scalar])[0];
            results.push(match found {
                Some(found) => found,
                None if G1::is_infinity(point) => blst_p1::default(),
                None => by_library(),
            });
        }
    }
    results
}

fn in_lanes(points: &[blst_p1_affine], scalars: &[[u8; 32]]) -> Option<[blst_p1; POINTS_OF_G1]> {
    let mut lanes = [points[0]; POINTS_OF_G1];
    lanes[..points.len()].copy_from_slice(points);
    let (low, high): (Vec<u128>, Vec<u128>) =
        scalars.iter().map(split).map(|[low, high]| (low, high)).unzip();
    let (low, high) = (Numbers::new(&low), Numbers::new(&high));
    let kernel = ProductsG1 { points: &lanes, low: &low, high: &high, beta: beta() };
    run(Backend::active(), kernel)
}
