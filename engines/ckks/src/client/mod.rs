// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Who holds the secret: encrypts, decrypts, for others as well, and makes keys.

#[allow(clippy::module_inception, reason = "the client is what the folder is about")]
mod client;
mod public;
mod sharing;
mod statement;

pub use client::Client;
pub use statement::{Alternatives, Shared, Sharing, SharingError};
