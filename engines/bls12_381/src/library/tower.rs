// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Arithmetic in the tower of fields. An element of Fp, Fp2 or Fp6 is represented as an element of
//! Fp12 whose other coefficients are 0: sums, products, inverses and Frobenius maps stay in the
//! smaller field.

use blst::{blst_fp, blst_fp12, blst_fp2, blst_fp6};

pub(crate) use crate::lanes::library::{frobenius, product_12};

/// Returns an element as a big-endian number.
pub(crate) fn fp_to_be(element: &blst_fp) -> [u8; 48] {
    let mut bytes = [0; 48];
    // SAFETY: the library reads one element and writes 48 bytes.
    unsafe { blst::blst_bendian_from_fp(bytes.as_mut_ptr(), element) };
    bytes
}

/// Returns the coefficients over Fp: those of Fp2 of 1, v, v², w, vw, v²w, constant terms first.
pub(crate) fn coefficients(element: &blst_fp12) -> [blst_fp; 12] {
    let mut all = [blst_fp::default(); 12];
    let parts = element.fp6.iter().flat_map(|half| &half.fp2).flat_map(|pair| &pair.fp);
    for (coefficient, part) in all.iter_mut().zip(parts) {
        *coefficient = *part;
    }
    all
}

/// 0; the library's default is 1.
pub(crate) fn zero_12() -> blst_fp12 {
    blst_fp12 { fp6: Default::default() }
}

/// Creates an element from up to twelve coefficients; the remaining ones are 0.
pub(crate) fn from_coefficients(coefficients: &[blst_fp]) -> blst_fp12 {
    let mut element = zero_12();
    let parts = element.fp6.iter_mut().flat_map(|half| &mut half.fp2);
    for (part, coefficient) in parts.flat_map(|pair| &mut pair.fp).zip(coefficients) {
        *part = *coefficient;
    }
    element
}

fn by_coefficients(
    a: &blst_fp12,
    b: &blst_fp12,
    combine: impl Fn(&blst_fp, &blst_fp) -> blst_fp,
) -> blst_fp12 {
    let (a, b) = (coefficients(a), coefficients(b));
    let combined: Vec<blst_fp> = a.iter().zip(&b).map(|(a, b)| combine(a, b)).collect();
    from_coefficients(&combined)
}

/// a + b.
pub(crate) fn sum_12(a: &blst_fp12, b: &blst_fp12) -> blst_fp12 {
    by_coefficients(a, b, |a, b| {
        let mut sum = blst_fp::default();
        // SAFETY: the library reads two elements and writes one.
        unsafe { blst::blst_fp_add(&mut sum, a, b) };
        sum
    })
}

/// a − b.
pub(crate) fn difference_12(a: &blst_fp12, b: &blst_fp12) -> blst_fp12 {
    by_coefficients(a, b, |a, b| {
        let mut difference = blst_fp::default();
        // SAFETY: the library reads two elements and writes one.
        unsafe { blst::blst_fp_sub(&mut difference, a, b) };
        difference
    })
}

/// a².
pub(crate) fn square_12(a: &blst_fp12) -> blst_fp12 {
    let mut square = blst_fp12::default();
    // SAFETY: the library reads one element and writes one.
    unsafe { blst::blst_fp12_sqr(&mut square, a) };
    square
}

/// Returns 1/a, or 0 for 0.
pub(crate) fn inverse_12(a: &blst_fp12) -> blst_fp12 {
    let mut inverse = blst_fp12::default();
    // SAFETY: the library reads one element and writes one.
    unsafe { blst::blst_fp12_inverse(&mut inverse, a) };
    inverse
}

/// Returns the conjugate: a with w negated.
pub(crate) fn conjugate_12(a: &blst_fp12) -> blst_fp12 {
    let mut conjugate = *a;
    // SAFETY: the library negates half of an element in place.
    unsafe { blst::blst_fp12_conjugate(&mut conjugate) };
    conjugate
}

/// a·(x + y·v + z·vw).
pub(crate) fn times_line(a: &blst_fp12, [x, y, z]: [Fp2; 3]) -> blst_fp12 {
    let (line, mut product) = (blst_fp6 { fp2: [x.0, y.0, z.0] }, blst_fp12::default());
    // SAFETY: the library reads an element and a line, and writes an element.
    unsafe { blst::blst_fp12_mul_by_xy00z0(&mut product, a, &line) };
    product
}

/// An element of Fp2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fp2(pub(crate) blst_fp2);

impl Fp2 {
    /// 1.
    pub(crate) fn one() -> Self {
        Self(blst_fp2 { fp: [crate::lanes::library::one(), blst_fp::default()] })
    }

    /// a + b.
    pub(crate) fn plus(&self, other: &Self) -> Self {
        let mut sum = blst_fp2::default();
        // SAFETY: the library reads two elements and writes one.
        unsafe { blst::blst_fp2_add(&mut sum, &self.0, &other.0) };
        Self(sum)
    }

    /// a − b.
    pub(crate) fn minus(&self, other: &Self) -> Self {
        let mut difference = blst_fp2::default();
        // SAFETY: the library reads two elements and writes one.
        unsafe { blst::blst_fp2_sub(&mut difference, &self.0, &other.0) };
        Self(difference)
    }

    /// a·b.
    pub(crate) fn times(&self, other: &Self) -> Self {
        let mut product = blst_fp2::default();
        // SAFETY: the library reads two elements and writes one.
        unsafe { blst::blst_fp2_mul(&mut product, &self.0, &other.0) };
        Self(product)
    }

    /// a².
    pub(crate) fn square(&self) -> Self {
        self.times(self)
    }

    /// Returns n·a for a small n, by additions.
    pub(crate) fn small_multiple(&self, number: u32) -> Self {
        let mut multiple = Self(blst_fp2::default());
        for bit in (0..u32::BITS - number.leading_zeros()).rev() {
            multiple = multiple.plus(&multiple);
            if number >> bit & 1 == 1 {
                multiple = multiple.plus(self);
            }
        }
        multiple
    }

    /// Returns (1 + u)·a.
    pub(crate) fn times_xi(&self) -> Self {
        let [constant, multiple] = self.0.fp;
        let turned = Self(blst_fp2 { fp: [negative(&multiple), constant] });
        self.plus(&turned)
    }

    /// Returns b·a for an element b of Fp.
    pub(crate) fn scaled(&self, factor: &blst_fp) -> Self {
        let mut scaled = self.0;
        for part in &mut scaled.fp {
            let factors = *part;
            // SAFETY: the library reads two elements and writes one.
            unsafe { blst::blst_fp_mul(part, &factors, factor) };
        }
        Self(scaled)
    }
}

/// −a.
pub(crate) fn negative(element: &blst_fp) -> blst_fp {
    let mut negated = blst_fp::default();
    // SAFETY: the library reads one element and writes one.
    unsafe { blst::blst_fp_cneg(&mut negated, element, true) };
    negated
}
