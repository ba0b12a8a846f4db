// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Several holders of one secret key, none of whom knows it (threshold CKKS).

mod answers;
mod contributions;
mod decryption;
mod error;
mod key_collector;
mod message;
mod party;
mod session;
mod subject;
#[cfg(test)]
mod tests;

pub use decryption::{Decrypted, Decryption, KeySwitch};
pub use error::PartyError;
pub use key_collector::KeyCollector;
pub use message::MESSAGE_VERSION;
pub use party::Party;
pub use session::{Quorum, Session, SessionId};
