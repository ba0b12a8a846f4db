// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Safe wrappers of functions of the library `blst`. Besides [`lanes`](crate::lanes), only this
//! module has unsafe code.
//!
//! Points are affine, in the library's format: coordinates in Montgomery form (R = 2³⁸⁴), with
//! infinity all zeros. In a Jacobian point, infinity has Z = 0.

mod curve;
mod field;
mod jacobian;
mod lines;
mod miller;
mod products;
pub(crate) mod tower;
mod windows;

pub(crate) use curve::Ladder;
pub use curve::{Curve, G1, G2};
pub(crate) use field::{fp_from_be, fp_of_montgomery, is_canonical_fp, P_BYTES};
pub(crate) use jacobian::Coordinates;
pub(crate) use lines::{miller_product_at_lines, Lines};
pub(crate) use miller::Miller;
pub use miller::FP12_BYTES;
pub(crate) use products::products;
pub(crate) use windows::WindowTable;
