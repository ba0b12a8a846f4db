// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a ciphertext's ring, moduli and secrets are.

mod chain;
mod parameters;
mod scale;
mod security;

pub use chain::{Chain, ChainError, ChainLevel, ChainShape};
pub use parameters::{Parameters, ParametersError};
pub use scale::Scale;
pub use security::{most_modulus_bits, SecretKind, SECURITY_BITS, SPARSE_WEIGHT};
