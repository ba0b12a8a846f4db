// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Batch verification of RedJubjub signatures (Zcash protocol specification, sections 5.4.7 and
//! B.1) over the curve Jubjub (section 5.4.9.3): −u² + v² = 1 + d·u²·v² over the scalar field of
//! BLS12-381.
//!
//! All inputs are public, and the time depends on them.
//!
//! - `signatures`: batches, challenges, and the search for failed signatures.
//! - `encodings`: points from their encodings. `powers`: the powers that a square root needs.
//! - `points`: the formulas. `scalars`: numbers modulo the order of the group.
//! - `sums`: sums of multiples of points, which are `terms`.
//! - `lanes`: powers and sums, eight at a time.

mod encodings;
mod lanes;
mod points;
mod powers;
mod scalars;
mod signatures;
mod sums;
mod terms;

#[cfg(test)]
mod testing;

pub use crate::reddsa::{Role, Signed};
pub(crate) use encodings::decode_large_order;
pub use signatures::which_hold;
