// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Random polynomials: secrets, errors and public polynomials.
//!
//! Sampling secrets and errors takes constant time. Sampling public polynomials does not.

mod fractions;
mod gaussian;
mod random;
mod secret;
mod secret_uniform;
mod uniform;
mod wide;
mod wide_uniform;

pub use random::{Random, RandomError};
pub use uniform::{uniform, Seed, SEED_BYTES};
pub(crate) use uniform::{uniform_limb, FRESH_INDEX};

pub(crate) use fractions::uniform_pairs;
pub(crate) use gaussian::{gaussian, STANDARD_DEVIATION};
pub(crate) use secret::{sparse, ternary};
pub(crate) use secret_uniform::secret_uniform;
pub(crate) use wide::{wide_gaussian, DIVERGENCE_BITS, DRAWS, WIDEST, WIDEST_BITS};
pub(crate) use wide_uniform::wide_uniform;
