// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points in Jacobian coordinates, (X/Z², Y/Z³), in general registers.

use halimede_arith::serial::limbs::Limbs;
use halimede_arith::serial::secp256k1::{add, canonical, inverse, multiply, square, sub};
use halimede_arith::serial::Arithmetic;

/// A point: four words of x and four of y, both in [0, p), least significant word first.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct Row(pub [u64; 8]);

/// A point; Z is 0 for the point at infinity.
#[derive(Clone, Copy, Debug)]
pub struct Jacobian {
    pub(super) x: Limbs,
    pub(super) y: Limbs,
    pub(super) z: Limbs,
}

impl Jacobian {
    /// Creates a point from a row of a table.
    #[inline(always)]
    pub fn of(row: &Row) -> Self {
        let (x, y) = coordinates(row);
        Self { x, y, z: [1, 0, 0, 0] }
    }

    /// Returns 2·self in two multiplications and five squarings (Bernstein and Lange,
    /// Explicit-Formulas Database,
    /// "dbl-2009-l").
    #[inline(always)]
    pub fn double<A: Arithmetic>(&self) -> Self {
        let Self { x, y, z } = *self;
        let (xx, yy) = (square::<A>(x), square::<A>(y));
        let yyyy = square::<A>(yy);
        let sum = square::<A>(add::<A>(x, yy));
        let half = sub::<A>(sub::<A>(sum, xx), yyyy);
        let d = add::<A>(half, half);
        let e = add::<A>(add::<A>(xx, xx), xx);
        let x3 = sub::<A>(square::<A>(e), add::<A>(d, d));
        let twice = add::<A>(yyyy, yyyy);
        let four = add::<A>(twice, twice);
        let y3 = sub::<A>(multiply::<A>(e, sub::<A>(d, x3)), add::<A>(four, four));
        let yz = multiply::<A>(y, z);
        Self { x: x3, y: y3, z: add::<A>(yz, yz) }
    }

    /// Returns self + point.
    #[inline(always)]
    pub fn add<A: Arithmetic>(&self, point: &Row) -> Self {
        let (x, y) = coordinates(point);
        self.add_affine::<A>(x, y)
    }

    /// Returns self + (x, y) in eight multiplications and three squarings (Hankerson, Menezes and
    /// Vanstone, Guide to Elliptic Curve Cryptography, algorithm 3.22). If the points are equal or
    /// opposite, or Z is 0, Z of the sum is 0, and X and Y are meaningless.
    #[inline(always)]
    pub fn add_affine<A: Arithmetic>(&self, x: Limbs, y: Limbs) -> Self {
        let zz = square::<A>(self.z);
        let h = sub::<A>(multiply::<A>(x, zz), self.x);
        let r = sub::<A>(multiply::<A>(multiply::<A>(y, self.z), zz), self.y);
        let z = multiply::<A>(self.z, h);
        let hh = square::<A>(h);
        let hhh = multiply::<A>(h, hh);
        let v = multiply::<A>(self.x, hh);
        let x3 = sub::<A>(sub::<A>(square::<A>(r), hhh), add::<A>(v, v));
        let y3 = multiply::<A>(r, sub::<A>(v, x3));
        let y3 = sub::<A>(y3, multiply::<A>(self.y, hhh));
        Self { x: x3, y: y3, z }
    }
}

impl Jacobian {
    /// Returns self + other in twelve multiplications and four squarings. As in
    /// [`Self::add_affine`], Z of the sum is 0 if the points are equal or opposite, or one Z is 0.
    #[inline(always)]
    pub fn add_jacobian<A: Arithmetic>(&self, other: &Self) -> Self {
        let (zz, other_zz) = (square::<A>(self.z), square::<A>(other.z));
        let x = multiply::<A>(self.x, other_zz);
        let y = multiply::<A>(multiply::<A>(self.y, other.z), other_zz);
        let h = sub::<A>(multiply::<A>(other.x, zz), x);
        let r = sub::<A>(multiply::<A>(multiply::<A>(other.y, self.z), zz), y);
        let z = multiply::<A>(multiply::<A>(self.z, other.z), h);
        let hh = square::<A>(h);
        let hhh = multiply::<A>(h, hh);
        let v = multiply::<A>(x, hh);
        let x3 = sub::<A>(sub::<A>(square::<A>(r), hhh), add::<A>(v, v));
        let y3 = multiply::<A>(r, sub::<A>(v, x3));
        let y3 = sub::<A>(y3, multiply::<A>(y, hhh));
        Self { x: x3, y: y3, z }
    }
}

#[inline(always)]
pub(super) fn coordinates(row: &Row) -> (Limbs, Limbs) {
    let [a, b, c, d, e, f, g, h] = row.0;
    ([a, b, c, d], [e, f, g, h])
}

/// Converts points to rows, with one inversion for all of them (Montgomery's trick). No point may
/// be infinity.
#[inline(always)]
pub fn affine<A: Arithmetic>(points: &[Jacobian]) -> Vec<Row> {
    let mut products = Vec::with_capacity(points.len());
    let mut product = [1, 0, 0, 0];
    for point in points {
        products.push(product);
        product = multiply::<A>(product, point.z);
    }
    let mut inverse_product = inverse::<A>(product);
    let mut rows = vec![Row([0; 8]); points.len()];
    for ((point, before), row) in points.iter().zip(products).zip(&mut rows).rev() {
        let inverse = multiply::<A>(inverse_product, before);
        inverse_product = multiply::<A>(inverse_product, point.z);
        let square = square::<A>(inverse);
        let x = canonical::<A>(multiply::<A>(point.x, square));
        let cube = multiply::<A>(square, inverse);
        let y = canonical::<A>(multiply::<A>(point.y, cube));
        row.0[..4].copy_from_slice(&x);
        row.0[4..].copy_from_slice(&y);
    }
    rows
}
