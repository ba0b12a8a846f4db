// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The Miller loop of the optimal ate pairing, f_{|x|,Q}(P) conjugated, for the curve parameter
//! x = −|x|.
//!
//! The multiple of Q is in homogeneous projective coordinates on the twist y² = x³ + 4ξ (Costello,
//! Lange, Naehrig: "Faster pairing computations on curves with high-degree twists", 2010), so that
//! no inversion is needed. Factors of lines that lie in Fp2 are left out or added, since the final
//! exponentiation removes them. For the same reason a pair with P = (0, 0) counts as 1; such pairs
//! fill lanes that have no pair.

use halimede_arith::lanes::bls12_381::Fp;
use halimede_arith::lanes::Lanes;
use halimede_arith::outlined;

use super::fp12::{multiply_by_line, square, Fp12, Line, Workspace, LINE};
use super::fp2::{reduce, Fp2, REDUCED};

/// |x|; x itself is negative.
pub const X: u64 = 0xd201_0000_0001_0000;

/// A point of the curve per lane, prepared for lines: x and −y.
#[derive(Clone, Copy)]
pub struct PointOfLines<L> {
    pub x: Fp<L, REDUCED>,
    pub negative_y: Fp<L, REDUCED>,
}

/// An affine point of the twist per lane.
#[derive(Clone, Copy)]
pub struct TwistPoint<L> {
    pub x: Fp2<L, REDUCED>,
    pub y: Fp2<L, REDUCED>,
}

/// A point (X/Z, Y/Z) of the twist.
#[derive(Clone, Copy)]
pub struct Projective<L> {
    x: Fp2<L, REDUCED>,
    y: Fp2<L, REDUCED>,
    z: Fp2<L, REDUCED>,
}

/// A line before it is evaluated at P: c₀ + c₁·x·v − c₂·y·vw.
#[derive(Clone, Copy)]
pub struct Coefficients<L> {
    c0: Fp2<L, LINE>,
    c1: Fp2<L, 9>,
    c2: Fp2<L, 9>,
}

impl<L: Lanes> Coefficients<L> {
    /// Evaluates the line at a point.
    #[inline(always)]
    fn at(&self, point: &PointOfLines<L>) -> Line<L> {
        Line { c0: self.c0, c1: self.c1.scaled(&point.x), c2: self.c2.scaled(&point.negative_y) }
    }
}

outlined! {
    /// Doubles a point and returns the tangent there. With B = Y², C = Z², E = 12ξC, F = 3E and
    /// H = 2YZ: X₃ = 2XY(B − F), Y₃ = (B + F)² − 12E², Z₃ = 4BH, and the tangent is
    /// E − B + 3X²·x·v − H·y·vw.
    fn doubled<L: Lanes>(point: &mut Projective<L>) -> Coefficients<L> {
        let Projective { x, y, z } = *point;
        let (b, c) = (y.square(), z.square());
        let h = y.plus::<_, 6>(&z).square().minus::<_, 9>(&b.plus::<_, 6>(&c));
        let e = c.times_xi::<6>().times::<12, 72>();
        let f = e.times::<3, 216>();
        let tangent = Coefficients {
            c0: e.minus(&b),
            c1: x.square().times::<3, 9>(),
            c2: h,
        };
        let twice = x.product(&y).times::<2, 6>();
        let y3 = b.plus::<_, 219>(&f).wide_square().minus::<_, 13>(
            &e.wide_square().times::<12, 12>(),
        );
        *point = Projective {
            x: twice.product(&b.minus::<_, 219>(&f)),
            y: reduce(y3.widest()),
            z: b.times::<4, 12>().product(&h),
        };
        tangent
    }

    /// Adds an affine point and returns the line through both points. With Θ = Y − yZ, Λ = X − xZ,
    /// E = Λ³, G = XΛ² and H = E + ZΘ² − 2G: X₃ = ΛH, Y₃ = Θ(G − H) − EY, Z₃ = ZE, and the line is
    /// Λy − Θx + Θ·x·v − Λ·y·vw, where x and y are those of Q in the constant term and those of P
    /// in the other terms.
    fn added<L: Lanes>(point: &mut Projective<L>, other: &TwistPoint<L>) -> Coefficients<L> {
        let Projective { x, y, z } = *point;
        let theta = y.minus::<_, 6>(&other.y.product(&z));
        let lambda = x.minus::<_, 6>(&other.x.product(&z));
        let square = lambda.square();
        let e = lambda.product(&square);
        let f = z.product(&theta.square());
        let g = x.product(&square);
        let h = e.plus::<_, 6>(&f).minus::<_, 12>(&g.times::<2, 6>());
        let y3 = theta
            .wide_product(&g.minus::<_, 15>(&h))
            .minus::<_, 6>(&e.wide_product(&y));
        let constant = lambda
            .wide_product(&other.y)
            .minus::<_, 6>(&theta.wide_product(&other.x));
        *point = Projective {
            x: lambda.product(&h),
            y: reduce(y3.widest()),
            z: z.product(&e),
        };
        Coefficients {
            c0: reduce(constant.widest()).widened(),
            c1: theta.widened(),
            c2: lambda.widened(),
        }
    }
}

