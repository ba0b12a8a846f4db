// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Miller loops with precomputed lines.

use std::ptr;

use blst::{blst_fp, blst_fp12, blst_fp6, blst_p1_affine, blst_p2_affine};

use super::Miller;
use crate::lanes::library::{doubled_coordinates, lines_of, one_12, LINES};
use crate::lanes::{miller_loop, spread, LinesAt, Steps};

/// The lines of a finite point Q of G2, in the library's form: (a, b, c) for a − 2b·x·v + 2c·y·vw
/// at the point (x, y) of G1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lines(Box<[blst_fp6; LINES]>);

impl Lines {
    pub(crate) fn of(q: &blst_p2_affine) -> Self {
        Self(Box::new(lines_of(q)))
    }
}

/// The steps of a Miller loop by the library.
struct Loop<'p> {
    product: blst_fp12,
    points: Vec<[blst_fp; 2]>,
    pairs: &'p [(&'p blst_p1_affine, &'p Lines)],
    /// The number of lines so far.
    number: usize,
}

impl Loop<'_> {
    fn multiply_by_lines(&mut self) {
        let result = ptr::from_mut(&mut self.product);
        for ([x, y], (_, lines)) in self.points.iter().zip(self.pairs) {
            let mut line = lines.0[self.number];
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
        self.number += 1;
    }
}

impl Steps for Loop<'_> {
    fn square(&mut self) {
        let result = ptr::from_mut(&mut self.product);
        // SAFETY: the library reads one element and writes it.
        unsafe { blst::blst_fp12_sqr(result, result) };
    }

    fn double(&mut self) {
        self.multiply_by_lines();
    }

    fn add(&mut self) {
        self.multiply_by_lines();
    }
}

/// Returns the product of the Miller loops of finite points of G1 and points with lines; the loops
/// share their squarings.
pub(crate) fn miller_product_at_lines(pairs: &[(&blst_p1_affine, &Lines)]) -> Miller {
    let points: Vec<[blst_fp; 2]> =
        pairs.iter().map(|(point, _)| doubled_coordinates(point)).collect();
    let lines = pairs.iter().map(|(_, lines)| &lines.0[..]);
    let at_lines: Vec<LinesAt<'_>> = lines.zip(points.iter().copied()).collect();
    if let Some(product) = spread::miller_product_at_lines(&at_lines) {
        return Miller(product);
    }
    let mut steps = Loop { product: one_12(), points, pairs, number: 0 };
    miller_loop(&mut steps);
    // SAFETY: the library negates half of an element in place.
    unsafe { blst::blst_fp12_conjugate(&mut steps.product) };
    Miller(steps.product)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::library::{final_exponentiation, miller_product};
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
            let product = miller_product_at_lines(&prepared);
            assert_eq!(
                final_exponentiation(&product.0),
                final_exponentiation(&expected),
                "{count}"
            );
        }
    }
}
