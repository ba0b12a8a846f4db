// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Products of points of G1 and scalars with the library's additions, for processors without lanes.
//!
//! The halves of a scalar, k₀ + k₁·x², have signed odd digits below 16 in the non-adjacent form of
//! width 5: a digit in six on average, and shared doublings. The tables of odd multiples of several
//! points become affine with one inversion.

use blst::{blst_fp, blst_p1, blst_p1_affine};

use super::curve::{Curve, Ladder, G1};
use crate::lanes::{beta, split};

/// The odd multiples of a point up to 15.
const ENTRIES: usize = 8;

/// The number of digits of a half, which is below x².
const DIGITS: usize = 129;

/// Returns the digits of half of a scalar, the lowest first.
fn digits(half: u128) -> [i8; DIGITS] {
    let mut digits = [0; DIGITS];
    let mut rest = half;
    for digit in &mut digits {
        if rest & 1 == 1 {
            let low = (rest & 31) as i8;
            *digit = if low > 15 { low - 32 } else { low };
            rest = rest.wrapping_sub(i128::from(*digit) as u128);
        }
        rest >>= 1;
    }
    digits
}

fn doubled(point: &blst_p1) -> blst_p1 {
    let mut double = blst_p1::default();
    // SAFETY: both are valid.
    unsafe { blst::blst_p1_double(&mut double, point) };
    double
}

/// Returns each point of the group times its scalar, little-endian.
///
/// # Panics
/// If the numbers of points and scalars differ.
pub(crate) fn products(points: &[blst_p1_affine], scalars: &[[u8; 32]]) -> Vec<blst_p1> {
    assert_eq!(points.len(), scalars.len(), "a scalar for each point");
    let mut odd = Vec::with_capacity(ENTRIES * points.len());
    for point in points {
        let mut multiple = G1::to_jacobian(point);
        let twice = doubled(&multiple);
        for _ in 0..ENTRIES {
            odd.push(multiple);
            multiple = G1::add(&multiple, &twice);
        }
    }
    let tables = G1::to_affine(&odd);
    tables.chunks(ENTRIES).zip(scalars).map(|(table, scalar)| product(table, scalar)).collect()
}

/// Returns the product of a scalar and the point with these odd multiples.
fn product(table: &[blst_p1_affine], scalar: &[u8; 32]) -> blst_p1 {
    by_digits(table, scalar)
        .unwrap_or_else(|| G1::multiply(&table[0], Ladder { scalars: scalar, bits: 256 }))
}

/// Returns the product, or `None` if a sum was infinity or the points of an addition were equal,
/// which the fastest addition does not allow.
fn by_digits(table: &[blst_p1_affine], scalar: &[u8; 32]) -> Option<blst_p1> {
    let mut of_x_square = [blst_p1_affine::default(); ENTRIES];
    for (place, point) in of_x_square.iter_mut().zip(table) {
        *place = times_x_square(point);
    }
    let [low, high] = split(scalar).map(digits);
    let mut sum = blst_p1::default();
    for (low, high) in low.iter().zip(&high).rev() {
        sum = doubled(&sum);
        for (table, digit) in [(table, *low), (&of_x_square, *high)] {
            if digit != 0 {
                let point = table[usize::from(digit.unsigned_abs() / 2)];
                let point = if digit < 0 { G1::negate(&point) } else { point };
                sum = added(&sum, &point);
                if sum.z == blst_fp::default() {
                    return None;
                }
            }
        }
    }
    Some(sum)
}

/// Returns the sum of points that are not equal, or Z = 0.
fn added(sum: &blst_p1, point: &blst_p1_affine) -> blst_p1 {
    let mut result = blst_p1::default();
    // SAFETY: all are valid.
    unsafe { blst::blst_p1_add_affine(&mut result, sum, point) };
    result
}

/// Returns x² times a point of the group.
fn times_x_square(point: &blst_p1_affine) -> blst_p1_affine {
    let mut x = blst_fp::default();
    // SAFETY: all are valid.
    unsafe { blst::blst_fp_mul(&mut x, &point.x, beta()) };
    blst_p1_affine { x, ..G1::negate(point) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_the_librarys() {
        let mut scalars = vec![[0; 32]; 4];
        scalars[1][0] = 1;
        scalars[2][31] = 0x73;
        scalars[3] = [0xff; 32];
        let mut seed = 7u64;
        for _ in 0..60 {
            let mut scalar = [0; 32];
            for byte in &mut scalar {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                *byte = (seed >> 56) as u8;
            }
            scalars.push(scalar);
        }
        let mut multiple = G1::to_jacobian(&G1::generator());
        let mut points = Vec::new();
        for number in 0..scalars.len() {
            points.push(if number % 9 == 5 { blst_p1::default() } else { multiple });
            multiple = doubled(&multiple);
        }
        let points = G1::to_affine(&points);
        let rows = points.iter().zip(&scalars);
        let expected: Vec<blst_p1> = rows
            .map(|(point, scalars)| G1::multiply(point, Ladder { scalars, bits: 256 }))
            .collect();
        assert_eq!(G1::to_affine(&products(&points, &scalars)), G1::to_affine(&expected));
        // In lanes, if there are any.
        let found = crate::lanes::products_g1(&points, &scalars);
        assert_eq!(G1::to_affine(&found), G1::to_affine(&expected));
    }
}