/// One pair of points per lane.
#[derive(Clone, Copy)]
pub struct LanePair<L> {
    pub p: PointOfLines<L>,
    pub q: TwistPoint<L>,
}

/// The steps of a Miller loop: a product of lines that is squared between them.
pub trait Steps {
    /// Squares the product.
    fn square(&mut self);
    /// Doubles all points, and multiplies the product by the tangents.
    fn double(&mut self);
    /// Adds Q to all points, and multiplies the product by the lines.
    fn add(&mut self);
}

/// Does all steps from a product of 1. The conjugate of the result is the product of the Miller
/// loops, since x is negative.
#[inline(always)]
pub fn miller_loop(steps: &mut impl Steps) {
    for bit in (0..X.ilog2()).rev() {
        if bit + 1 != X.ilog2() {
            steps.square();
        }
        steps.double();
        if X >> bit & 1 == 1 {
            steps.add();
        }
    }
}

/// A product of lines.
pub trait Lines<L> {
    /// Squares the product.
    fn square(&mut self);
    /// Multiplies the product by the line of each lane.
    fn multiply(&mut self, line: &Line<L>);
}

/// The loop of some pairs per lane, whose lines are computed.
struct OfPairs<'p, L, Product> {
    pairs: &'p [LanePair<L>],
    points: Vec<Projective<L>>,
    product: Product,
}

impl<L: Lanes, Product: Lines<L>> Steps for OfPairs<'_, L, Product> {
    #[inline(always)]
    fn square(&mut self) {
        self.product.square();
    }

    #[inline(always)]
    fn double(&mut self) {
        for (point, pair) in self.points.iter_mut().zip(self.pairs) {
            let tangent = doubled(point);
            self.product.multiply(&tangent.at(&pair.p));
        }
    }

    #[inline(always)]
    fn add(&mut self) {
        for (point, pair) in self.points.iter_mut().zip(self.pairs) {
            let line = added(point, &pair.q);
            self.product.multiply(&line.at(&pair.p));
        }
    }
}

/// Multiplies `product`, which is 1, by the lines of all pairs ([`miller_loop`]).
#[inline(always)]
pub fn product_of_lines<L: Lanes, Product: Lines<L>>(
    pairs: &[LanePair<L>],
    product: Product,
) -> Product {
    let mut points = Vec::with_capacity(pairs.len());
    for LanePair { q, .. } in pairs {
        points.push(Projective { x: q.x, y: q.y, z: Fp2::one().widened() });
    }
    let mut steps = OfPairs { pairs, points, product };
    miller_loop(&mut steps);
    steps.product
}

/// One product per lane.
struct PerLane<'s, L> {
    product: Fp12<L>,
    space: &'s mut Workspace<L>,
}

impl<L: Lanes> Lines<L> for PerLane<'_, L> {
    #[inline(always)]
    fn square(&mut self) {
        square(&mut self.product, self.space);
    }

    #[inline(always)]
    fn multiply(&mut self, line: &Line<L>) {
        multiply_by_line(&mut self.product, line, self.space);
    }
}

/// Returns the product of the Miller loops of all pairs of each lane, which share the squarings in
/// Fp12.
#[inline(always)]
pub fn miller_products<L: Lanes>(pairs: &[LanePair<L>], space: &mut Workspace<L>) -> Fp12<L> {
    let one = PerLane { product: Fp12::one(), space };
    product_of_lines(pairs, one).product.conjugate()
}
