// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The secret key, and the public key and switching keys made from it.

#[cfg(test)]
mod attack;
mod identity;
mod public;
mod rotations;
mod secret;
mod switching;
mod uses;

pub use identity::KeyId;
pub(crate) use identity::KEY_ID_BYTES;
pub use public::PublicKey;
pub(crate) use rotations::RotationKeys;
pub use secret::SecretKey;
pub(crate) use secret::{error, ternary_values};
pub use switching::SwitchingKey;
pub(crate) use switching::{inverse_exponent, Decomposed, Gadget};
pub use uses::{KeyUse, LOW_LEVEL};
