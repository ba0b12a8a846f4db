// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The functions of blst that are used before and after the lanes, and where lanes are not faster.

use blst::{
    blst_fp, blst_fp12, blst_fp2, blst_fp6, blst_p1, blst_p1_affine, blst_p2, blst_p2_affine,
};
use halimede_arith::lanes::LANES;

use super::miller::X;
use super::transfer::Pair;

/// The number of lines of a Miller loop: tangents, one for each bit of |x| except the first, and
/// lines through two points, one for each further bit that is 1.
pub const LINES: usize = (X.ilog2() + X.count_ones() - 1) as usize;

/// Returns 1 in Fp.
pub fn one() -> blst_fp {
    let (mut one, words) = (blst_fp::default(), [1, 0, 0, 0, 0, 0]);
    // SAFETY: both are valid, and a number has six words.
    unsafe { blst::blst_fp_from_uint64(&mut one, words.as_ptr()) };
    one
}

/// Returns a·b.
fn product(a: &blst_fp, b: &blst_fp) -> blst_fp {
    let mut result = blst_fp::default();
    // SAFETY: all are valid.
    unsafe { blst::blst_fp_mul(&mut result, a, b) };
    result
}

/// Converts a number below p, highest word first, to an element.
pub fn of_words(words: &[u64; 6]) -> blst_fp {
    let (mut element, mut lowest_first) = (blst_fp::default(), *words);
    lowest_first.reverse();
    // SAFETY: both are valid, and a number has six words.
    unsafe { blst::blst_fp_from_uint64(&mut element, lowest_first.as_ptr()) };
    element
}

/// Converts two small numbers, constant term first, to an element of Fp2.
pub fn small_of_fp2(parts: &[i64; 2]) -> blst_fp2 {
    let mut element = blst_fp2::default();
    for (part, number) in element.fp.iter_mut().zip(parts) {
        let magnitude = of_words(&[0, 0, 0, 0, 0, number.unsigned_abs()]);
        // SAFETY: both are valid.
        unsafe { blst::blst_fp_cneg(part, &magnitude, *number < 0) };
    }
    element
}

/// Returns the bytes of `expand_message_xmd` with SHA-256 (RFC 9380, section 5.3.1) for the
/// concatenation of `prefix` and `message`.
pub fn expanded<const N: usize>(domain: &[u8], prefix: &[u8], message: &[u8]) -> [u8; N] {
    const { assert!(N.is_multiple_of(32) && N <= 255 * 32, "whole digests, and not too many of them") };
    let joined;
    let content = match prefix {
        [] => message,
        _ => {
            joined = [prefix, message].concat();
            &joined
        }
    };
    let mut bytes = [0; N];
    // SAFETY: the library reads two byte strings of these lengths, and writes N bytes.
    unsafe {
        blst::blst_expand_message_xmd(
            bytes.as_mut_ptr(),
            N,
            content.as_ptr(),
            content.len(),
            domain.as_ptr(),
            domain.len(),
        );
    }
    bytes
}

/// Returns 1/a.
pub fn inverse(a: &blst_fp) -> blst_fp {
    let mut result = blst_fp::default();
    // SAFETY: both are valid.
    unsafe { blst::blst_fp_inverse(&mut result, a) };
    result
}

/// Returns √−n, for a square −n.
pub fn root_of_minus(n: u64) -> blst_fp {
    let (number, mut opposite) = (of_words(&[0, 0, 0, 0, 0, n]), blst_fp::default());
    let mut root = blst_fp::default();
    // SAFETY: all are valid.
    let is_root = unsafe {
        blst::blst_fp_cneg(&mut opposite, &number, true);
        blst::blst_fp_sqrt(&mut root, &opposite)
    };
    assert!(is_root, "-{n} is a square");
    root
}

