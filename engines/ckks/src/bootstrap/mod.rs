// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Bootstrapping: a ciphertext of the lowest level becomes one of a higher level (Cheon, Han, Kim,
//! Kim, Song, "Bootstrapping for approximate homomorphic encryption", EUROCRYPT 2018).
//!
//! 1. *ModRaise*: the ciphertext is switched to a sparse secret. Its coefficients modulo q₀ are
//!    read modulo the Q of the highest level, where they equal m + q₀·I. I is small because the
//!    secret is sparse. The ciphertext is then switched back (Bossuat, Troncoso-Pastoriza, Hubaux,
//!    ACNS 2022).
//! 2. *CoeffToSlot*: the coefficients become the slots of two ciphertexts, by the inverse embedding
//!    as a product of a few sparse matrices (Chen, Chillotti, Song, EUROCRYPT 2019).
//! 3. *EvalMod*: q₀/2π · sin(2πt/q₀) is close to t mod q₀ for small m. The sine is computed as a
//!    shifted cosine with a few double-angle steps (Han, Ki, CT-RSA 2020).
//! 4. *SlotToCoeff*: the slots become coefficients again.
//!
//! Parameters of two rounds bootstrap twice: the second round corrects the error of the first
//! (META-BTS).
//!
//! Vectors of few slots have a separate form, with smaller matrices, one sine and other keys: after
//! ModRaise, *SubSum* removes the coefficients that their polynomials do not have.

mod bootstrapper;
mod encoded;
mod error;
mod form;
mod fourier;
mod memory;
mod rounds;
mod scaled;
mod sine;
mod slot_randomizer;

pub use crate::params::BootstrapShape;
pub use bootstrapper::Bootstrapper;
pub use error::BootstrapError;
pub(crate) use form::BootstrapForm;
pub use memory::BootstrapMemory;
pub(crate) use scaled::{is_small_enough, scaling_bits};
