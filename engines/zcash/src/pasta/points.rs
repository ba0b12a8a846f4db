// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points of y² = x³ + 5 and their addition: Renes, Costello, Batina: "Complete addition formulas
//! for prime order elliptic curves", 2016, algorithms 7 to 9. The orders are prime, so the formulas
//! hold for all points.

use halimede_arith::field::{batch_inverse, Modulus};
use halimede_arith::Field;

/// A point other than the neutral element, by its coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Affine<M: Modulus> {
    pub x: Field<M>,
    pub y: Field<M>,
}

/// The point (X/Z, Y/Z); the neutral element is (0, 1, 0).
#[derive(Clone, Copy, Debug)]
pub struct Projective<M: Modulus> {
    pub x: Field<M>,
    pub y: Field<M>,
    pub z: Field<M>,
}

/// Returns 3·5·a.
fn times_15<M: Modulus>(a: Field<M>) -> Field<M> {
    a.double().double().double().double() - a
}

impl<M: Modulus> Affine<M> {
    pub fn negated(&self) -> Self {
        Self { x: self.x, y: -self.y }
    }

    pub fn projective(&self) -> Projective<M> {
        Projective { x: self.x, y: self.y, z: Field::ONE }
    }
}

impl<M: Modulus> Projective<M> {
    /// The neutral element.
    pub const IDENTITY: Self = Self { x: Field::ZERO, y: Field::ONE, z: Field::ZERO };

    pub fn is_identity(&self) -> bool {
        self.z.is_zero()
    }

    pub fn negated(&self) -> Self {
        Self { y: -self.y, ..*self }
    }

    /// Returns self + other (algorithm 7).
    pub fn add(&self, other: &Self) -> Self {
        let (xx, yy, zz) = (self.x * other.x, self.y * other.y, self.z * other.z);
        let xy = (self.x + self.y) * (other.x + other.y) - xx - yy;
        let yz = (self.y + self.z) * (other.y + other.z) - yy - zz;
        let xz = (self.x + self.z) * (other.x + other.z) - xx - zz;
        completed(xx, yy, times_15(zz), [xy, yz, xz])
    }

    /// Returns self + other (algorithm 8).
    pub fn add_affine(&self, other: &Affine<M>) -> Self {
        let (xx, yy) = (self.x * other.x, self.y * other.y);
        let xy = (self.x + self.y) * (other.x + other.y) - xx - yy;
        let yz = other.y * self.z + self.y;
        let xz = other.x * self.z + self.x;
        completed(xx, yy, times_15(self.z), [xy, yz, xz])
    }

    /// Returns 2·self (algorithm 9).
    pub fn double(&self) -> Self {
        let yy = self.y.square();
        let eight = yy.double().double().double();
        let z = times_15(self.z.square());
        let (sum, difference) = (yy + z, yy - z.double() - z);
        Self {
            x: (self.x * self.y * difference).double(),
            y: difference * sum + z * eight,
            z: self.y * self.z * eight,
        }
    }
}

/// The common end of an addition, where `z` is 15·Z₁·Z₂.
fn completed<M: Modulus>(
    xx: Field<M>,
    yy: Field<M>,
    z: Field<M>,
    [xy, yz, xz]: [Field<M>; 3],
) -> Projective<M> {
    let (three, sum, difference) = (xx.double() + xx, yy + z, yy - z);
    let xz = times_15(xz);
    Projective {
        x: xy * difference - yz * xz,
        y: difference * sum + xz * three,
        z: sum * yz + three * xy,
    }
}

/// Returns the coordinates of points with one inversion; `None` for the neutral element.
pub fn normalize<M: Modulus>(points: &[Projective<M>]) -> Vec<Option<Affine<M>>> {
    let mut inverses: Vec<_> = points.iter().map(|point| point.z).collect();
    batch_inverse(&mut inverses);
    let points = points.iter().zip(inverses);
    points
        .map(|(point, inverse)| {
            (!point.is_identity()).then(|| Affine { x: point.x * inverse, y: point.y * inverse })
        })
        .collect()
}
