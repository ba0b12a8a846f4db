// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Miller loops with precomputed lines.

use std::ptr;

use blst::{blst_fp, blst_fp6, blst_p1_affine, blst_p2_affine};

use super::Miller;
use crate::lanes::library::one_12;
use crate::lanes::X;

/// The number of lines: tangents, one for each bit of |x| except the first, and lines through two
/// points, one for each further bit that is 1.
const COUNT: usize = (X.ilog2() + X.count_ones() - 1) as usize;

/// The lines of a finite point Q of G2, in the library's form: (a, b, c) for a − 2b·x·v + 2c·y·vw
/// at the point (x, y) of G1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lines(Box<[blst_fp6; COUNT]>);

impl Lines {
    pub(crate) fn of(q: &blst_p2_affine) -> Self {
        let mut lines = Box::new([blst_fp6::default(); COUNT]);
        // SAFETY: the library reads one point and writes `COUNT` lines, the length of the list.
        unsafe { blst::blst_precompute_lines(lines.as_mut_ptr(), q) };
        Self(lines)
    }
}

/// Returns (−2x, 2y) of a point.
fn doubled_coordinates(point: &blst_p1_affine) -> [blst_fp; 2] {
    let mut doubled = [blst_fp::default(); 2];
    let [x, y] = &mut doubled;
    let minus_x = ptr::from_mut(x);
    // SAFETY: the library reads elements and writes one, which may be the one that it reads.
    unsafe {
        blst::blst_fp_add(minus_x, &point.x, &point.x);
        blst::blst_fp_cneg(minus_x, minus_x, true);
        blst::blst_fp_add(y, &point.y, &point.y);
    }
    doubled
}

/// Returns the product of the Miller loops of finite points of G1 and points with lines; the loops
/// share their squarings.
pub(crate) fn miller_product_at_lines(pairs: &[(&blst_p1_affine, &Lines)]) -> Miller {
    let points: Vec<[blst_fp; 2]> =
        pairs.iter().map(|(point, _)| doubled_coordinates(point)).collect();
    let mut product = one_12();
    let result = ptr::from_mut(&mut product);
    let mut number = 0;
    let mut multiply_by_lines = || {
        for ([x, y], (_, lines)) in points.iter().zip(pairs) {
            let mut line = lines.0[number];
            for (coefficient, coordinate) in [(1, x), (2, y)] {
                for element in &mut line.fp2[coefficient].fp {
                    let element = ptr::from_mut(element);
                    // SAFETY: the library reads two elements and writes one of them.
                    unsafe { blst::blst_fp_mul(element, element, coordinate) };
                }
            }
            // SAFETY: the library reads an element and a line, and writes the element.
            unsafe { blst::blst_fp12_mul_by_xy00z0(result, result, &line) };
        }
        number += 1;
    };
    for bit in (0..X.ilog2()).rev() {
        if bit + 1 != X.ilog2() {
            // SAFETY: the library reads one element and writes it.
            unsafe { blst::blst_fp12_sqr(result, result) };
        }
        multiply_by_lines();
        if X >> bit & 1 == 1 {
            multiply_by_lines();
        }
    }
    // x is negative.
    // SAFETY: the library negates half of an element in place.
    unsafe { blst::blst_fp12_conjugate(result) };
    Miller(product)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::library::miller_product;
    use crate::{Fr, Point, G1, G2};

    #[test]
    fn products_at_lines_are_the_librarys() {
        let mut factor = Fr::from(1);
        let mut next = || {
            factor = factor * Fr::from(0xdead_beef) + Fr::from(7);
            factor
        };
        for count in 0..5 {
            let pair = |_| {
                let p = Point::<G1>::generator().times(&next());
                (*p.affine(), *Point::<G2>::generator().times(&next()).affine())
            };
            let pairs: Vec<_> = (0..count).map(pair).collect();
            let lines: Vec<Lines> = pairs.iter().map(|(_, q)| Lines::of(q)).collect();
            let prepared: Vec<_> = pairs.iter().map(|(p, _)| p).zip(&lines).collect();
            let expected = miller_product(&pairs.iter().collect::<Vec<_>>());
            assert_eq!(miller_product_at_lines(&prepared), Miller(expected), "{count}");
        }
    }
}
