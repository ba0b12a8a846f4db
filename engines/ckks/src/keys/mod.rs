// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The secret key, and the keys that are made from it for others.

mod public;
mod secret;
mod switching;
mod uses;

pub use public::PublicKey;
pub use secret::SecretKey;
pub(crate) use secret::{error, ternary_values};
pub(crate) use switching::Gadget;
pub use switching::{Decomposed, SwitchingKey};
pub use uses::KeyUse;
