// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The Miller loop, whose value is part of the instruction set. The manual has its formulas, which
//! are those of Costello, Lange and Naehrig, "Faster pairing computations on curves with
//! high-degree twists" (2010), with T in homogeneous coordinates (X/Z, Y/Z).

use blst::{blst_fp, blst_fp12, blst_p1_affine, blst_p2_affine};

use crate::lanes::library::{has_infinity, one_12};
use crate::lanes::{Pair, X};
use crate::library::tower::{conjugate_12, negative, square_12, times_line, Fp2};

/// The multiple T of Q.
#[derive(Clone, Copy)]
struct Projective {
    x: Fp2,
    y: Fp2,
    z: Fp2,
}

/// A line before it is evaluated at P: c₀ + c₁·x·v − c₂·y·vw.
struct Line {
    c0: Fp2,
    c1: Fp2,
    c2: Fp2,
}

impl Line {
    /// Returns the coefficients of 1, v and vw at a point.
    fn at(&self, x: &blst_fp, negative_y: &blst_fp) -> [Fp2; 3] {
        [self.c0, self.c1.scaled(x), self.c2.scaled(negative_y)]
    }
}

impl Projective {
    fn of(point: &blst_p2_affine) -> Self {
        Self { x: Fp2(point.x), y: Fp2(point.y), z: Fp2::one() }
    }

    /// Doubles T and returns the tangent there.
    fn double(&mut self) -> Line {
        let Self { x, y, z } = *self;
        let (b, c) = (y.square(), z.square());
        let h = y.times(&z).small_multiple(2);
        let e = c.times_xi().small_multiple(12);
        let f = e.small_multiple(3);
        let twice = x.times(&y).small_multiple(2);
        *self = Self {
            x: twice.times(&b.minus(&f)),
            y: b.plus(&f).square().minus(&e.square().small_multiple(12)),
            z: b.small_multiple(4).times(&h),
        };
        Line { c0: e.minus(&b), c1: x.square().small_multiple(3), c2: h }
    }

    /// Adds Q and returns the line through both points.
    fn add(&mut self, q: &blst_p2_affine) -> Line {
        let Self { x, y, z } = *self;
        let (qx, qy) = (Fp2(q.x), Fp2(q.y));
        let theta = y.minus(&qy.times(&z));
        let lambda = x.minus(&qx.times(&z));
        let square = lambda.square();
        let e = lambda.times(&square);
        let g = x.times(&square);
        let h = e.plus(&z.times(&theta.square())).minus(&g.small_multiple(2));
        *self = Self {
            x: lambda.times(&h),
            y: theta.times(&g.minus(&h)).minus(&e.times(&y)),
            z: z.times(&e),
        };
        Line { c0: lambda.times(&qy).minus(&theta.times(&qx)), c1: theta, c2: lambda }
    }
}

struct Turn<'p> {
    p: &'p blst_p1_affine,
    negative_y: blst_fp,
    q: &'p blst_p2_affine,
    multiple: Projective,
}

impl Turn<'_> {
    fn times_line(&self, value: &blst_fp12, line: &Line) -> blst_fp12 {
        times_line(value, line.at(&self.p.x, &self.negative_y))
    }
}

/// Returns the product of the Miller loops of pairs; pairs with infinity count as 1.
pub(super) fn miller_product(pairs: &[Pair]) -> blst_fp12 {
    let finite = pairs.iter().filter(|pair| !has_infinity(pair));
    let mut turns: Vec<Turn<'_>> = finite
        .map(|(p, q)| Turn { p, negative_y: negative(&p.y), q, multiple: Projective::of(q) })
        .collect();
    let mut value = one_12();
    for bit in (0..X.ilog2()).rev() {
        value = square_12(&value);
        for turn in &mut turns {
            let tangent = turn.multiple.double();
            value = turn.times_line(&value, &tangent);
        }
        if X >> bit & 1 == 1 {
            for turn in &mut turns {
                let line = turn.multiple.add(turn.q);
                value = turn.times_line(&value, &line);
            }
        }
    }
    conjugate_12(&value) // x is negative
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::library::{final_exponentiation, miller_product as of_library};
    use crate::lanes::{has_lanes, miller_products};
    use crate::{Fr, Point, G1, G2};

    fn pairs() -> Vec<Pair> {
        let pair = |number: u64| {
            let p = Point::<G1>::generator().times(&Fr::from(3 * number + 1));
            (*p.affine(), *Point::<G2>::generator().times(&Fr::from(number + 5)).affine())
        };
        (0..8).map(pair).collect()
    }

    #[test]
    fn values_are_those_of_the_lanes() {
        let pairs = pairs();
        let lists: Vec<&[Pair]> = pairs.iter().map(std::slice::from_ref).collect();
        for (list, of_lanes) in lists.iter().zip(miller_products(&lists)) {
            let value = miller_product(list);
            let of_library = of_library(&[&list[0]]);
            assert_eq!(final_exponentiation(&value), final_exponentiation(&of_library));
            if has_lanes() {
                assert_eq!(value, of_lanes);
            }
        }
    }

    #[test]
    fn a_product_is_the_product_of_the_values() {
        let mut pairs = pairs();
        let product = |pairs: &[Pair]| {
            let values = pairs.iter().map(|pair| miller_product(std::slice::from_ref(pair)));
            values.reduce(|a, b| crate::lanes::library::product_12(&a, &b)).unwrap()
        };
        assert_eq!(miller_product(&pairs), product(&pairs));
        pairs[1].0 = blst_p1_affine::default();
        pairs[2].1 = blst_p2_affine::default();
        assert_eq!(miller_product(&pairs), product(&pairs));
        assert_eq!(miller_product(&pairs[1..3]), one_12());
    }
}
