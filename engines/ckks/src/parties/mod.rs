// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Threshold CKKS: several parties share one secret key that none of them knows.
//!
//! The parties agree on a [`Session`]. Each [`Party`] makes messages, which a [`KeyCollector`]
//! turns into the public key and evaluation keys: those of a [`Client`](crate::Client), with which
//! a [`Server`](crate::Server) computes as usual. A [`Decryption`] turns the parties' answers for a
//! ciphertext into its values, a [`KeySwitch`] into a ciphertext under another key, and a
//! [`Refresh`] into one at the level of fresh ciphertexts. [`Session::reshared`] moves the key to
//! other parties.
//!
//! Messages are bytes, and this crate does not send them. The caller's channel *authenticates*
//! their senders, and is confidential for [`SecretMessage`]s. All parties follow the protocol
//! (semi-honest): a party that deviates can spoil keys and learn secrets of others. `SECURITY.md`
//! says what any n − 1 of the parties learn together.

mod answer;
mod answers;
#[cfg(test)]
mod attacks;
mod collected;
mod contributions;
mod decryption;
mod error;
mod handing;
mod key_collector;
mod lift;
mod masking;
mod message;
mod offered;
mod party;
mod refresh;
#[cfg(test)]
mod refresh_attacks;
mod refresh_share;
mod session;
mod session_file;
mod session_id;
mod shares;
mod sharing;
mod state;
#[cfg(not(target_family = "wasm"))]
mod state_file;
mod subject;
#[cfg(test)]
mod tests;

pub use decryption::{Decrypted, Decryption, KeySwitch};
pub use error::PartyError;
pub use key_collector::KeyCollector;
pub use masking::Masking;
pub use message::MESSAGE_VERSION;
pub use party::Party;
pub use refresh::Refresh;
pub use session::{Quorum, Session};
pub use session_id::SessionId;
pub use sharing::SecretMessage;
