// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The differences between G1 and G2, and the kernels over both.

use std::marker::PhantomData;
use std::sync::OnceLock;

use blst::{blst_fp, blst_fp2, blst_p1_affine, blst_p2_affine};
use halimede_arith::lanes::{Kernel, Lanes, LANES};

use super::additions::{add, load_points, store_points, Additions, PointUnit, PoolRow, Rows};
use crate::lanes::curve::{OverFp, OverFp2};
use crate::lanes::groups;
use crate::lanes::transfer::{load_fp, load_g1, load_g2, store_fp, store_fp2, POINTS_OF_G1};
use crate::lanes::worth::{Worth, WorthInGroup};
use crate::library::{Curve, G1, G2};

/// A curve whose points are added in lanes. All functions must be `#[inline(always)]`, like
/// kernels.
pub trait LaneCurve: Curve {
    /// The number of rows of a coordinate.
    const ROWS: usize;
    /// The number of points that are added in parallel.
    const POINTS: usize = POINTS_OF_G1 / Self::ROWS;

    /// Selects the numbers of points from which lanes are worth it.
    fn worth(worth: &Worth) -> &WorthInGroup;
    /// Returns β with x²·(X, Y) = (βX, −Y) for points of the group, where x is the curve parameter.
    fn beta() -> &'static blst_fp;
    /// Returns x²·P.
    fn times_x_square(point: &Self::Affine) -> Self::Affine;
    /// Returns 2·P.
    fn double(point: &Self::Jacobian) -> Self::Jacobian;

    /// Adds pairs of points.
    fn add_pairs<L: Lanes>(additions: Additions<'_>) -> Option<Vec<u32>>;
    /// Writes up to [`Self::POINTS`] points, four units each.
    fn store<L: Lanes>(pool: &mut [PoolRow], points: &[Self::Affine], beta: Option<&blst_fp>);
    /// Appends up to [`Self::POINTS`] points of a pool.
    fn load<L: Lanes>(pool: Rows<'_>, places: &[PointUnit], points: &mut Vec<Self::Affine>);
}

impl LaneCurve for G1 {
    const ROWS: usize = 1;

    fn worth(worth: &Worth) -> &WorthInGroup {
        &worth.g1
    }

    fn beta() -> &'static blst_fp {
        groups::beta()
    }
    fn times_x_square(point: &blst_p1_affine) -> blst_p1_affine {
        let mut result = Self::negate(point);
        // SAFETY: all are valid.
        unsafe { blst::blst_fp_mul(&mut result.x, &point.x, Self::beta()) };
        result
    }
    fn double(point: &Self::Jacobian) -> Self::Jacobian {
        let mut double = Self::Jacobian::default();
        // SAFETY: both are valid.
        unsafe { blst::blst_p1_double(&mut double, point) };
        double
    }

    #[inline(always)]
    fn add_pairs<L: Lanes>(additions: Additions<'_>) -> Option<Vec<u32>> {
        add::<L, OverFp>(additions)
    }
    #[inline(always)]
    fn store<L: Lanes>(pool: &mut [PoolRow], points: &[blst_p1_affine], beta: Option<&blst_fp>) {
        let mut lanes = [points[0]; POINTS_OF_G1];
        lanes[..points.len()].copy_from_slice(points);
        let point = load_g1::<L>(&lanes);
        match beta {
            Some(beta) => store_points::<L, OverFp>(pool, point, Some(&load_fp([beta; LANES]))),
            None => store_points::<L, OverFp>(pool, point, None),
        }
    }
    #[inline(always)]
    fn load<L: Lanes>(pool: Rows<'_>, places: &[PointUnit], points: &mut Vec<blst_p1_affine>) {
        let (x, y) = load_points::<L, OverFp>(pool, places);
        for (number, places) in places.chunks(LANES).enumerate() {
            let (x, y) = (store_fp(&x[number]), store_fp(&y[number]));
            for lane in 0..places.len() {
                points.push(blst_p1_affine { x: x[lane], y: y[lane] });
            }
        }
    }
}

/// Returns the product of a number and its conjugate.
fn norm(a: &blst_fp2) -> blst_fp {
    let (mut conjugate, mut product) = (*a, blst_fp2::default());
    // SAFETY: all are valid.
    unsafe {
        blst::blst_fp_cneg(&mut conjugate.fp[1], &a.fp[1], true);
        blst::blst_fp2_mul(&mut product, a, &conjugate);
    }
    product.fp[0]
}

impl LaneCurve for G2 {
    const ROWS: usize = 2;