/// Returns 1/a of each number with one inversion; 0 for 0.
pub fn inverses(numbers: [blst_fp; LANES]) -> [blst_fp; LANES] {
    let zero = blst_fp::default();
    let mut products = [one(); LANES + 1];
    for (lane, number) in numbers.iter().enumerate() {
        let is_zero = *number == zero;
        products[lane + 1] =
            if is_zero { products[lane] } else { product(&products[lane], number) };
    }
    let mut rest = inverse(&products[LANES]);
    let mut inverses = [zero; LANES];
    for (lane, number) in numbers.iter().enumerate().rev() {
        if *number != zero {
            inverses[lane] = product(&rest, &products[lane]);
            rest = product(&rest, number);
        }
    }
    inverses
}

/// Returns f^(pⁿ).
pub fn frobenius(f: &blst_fp12, power: usize) -> blst_fp12 {
    let mut result = blst_fp12::default();
    // SAFETY: both are valid.
    unsafe { blst::blst_fp12_frobenius_map(&mut result, f, power) };
    result
}

/// Returns 1 in Fp12.
pub fn one_12() -> blst_fp12 {
    // SAFETY: it is a constant of the library.
    unsafe { *blst::blst_fp12_one() }
}

/// Returns a·b.
pub fn product_12(a: &blst_fp12, b: &blst_fp12) -> blst_fp12 {
    let mut result = blst_fp12::default();
    // SAFETY: all are valid.
    unsafe { blst::blst_fp12_mul(&mut result, a, b) };
    result
}

/// Returns 1/a.
pub fn inverse_12(a: &blst_fp12) -> blst_fp12 {
    let mut result = blst_fp12::default();
    // SAFETY: both are valid.
    unsafe { blst::blst_fp12_inverse(&mut result, a) };
    result
}

/// Returns the lines of a finite point of G2, in the order of the Miller loop: (a, b, c) for
/// a − 2b·x·v + 2c·y·vw at the point (x, y) of G1.
pub fn lines_of(q: &blst_p2_affine) -> [blst_fp6; LINES] {
    let mut lines = [blst_fp6::default(); LINES];
    // SAFETY: the library reads one point and writes `LINES` lines, the length of the list.
    unsafe { blst::blst_precompute_lines(lines.as_mut_ptr(), q) };
    lines
}

/// Returns (−2x, 2y) of a point of G1: the factors of its lines.
pub fn doubled_coordinates(point: &blst_p1_affine) -> [blst_fp; 2] {
    let mut doubled = [blst_fp::default(); 2];
    let [x, y] = &mut doubled;
    let minus_x = std::ptr::from_mut(x);
    // SAFETY: the library reads elements and writes one, which may be the one that it reads.
    unsafe {
        blst::blst_fp_add(minus_x, &point.x, &point.x);
        blst::blst_fp_cneg(minus_x, minus_x, true);
        blst::blst_fp_add(y, &point.y, &point.y);
    }
    doubled
}

/// Returns the product of the Miller loops of pairs without infinity.
pub fn miller_product(pairs: &[&Pair]) -> blst_fp12 {
    if pairs.is_empty() {
        return one_12();
    }
    let ps: Vec<*const blst_p1_affine> =
        pairs.iter().map(|pair| std::ptr::from_ref(&pair.0)).collect();
    let qs: Vec<*const blst_p2_affine> =
        pairs.iter().map(|pair| std::ptr::from_ref(&pair.1)).collect();
    let mut result = blst_fp12::default();
    // SAFETY: both lists have `pairs.len()` valid pointers.
    unsafe { blst::blst_miller_loop_n(&mut result, qs.as_ptr(), ps.as_ptr(), pairs.len()) };
    result
}

/// Returns f^(3(p¹² − 1)/r).
pub fn final_exponentiation(f: &blst_fp12) -> blst_fp12 {
    let mut result = blst_fp12::default();
    // SAFETY: both are valid.
    unsafe { blst::blst_final_exp(&mut result, f) };
    result
}

/// Returns `true` if a pair counts as 1.
pub fn has_infinity((p, q): &Pair) -> bool {
    // SAFETY: both are valid.
    unsafe { blst::blst_p1_affine_is_inf(p) || blst::blst_p2_affine_is_inf(q) }
}

