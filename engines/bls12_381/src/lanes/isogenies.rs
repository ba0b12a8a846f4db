// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The isogenies of RFC 9380, appendix E, from E1' and E2' to E1 and E2.
//!
//! An isogeny maps (x, y) to (f(x)/h(x)², y·g(x)/h(x)³). So with W = Z² and homogeneous polynomials
//! in X and W, it maps a point (X, Y, Z) in Jacobian coordinates to (f, Y·g, Z·h). f has the degree
//! of h² plus one, and g that of h³; no denominator is evaluated.

use std::sync::OnceLock;

use blst::{blst_fp, blst_fp2};
use halimede_arith::lanes::Lanes;

use super::curve::{Coordinates, Jacobian};
use super::isogeny_of_e1;
use super::library;

/// The largest degree of a polynomial.
const LARGEST_DEGREE: usize = 15;

/// f, g and h of an isogeny, constant terms first.
pub struct Isogeny<T> {
    f: Vec<T>,
    g: Vec<T>,
    h: Vec<T>,
}

impl<T> Isogeny<T> {
    /// Returns the image of a point, with Z = 0 if it is infinity.
    #[inline(always)]
    pub fn image<L: Lanes, C: Coordinates<L, Constant = T>>(
        &self,
        point: &Jacobian<L, C>,
    ) -> Jacobian<L, C> {
        let w = C::square(&point.z);
        let mut powers = [w; LARGEST_DEGREE];
        for power in 1..self.g.len() - 1 {
            powers[power] = C::product(&powers[power - 1], &w);
        }
        let x = value::<L, C>(&self.f, &point.x, &powers);
        let y = C::product(&point.y, &value::<L, C>(&self.g, &point.x, &powers));
        let z = C::product(&point.z, &value::<L, C>(&self.h, &point.x, &powers));
        Jacobian { x: C::widened::<3, 27>(x), y: C::widened::<3, 27>(y), z: C::widened::<3, 6>(z) }
    }
}

/// Evaluates the homogeneous polynomial at X and W; the powers of W are given from W¹ on.
#[inline(always)]
fn value<L: Lanes, C: Coordinates<L>>(
    coefficients: &[C::Constant],
    x: &C::Element<27>,
    powers: &[C::Element<3>; LARGEST_DEGREE],
) -> C::Element<3> {
    let degree = coefficients.len() - 1;
    let mut value = C::constant(&coefficients[degree]);
    for place in (0..degree).rev() {
        let coefficient = C::constant(&coefficients[place]);
        value = C::sum_of_products(x, &value, &coefficient, &powers[degree - place - 1]);
    }
    value
}

/// Returns the isogeny of degree 11 from E1' to E1.
pub fn isogeny_to_e1() -> &'static Isogeny<blst_fp> {
    static ISOGENY: OnceLock<Isogeny<blst_fp>> = OnceLock::new();
    ISOGENY.get_or_init(|| {
        let elements = |numbers: &[_]| numbers.iter().map(library::of_words).collect();
        let mut h: Vec<blst_fp> = elements(&isogeny_of_e1::KERNEL);
        h.push(library::one());
        Isogeny {
            f: elements(&isogeny_of_e1::X_NUMERATOR),
            g: elements(&isogeny_of_e1::Y_NUMERATOR),
            h,
        }
    })
}

/// Returns the isogeny of degree 3 from E2' to E2, with the numerators of x and y times 9 and 27,
/// and h three times x − x₀ for x₀ = −6 + 6u.
pub fn isogeny_to_e2() -> &'static Isogeny<blst_fp2> {
    static ISOGENY: OnceLock<Isogeny<blst_fp2>> = OnceLock::new();
    ISOGENY.get_or_init(|| {
        let elements = |numbers: &[[i64; 2]]| numbers.iter().map(library::small_of_fp2).collect();
        Isogeny {
            f: elements(&[[304, 304], [0, -24], [12, -12], [1, 0]]),
            g: elements(&[[752, 752], [0, 264], [-18, 18], [-1, 0]]),
            h: elements(&[[18, -18], [3, 0]]),
        }
    })
}
