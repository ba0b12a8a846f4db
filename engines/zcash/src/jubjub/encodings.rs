// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points from their encodings: 255 bits of v, then the lowest bit of u (Zcash protocol
//! specification, section 5.4.9.3). Encodings that are not canonical are refused: v at or above r,
//! and from ZIP 216 on the sign bit of u = 0.
//!
//! u² is n/m with n = v² − 1 and m = 1 + d·v², which is never zero since −1/d is not a square. One
//! inversion yields 1/(n·m) of all points together (Montgomery's trick), thus n/m and m/n.

use halimede_arith::field::{batch_inverse, Bls12381Scalar};
use halimede_arith::serial::{self, Arithmetic, Kernel};
use halimede_arith::{Backend, Fr};

use super::lanes;
use super::points::{d, Affine, Extended};
use super::powers::{powers, Ratio, Several};
use crate::roots::{HasRoots, Powers, WINDOWS};

/// The number of points with a common inversion, which takes as long as one and a half roots.
pub const TOGETHER: usize = 512;

/// Returns the points with these encodings; `None` for bytes that are not a canonical encoding.
pub fn decode(backend: Backend, encodings: &[[u8; 32]]) -> Vec<Option<Affine>> {
    let mut points = Vec::with_capacity(encodings.len());
    for encodings in encodings.chunks(TOGETHER) {
        let ratios = serial::run(backend, Ratios(encodings));
        let powers = match lanes::powers(backend, &ratios) {
            Some(powers) => powers,
            None => serial::run(backend, SerialPowers(&ratios)),
        };
        points.extend(serial::run(backend, Finish { encodings, ratios: &ratios, powers: &powers }));
    }
    points
}

/// Returns the coordinates of the points with these encodings; `None` for bytes that are not a
/// canonical encoding, and for a point of small order.
pub fn decode_large_order(backend: Backend, encodings: &[[u8; 32]]) -> Vec<Option<[Fr; 2]>> {
    let points = decode(backend, encodings).into_iter();
    let large = |point: Affine| {
        let Affine { u, v } = point;
        let extended = Extended { u, v, z: Fr::ONE, t: u * v };
        (!extended.has_small_order()).then_some([u, v])
    };
    points.map(|point| point.and_then(large)).collect()
}

fn sign(encoding: &[u8; 32]) -> bool {
    encoding[31] >> 7 == 1
}

fn v(encoding: &[u8; 32]) -> Option<Fr> {
    let mut bytes = *encoding;
    bytes[31] &= 0x7f;
    Fr::from_le_bytes(&bytes).ok()
}

/// Computes u² and its inverse; zeros for a v that is not canonical.
struct Ratios<'a>(&'a [[u8; 32]]);

impl Kernel for Ratios<'_> {
    type Output = Vec<Ratio>;

    #[inline(always)]
    fn compute<A: Arithmetic>(self) -> Vec<Ratio> {
        let mut fractions = Vec::with_capacity(self.0.len());
        let mut products = Vec::with_capacity(self.0.len());
        let d = d();
        for encoding in self.0 {
            let square = v(encoding).unwrap_or(Fr::ONE).square();
            let (numerator, denominator) = (square - Fr::ONE, square * d + Fr::ONE);
            fractions.push((numerator, denominator));
            products.push(numerator * denominator);
        }
        batch_inverse(&mut products);
        for ((numerator, denominator), inverse) in fractions.iter_mut().zip(&products) {
            *numerator = numerator.square() * *inverse;
            *denominator = denominator.square() * *inverse;
        }
        fractions
    }
}

/// The number of elements whose powers are interleaved.
const INTERLEAVED: usize = 2;

/// Computes powers in general registers.
struct SerialPowers<'a>(&'a [Ratio]);

impl Kernel for SerialPowers<'_> {
    type Output = Vec<Powers<Fr>>;

    #[inline(always)]
    fn compute<A: Arithmetic>(self) -> Vec<Powers<Fr>> {
        let mut all = Vec::with_capacity(self.0.len());
        for some in self.0.chunks(INTERLEAVED) {
            let mut numbers = Several([some[0].0; INTERLEAVED]);
            let mut inverses = Several([some[0].1; INTERLEAVED]);
            for (place, (number, inverse)) in some.iter().enumerate() {
                (numbers.0[place], inverses.0[place]) = (*number, *inverse);
            }
            let Powers { root, odd } = powers(&numbers, &inverses);
            for place in 0..some.len() {
                let mut of_one = Powers { root: root.0[place], odd: [Fr::ZERO; WINDOWS] };
                for (power, powers) in of_one.odd.iter_mut().zip(&odd) {
                    *power = powers.0[place];
                }
                all.push(of_one);
            }
        }
        all
    }
}

/// Computes u from the powers of u².
struct Finish<'a> {
    encodings: &'a [[u8; 32]],
    ratios: &'a [Ratio],
    powers: &'a [Powers<Fr>],
}

impl Kernel for Finish<'_> {
    type Output = Vec<Option<Affine>>;

    #[inline(always)]
    fn compute<A: Arithmetic>(self) -> Vec<Option<Affine>> {
        let tables = Bls12381Scalar::roots();
        let mut points = Vec::with_capacity(self.encodings.len());
        for ((encoding, ratio), powers) in self.encodings.iter().zip(self.ratios).zip(self.powers) {
            let root = tables.root(powers);
            debug_assert!(root.is_none_or(|root| root.square() == ratio.0));
            points.push(point(encoding, root));
        }
        points
    }
}

#[inline(always)]
fn point(encoding: &[u8; 32], root: Option<Fr>) -> Option<Affine> {
    let (v, root) = (v(encoding)?, root?);
    if root.is_zero() && sign(encoding) {
        return None;
    }
    let is_odd = root.canonical_limbs()[0] & 1 == 1;
    Some(Affine { u: if is_odd == sign(encoding) { root } else { -root }, v })
}

#[cfg(test)]
mod tests;