/// Returns `true` if a point of the curve is in G1, as infinity is.
pub fn in_g1(point: &blst_p1_affine) -> bool {
    // SAFETY: it is valid.
    unsafe { blst::blst_p1_affine_in_g1(point) }
}

/// Returns `true` if a point of the twist is in G2, as infinity is.
pub fn in_g2(point: &blst_p2_affine) -> bool {
    // SAFETY: it is valid.
    unsafe { blst::blst_p2_affine_in_g2(point) }
}

/// Returns a pair for lanes that have none: P is (0, 0), Q the generator of G2.
pub fn filler() -> Pair {
    // SAFETY: it is a constant of the library.
    (blst_p1_affine::default(), unsafe { *blst::blst_p2_affine_generator() })
}

/// Returns |x| in the library's format of scalars.
fn scalar_x() -> [u8; 8] {
    X.to_le_bytes()
}

/// Returns x of x²G, divided by x of the generator G of G1.
pub fn beta() -> blst_fp {
    let (mut point, mut affine) = (blst_p1::default(), blst_p1_affine::default());
    let (mut inverse, x) = (blst_fp::default(), scalar_x());
    // SAFETY: all are valid, and a scalar of 64 bits has eight bytes.
    unsafe {
        blst::blst_p1_mult(&mut point, blst::blst_p1_generator(), x.as_ptr(), 64);
        let once = point;
        blst::blst_p1_mult(&mut point, &once, x.as_ptr(), 64);
        blst::blst_p1_to_affine(&mut affine, &point);
        blst::blst_fp_inverse(&mut inverse, &(*blst::blst_p1_affine_generator()).x);
    }
    product(&affine.x, &inverse)
}

/// Returns a/ā′ for the conjugate ā′ of a′.
fn quotient_by_conjugate(a: &blst_fp2, other: &blst_fp2) -> blst_fp2 {
    let (mut inverse, mut result) = (*other, blst_fp2::default());
    // SAFETY: all are valid.
    unsafe {
        blst::blst_fp_cneg(&mut inverse.fp[1], &other.fp[1], true);
        let conjugate = inverse;
        blst::blst_fp2_inverse(&mut inverse, &conjugate);
        blst::blst_fp2_mul(&mut result, a, &inverse);
    }
    result
}

/// Returns the coordinates of xG, divided by the conjugates of those of the generator G of G2.
pub fn psi() -> [blst_fp2; 2] {
    let (mut point, mut affine) = (blst_p2::default(), blst_p2_affine::default());
    let x = scalar_x();
    // SAFETY: all are valid, and a scalar of 64 bits has eight bytes.
    let generator = unsafe {
        blst::blst_p2_mult(&mut point, blst::blst_p2_generator(), x.as_ptr(), 64);
        // x is negative.
        blst::blst_p2_cneg(&mut point, true);
        blst::blst_p2_to_affine(&mut affine, &point);
        *blst::blst_p2_affine_generator()
    };
    [quotient_by_conjugate(&affine.x, &generator.x), quotient_by_conjugate(&affine.y, &generator.y)]
}

/// Returns a point of G1 times a number.
pub fn multiple_g1(point: &blst_p1_affine, number: u128) -> blst_p1 {
    let (mut jacobian, mut result) = (blst_p1::default(), blst_p1::default());
    // SAFETY: all are valid, and a scalar of 128 bits has 16 bytes.
    unsafe {
        blst::blst_p1_from_affine(&mut jacobian, point);
        blst::blst_p1_mult(&mut result, &jacobian, number.to_le_bytes().as_ptr(), 128);
    }
    result
}

/// Returns a point of G2 times a number.
pub fn multiple_g2(point: &blst_p2_affine, number: u128) -> blst_p2 {
    let (mut jacobian, mut result) = (blst_p2::default(), blst_p2::default());
    // SAFETY: all are valid, and a scalar of 128 bits has 16 bytes.
    unsafe {
        blst::blst_p2_from_affine(&mut jacobian, point);
        blst::blst_p2_mult(&mut result, &jacobian, number.to_le_bytes().as_ptr(), 128);
    }
    result
}
