// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Random polynomials: secrets, errors and what is public.
//!
//! The time that secrets and errors take does not depend on them; that of public polynomials does.

mod fractions;
mod gaussian;
mod random;
mod secret;
mod uniform;
mod wide;

pub use random::{Random, RandomError};
pub(crate) use uniform::uniform_limb;
pub use uniform::{uniform, Seed, SEED_BYTES};

pub(crate) use fractions::uniform_pairs;
pub(crate) use gaussian::{gaussian, STANDARD_DEVIATION};
pub(crate) use secret::{sparse, ternary};
pub(crate) use wide::{wide_gaussian, DIVERGENCE_BITS, DRAWS, WIDEST, WIDEST_BITS};
