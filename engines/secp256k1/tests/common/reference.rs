// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The check in plain affine arithmetic on big integers, written only from SEC 1 (sections 2.2.1
//! and 4.1.4): the reference of the tests.

use halimede_secp256k1::operations::VerifyRequest;
use halimede_secp256k1::{Check, Mask};
use num_bigint::BigUint;

use super::{number, Curve};

/// A point of the curve, or the point at infinity.
pub type Point = Option<(BigUint, BigUint)>;

impl Curve {
    fn field_sum(&self, a: &BigUint, b: &BigUint) -> BigUint {
        (a + b) % &self.p
    }

    fn field_difference(&self, a: &BigUint, b: &BigUint) -> BigUint {
        (a + &self.p - b % &self.p) % &self.p
    }

    /// Returns `true` if the curve has a point with these coordinates, which must be below p.
    pub fn has(&self, x: &BigUint, y: &BigUint) -> bool {
        x < &self.p && y < &self.p && y * y % &self.p == (x * x * x + 7u8) % &self.p
    }

    /// Returns the sum. This function does not use the curve's constant 7.
    pub fn add(&self, a: &Point, b: &Point) -> Point {
        let (Some((ax, ay)), Some((bx, by))) = (a, b) else {
            return a.clone().or_else(|| b.clone());
        };
        let (rise, run) = if ax != bx {
            (self.field_difference(by, ay), self.field_difference(bx, ax))
        } else if self.field_sum(ay, by) == BigUint::default() {
            return None;
        } else {
            (3u8 * ax * ax, 2u8 * ay)
        };
        let slope = rise * run.modinv(&self.p).unwrap() % &self.p;
        let x = self.field_difference(&(&slope * &slope), &self.field_sum(ax, bx));
        let y = self.field_difference(&(slope * self.field_difference(ax, &x)), ay);
        Some((x, y))
    }

    /// Returns the multiple, bit by bit from the top.
    pub fn multiply(&self, scalar: &BigUint, point: &Point) -> Point {
        (0..scalar.bits()).rev().fold(None, |sum, bit| {
            let doubled = self.add(&sum, &sum);
            if scalar.bit(bit) {
                self.add(&doubled, point)
            } else {
                doubled
            }
        })
    }

    /// Returns the result of the check of a request.
    pub fn check(&self, request: &VerifyRequest) -> Mask {
        let [r, s, e, x, y] =
            [request.r, request.s, request.digest, request.x, request.y].map(|n| number(&n));
        let zero = BigUint::default();
        let mut mask = Mask::VALID;
        if r == zero || r >= self.n {
            mask.set(Check::RRange);
        }
        if s == zero || s >= self.n {
            mask.set(Check::SRange);
        }
        if !self.has(&x, &y) {
            mask.set(Check::OnCurve);
        }
        if !mask.is_valid() {
            return mask;
        }
        let w = s.modinv(&self.n).unwrap();
        let u1 = e * &w % &self.n;
        let u2 = &r * &w % &self.n;
        let sum = self.add(&self.multiply(&u1, &self.g), &self.multiply(&u2, &Some((x, y))));
        match sum {
            None => mask.set(Check::Infinity),
            Some((x, _)) if &x % &self.n == r => {}
            Some(_) => mask.set(Check::Match),
        }
        mask
    }
}
