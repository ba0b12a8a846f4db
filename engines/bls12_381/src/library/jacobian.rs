// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points given by coordinates, which need not be on the curve.

use blst::blst_fp;

use super::curve::{Curve, G1, G2};

/// Conversion of points from and to elements of Fp: x, y or X, Y, Z, constant terms first.
pub(crate) trait Coordinates: Curve {
    /// Creates an affine point from 2·[`Curve::DEGREE`] elements.
    fn affine_of(elements: &[blst_fp]) -> Self::Affine;
    /// Creates a Jacobian point from 3·[`Curve::DEGREE`] elements.
    fn jacobian_of(elements: &[blst_fp]) -> Self::Jacobian;
    /// Returns the elements of an affine point.
    fn affine_elements(point: &Self::Affine) -> Vec<blst_fp>;
    /// Returns the elements of a Jacobian point.
    fn jacobian_elements(point: &Self::Jacobian) -> Vec<blst_fp>;
    /// Returns `true` if Z is 0.
    fn is_infinite(point: &Self::Jacobian) -> bool;
    /// Returns `true` if the point is on the curve, as infinity is.
    fn is_on_curve(point: &Self::Jacobian) -> bool;
    /// Returns `true` if two points of the curve are equal.
    fn is_same(p: &Self::Jacobian, q: &Self::Jacobian) -> bool;
}

macro_rules! coordinates {
    (
        $curve:ident, $affine:ident, $jacobian:ident, $is_infinite:ident, $is_on_curve:ident,
        $is_same:ident, |$coordinate:ident| $elements:expr
    ) => {
        impl Coordinates for $curve {
            fn affine_of(elements: &[blst_fp]) -> Self::Affine {
                let (x, y) = elements.split_at(Self::DEGREE);
                blst::$affine { x: Self::coordinate(x), y: Self::coordinate(y) }
            }

            fn jacobian_of(elements: &[blst_fp]) -> Self::Jacobian {
                let (x, rest) = elements.split_at(Self::DEGREE);
                let (y, z) = rest.split_at(Self::DEGREE);
                let [x, y, z] = [x, y, z].map(Self::coordinate);
                blst::$jacobian { x, y, z }
            }

            fn affine_elements(point: &Self::Affine) -> Vec<blst_fp> {
                [point.x, point.y].iter().flat_map(|$coordinate| $elements).collect()
            }

            fn jacobian_elements(point: &Self::Jacobian) -> Vec<blst_fp> {
                [point.x, point.y, point.z].iter().flat_map(|$coordinate| $elements).collect()
            }

            fn is_infinite(point: &Self::Jacobian) -> bool {
                // SAFETY: the library reads one point.
                unsafe { blst::$is_infinite(point) }
            }

            fn is_on_curve(point: &Self::Jacobian) -> bool {
                // SAFETY: the library reads one point.
                Self::is_infinite(point) || unsafe { blst::$is_on_curve(point) }
            }

            fn is_same(p: &Self::Jacobian, q: &Self::Jacobian) -> bool {
                // SAFETY: the library reads two points.
                unsafe { blst::$is_same(p, q) }
            }
        }
    };
}

coordinates!(
    G1,
    blst_p1_affine,
    blst_p1,
    blst_p1_is_inf,
    blst_p1_on_curve,
    blst_p1_is_equal,
    |coordinate| [*coordinate]
);

coordinates!(
    G2,
    blst_p2_affine,
    blst_p2,
    blst_p2_is_inf,
    blst_p2_on_curve,
    blst_p2_is_equal,
    |coordinate| coordinate.fp
);
