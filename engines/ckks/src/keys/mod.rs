// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The secret key, and the public and switching keys made from it.

#[cfg(test)]
mod attack;
mod identity;
mod public;
mod secret;
mod switching;
mod uses;

pub use identity::KeyId;
pub use public::PublicKey;
pub use secret::SecretKey;
pub(crate) use secret::{error, ternary_values};
pub use switching::SwitchingKey;
pub(crate) use switching::{Decomposed, Gadget};
pub(crate) use uses::RotationKeys;
pub use uses::{KeyUse, LOW_LEVEL};
