// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What is asked of the library `blst`, behind safe functions: but for that of
//! [`lanes`](crate::lanes) the only unsafe code of this crate.
//!
//! Points are affine, as the library has them: coordinates in Montgomery form (R = 2³⁸⁴), the point
//! at infinity all zero. A Jacobian point has Z = 0 there.

mod curve;
mod field;
mod jacobian;
mod lines;
mod miller;
pub(crate) mod tower;

pub(crate) use curve::Ladder;
pub use curve::{Curve, G1, G2};
pub(crate) use field::{fp_from_be, is_canonical_fp};
pub(crate) use jacobian::Coordinates;
pub(crate) use lines::{miller_product_at_lines, Lines};
pub(crate) use miller::Miller;
pub use miller::FP12_BYTES;
