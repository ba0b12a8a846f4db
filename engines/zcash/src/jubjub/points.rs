// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points of Jubjub and their addition: Hisil, Wong, Carter, Dawson: "Twisted Edwards Curves
//! Revisited", 2008, sections 3.1 and 3.3, with a = −1. The formulas are complete, since −1 is a
//! square and d is not: they hold for all points of the curve, equal, opposite or of small order.
//!
//! All functions are inlined, so that kernels compile them with their instructions.

use std::sync::OnceLock;

use halimede_arith::Fr;

/// Returns d = −10240/10241 (Zcash protocol specification, section 5.4.9.3).
pub fn d() -> Fr {
    static D: OnceLock<Fr> = OnceLock::new();
    *D.get_or_init(|| -Fr::from(10240) * Fr::from(10241).inverse().unwrap_or_default())
}

/// A point by its coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Affine {
    pub u: Fr,
    pub v: Fr,
}

/// The point (U/Z, V/Z) with T = UV/Z.
#[derive(Clone, Copy, Debug)]
pub struct Extended {
    pub u: Fr,
    pub v: Fr,
    pub z: Fr,
    pub t: Fr,
}

/// A point with Z = 1, as the second term of an addition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Niels {
    /// v + u.
    pub sum: Fr,
    /// v − u.
    pub difference: Fr,
    /// 2d·u·v.
    pub product: Fr,
}

/// A point as the second term of an addition.
#[derive(Clone, Copy, Debug)]
pub struct ExtendedNiels {
    sum: Fr,
    difference: Fr,
    twice_z: Fr,
    product: Fr,
}

impl Affine {
    #[inline(always)]
    pub fn niels(&self) -> Niels {
        let product = self.u * self.v * d();
        Niels { sum: self.v + self.u, difference: self.v - self.u, product: product.double() }
    }
}

impl Niels {
    #[inline(always)]
    pub fn negated(&self) -> Self {
        Self { sum: self.difference, difference: self.sum, product: -self.product }
    }
}

impl ExtendedNiels {
    #[inline(always)]
    pub fn negated(&self) -> Self {
        Self {
            sum: self.difference,
            difference: self.sum,
            twice_z: self.twice_z,
            product: -self.product,
        }
    }
}

impl Extended {
    /// The neutral element.
    pub const IDENTITY: Self = Self { u: Fr::ZERO, v: Fr::ONE, z: Fr::ONE, t: Fr::ZERO };

    #[inline(always)]
    pub fn niels(&self) -> ExtendedNiels {
        ExtendedNiels {
            sum: self.v + self.u,
            difference: self.v - self.u,
            twice_z: self.z.double(),
            product: (self.t * d()).double(),
        }
    }

    #[inline(always)]
    pub fn negated(&self) -> Self {
        Self { u: -self.u, t: -self.t, ..*self }
    }

    /// Returns self + other in seven multiplications.
    #[inline(always)]
    pub fn add_niels(&self, other: &Niels) -> Self {
        let a = (self.v - self.u) * other.difference;
        let b = (self.v + self.u) * other.sum;
        completed(a, b, self.t * other.product, self.z.double())
    }

    /// Returns self + other in eight multiplications.
    #[inline(always)]
    pub fn add(&self, other: &ExtendedNiels) -> Self {
        let a = (self.v - self.u) * other.difference;
        let b = (self.v + self.u) * other.sum;
        completed(a, b, self.t * other.product, self.z * other.twice_z)
    }

    /// Returns 2·self in four squarings and four multiplications.
    #[inline(always)]
    pub fn double(&self) -> Self {
        let (a, b) = (self.u.square(), self.v.square());
        let sum = a + b;
        let e = (self.u + self.v).square() - sum;
        let g = b - a;
        let f = g - self.z.square().double();
        let h = -sum;
        Self { u: e * f, v: g * h, z: f * g, t: e * h }
    }

    /// Returns `true` if the order divides the cofactor 8.
    pub fn has_small_order(&self) -> bool {
        let Self { u, v, z, .. } = self.double().double().double();
        u.is_zero() && v == z
    }
}

/// The common end of an addition, where C = T₁·2d·T₂ and D = 2·Z₁·Z₂.
#[inline(always)]
fn completed(a: Fr, b: Fr, c: Fr, d: Fr) -> Extended {
    let (e, f, g, h) = (b - a, d - c, d + c, b + a);
    Extended { u: e * f, v: g * h, z: f * g, t: e * h }
}
