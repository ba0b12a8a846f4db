// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Functions that need more than one polynomial: reciprocals, roots, signs.

mod estimates;
mod reciprocal;
mod refined;
mod remez;
mod root;
mod sign;
mod steepness;

pub(crate) use reciprocal::inverse_levels;
pub(crate) use root::{inverse_square_root_levels, square_root_levels};
pub use sign::Sign;
