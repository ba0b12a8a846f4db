// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points of Pallas and Vesta (Zcash protocol specification, section 5.4.9.6): y² = x³ + 5 over the
//! base fields 𝔽p and 𝔽q, where each curve's order is the other's base field.
//!
//! All inputs are public, and the time depends on them. Both curves have the same formulas, so that
//! the modulus of the base field determines the curve.
//!
//! - `points`: the formulas. `encodings`: points from their encodings.
//! - `sums`: sums of multiples. `fixed`: sums of multiples of fixed points.
//! - `lanes`: powers, points and sums, eight at a time.
//! - `machine`: the lanes of the processor, or their emulation.

mod encodings;
mod fixed;
mod lanes;
mod machine;
mod points;
mod sums;

#[cfg(test)]
mod tests;

use halimede_arith::field::{PallasBase, VestaBase};
use halimede_arith::lanes::LaneModulus;
use halimede_arith::Field;

use crate::roots::HasRoots;

pub use encodings::{decode, encode, Decoded};
pub use fixed::{FixedPoints, FixedSum};
pub use lanes::Row;
pub use machine::Machine;
pub use points::{normalize, Affine, Projective};
pub use sums::{sum, Terms};

/// 𝔽p, the base field of Pallas and the scalar field of Vesta.
pub type Fp = Field<PallasBase>;
/// 𝔽q, the base field of Vesta and the scalar field of Pallas.
pub type Fq = Field<VestaBase>;

/// The modulus of a base field.
pub trait Base: LaneModulus + HasRoots + std::fmt::Debug {}

impl Base for PallasBase {}
impl Base for VestaBase {}

/// The number of bits of both orders.
pub const BITS: u32 = 255;
