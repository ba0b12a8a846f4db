// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Loads blst's values into lanes, and stores them.

use blst::{blst_fp, blst_fp12, blst_fp2, blst_p1_affine, blst_p2_affine};
use halimede_arith::lanes::bls12_381::{of_montgomery_384, to_montgomery_384, Fp};
use halimede_arith::lanes::{Lanes, LANES};

use super::fp12::Fp12;
use super::fp2::{Fp2, REDUCED};
use super::miller::{LanePair, PointOfLines, TwistPoint};

/// The number of points of G1 that a kernel takes: two per lane.
pub const POINTS_OF_G1: usize = 2 * LANES;

/// A point of each group, in blst's format.
pub type Pair = (blst_p1_affine, blst_p2_affine);

/// Loads one element of Fp per lane.
#[inline(always)]
pub fn load_fp<L: Lanes>(elements: [&blst_fp; LANES]) -> Fp<L, REDUCED> {
    let [a, b, c, d, e, f, g, h] = elements;
    of_montgomery_384([&a.l, &b.l, &c.l, &d.l, &e.l, &f.l, &g.l, &h.l])
}

/// Stores the elements of the lanes.
#[inline(always)]
pub fn store_fp<L: Lanes, const B: u64>(element: &Fp<L, B>) -> [blst_fp; LANES] {
    let mut elements = [blst_fp::default(); LANES];
    for (element, l) in elements.iter_mut().zip(to_montgomery_384(element)) {
        element.l = l;
    }
    elements
}

/// Loads one element of Fp2 per lane.
#[inline(always)]
pub fn load_fp2<L: Lanes>(elements: [&blst_fp2; LANES]) -> Fp2<L, REDUCED> {
    let mut parts = [Fp::zero(); 2];
    for (number, part) in parts.iter_mut().enumerate() {
        let [a, b, c, d, e, f, g, h] = elements;
        *part = load_fp([
            &a.fp[number],
            &b.fp[number],
            &c.fp[number],
            &d.fp[number],
            &e.fp[number],
            &f.fp[number],
            &g.fp[number],
            &h.fp[number],
        ]);
    }
    Fp2(parts)
}

/// Stores the elements of the lanes.
#[inline(always)]
pub fn store_fp2<L: Lanes, const B: u64>(element: &Fp2<L, B>) -> [blst_fp2; LANES] {
    let mut elements = [blst_fp2::default(); LANES];
    for (number, part) in element.0.iter().enumerate() {
        for (element, part) in elements.iter_mut().zip(store_fp(part)) {
            element.fp[number] = part;
        }
    }
    elements
}

/// Loads one element of Fp12 per lane.
#[inline(always)]
pub fn load_fp12<L: Lanes>(elements: &[blst_fp12; LANES]) -> Fp12<L> {
    let mut result = Fp12([[Fp2::zero(); 3]; 2]);
    for (half, parts) in result.0.iter_mut().enumerate() {
        for (number, part) in parts.iter_mut().enumerate() {
            let mut values = [&elements[0].fp6[half].fp2[number]; LANES];
            for (value, element) in values.iter_mut().zip(elements) {
                *value = &element.fp6[half].fp2[number];
            }
            *part = load_fp2(values);
        }
    }
    result
}

/// Stores the elements of the lanes.
#[inline(always)]
pub fn store_fp12<L: Lanes>(element: &Fp12<L>) -> [blst_fp12; LANES] {
    let mut elements = [blst_fp12::default(); LANES];
    for (half, parts) in element.0.iter().enumerate() {
        for (number, part) in parts.iter().enumerate() {
            for (element, value) in elements.iter_mut().zip(store_fp2(part)) {
                element.fp6[half].fp2[number] = value;
            }
        }
    }
    elements
}

/// Loads one pair per lane; a lane without a pair gets one that counts as 1.
#[inline(always)]
pub fn load_pairs<L: Lanes>(pairs: &[Option<&Pair>; LANES], filler: &Pair) -> LanePair<L> {
    let mut lanes = [filler; LANES];
    for (lane, pair) in lanes.iter_mut().zip(pairs) {
        *lane = pair.unwrap_or(filler);
    }
    let [a, b, c, d, e, f, g, h] = lanes;
    let p = PointOfLines {
        x: load_fp([&a.0.x, &b.0.x, &c.0.x, &d.0.x, &e.0.x, &f.0.x, &g.0.x, &h.0.x]),
        negative_y: Fp2([
            load_fp([&a.0.y, &b.0.y, &c.0.y, &d.0.y, &e.0.y, &f.0.y, &g.0.y, &h.0.y]),
            Fp::zero(),
        ])
        .negated()
        .0[0],
    };
    let q = TwistPoint {
        x: load_fp2([&a.1.x, &b.1.x, &c.1.x, &d.1.x, &e.1.x, &f.1.x, &g.1.x, &h.1.x]),
        y: load_fp2([&a.1.y, &b.1.y, &c.1.y, &d.1.y, &e.1.y, &f.1.y, &g.1.y, &h.1.y]),
    };
    LanePair { p, q }
}

/// Loads sixteen points of the curve, two per lane: x and y.
#[inline(always)]
pub fn load_g1<L: Lanes>(
    points: &[blst_p1_affine; POINTS_OF_G1],
) -> ([Fp<L, REDUCED>; 2], [Fp<L, REDUCED>; 2]) {
    let (mut x, mut y) = ([Fp::zero(); 2], [Fp::zero(); 2]);
    for (number, points) in points.chunks_exact(LANES).enumerate() {
        let (mut xs, mut ys) = ([&points[0].x; LANES], [&points[0].y; LANES]);
        for lane in 0..LANES {
            (xs[lane], ys[lane]) = (&points[lane].x, &points[lane].y);
        }
        (x[number], y[number]) = (load_fp(xs), load_fp(ys));
    }
    (x, y)
}

/// Loads eight points of the twist, one per lane: x and y.
#[inline(always)]
pub fn load_g2<L: Lanes>(points: &[blst_p2_affine; LANES]) -> (Fp2<L, REDUCED>, Fp2<L, REDUCED>) {
    let (mut x, mut y) = ([&points[0].x; LANES], [&points[0].y; LANES]);
    for lane in 0..LANES {
        (x[lane], y[lane]) = (&points[lane].x, &points[lane].y);
    }
    (load_fp2(x), load_fp2(y))
}
