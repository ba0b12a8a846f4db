// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The client: holds the secret key, encrypts, decrypts and makes keys.

#[allow(clippy::module_inception, reason = "the folder contains the client")]
mod client;
mod error;
mod expected;
mod flooding;
mod public;
mod sharing;
mod statement;

pub use client::Client;
pub use error::{Alternatives, SharingError};
pub use expected::Expected;
pub(crate) use flooding::{round, to_slot_bits, Flooding};
pub(crate) use statement::Budget;
pub use statement::{Shared, Sharing};