    fn worth(worth: &Worth) -> &WorthInGroup {
        &worth.g2
    }

    fn beta() -> &'static blst_fp {
        // ψ is multiplication by x: ψ² maps (X, Y) to (c₀c̄₀X, c₁c̄₁Y), and c₁c̄₁ is −1.
        static BETA: OnceLock<blst_fp> = OnceLock::new();
        BETA.get_or_init(|| norm(&groups::psi()[0]))
    }
    fn times_x_square(point: &blst_p2_affine) -> blst_p2_affine {
        let mut result = Self::negate(point);
        for (result, part) in result.x.fp.iter_mut().zip(&point.x.fp) {
            // SAFETY: all are valid.
            unsafe { blst::blst_fp_mul(result, part, Self::beta()) };
        }
        result
    }
    fn double(point: &Self::Jacobian) -> Self::Jacobian {
        let mut double = Self::Jacobian::default();
        // SAFETY: both are valid.
        unsafe { blst::blst_p2_double(&mut double, point) };
        double
    }

    #[inline(always)]
    fn add_pairs<L: Lanes>(additions: Additions<'_>) -> Option<Vec<u32>> {
        add::<L, OverFp2>(additions)
    }
    #[inline(always)]
    fn store<L: Lanes>(pool: &mut [PoolRow], points: &[blst_p2_affine], beta: Option<&blst_fp>) {
        let mut lanes = [points[0]; LANES];
        lanes[..points.len()].copy_from_slice(points);
        let point = load_g2::<L>(&lanes);
        match beta {
            Some(beta) => store_points::<L, OverFp2>(pool, point, Some(&load_fp([beta; LANES]))),
            None => store_points::<L, OverFp2>(pool, point, None),
        }
    }
    #[inline(always)]
    fn load<L: Lanes>(pool: Rows<'_>, places: &[PointUnit], points: &mut Vec<blst_p2_affine>) {
        let (x, y) = load_points::<L, OverFp2>(pool, places);
        let (x, y) = (store_fp2(&x), store_fp2(&y));
        for lane in 0..places.len() {
            points.push(blst_p2_affine { x: x[lane], y: y[lane] });
        }
    }
}

/// [`Additions`] on a curve.
pub struct AddPairs<'a, C>(pub Additions<'a>, pub PhantomData<C>);

impl<C: LaneCurve> Kernel for AddPairs<'_, C> {
    type Output = Option<Vec<u32>>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        C::add_pairs::<L>(self.0)
    }
}

/// Stores points in a pool, four units each: x, y, βx, −y.
pub struct StorePoints<'a, C: Curve> {
    pub pool: &'a mut [PoolRow],
    pub points: &'a [C::Affine],
    /// If absent, βx is not written.
    pub beta: Option<&'a blst_fp>,
}

impl<C: LaneCurve> Kernel for StorePoints<'_, C> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let rows = self.pool.chunks_mut(4 * C::ROWS * C::POINTS);
        for (rows, points) in rows.zip(self.points.chunks(C::POINTS)) {
            C::store::<L>(rows, points, self.beta);
        }
    }
}

/// Loads points from a pool.
pub struct LoadPoints<'a, C> {
    pub pool: Rows<'a>,
    pub places: &'a [PointUnit],
    pub curve: PhantomData<C>,
}

impl<C: LaneCurve> Kernel for LoadPoints<'_, C> {
    type Output = Vec<C::Affine>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        let mut points = Vec::with_capacity(self.places.len());
        for places in self.places.chunks(C::POINTS) {
            C::load::<L>(self.pool, places, &mut points);
        }
        points
    }
}
