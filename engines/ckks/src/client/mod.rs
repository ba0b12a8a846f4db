// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The client: holds the secret key, encrypts, decrypts, also for others, and makes keys.

#[allow(clippy::module_inception, reason = "the client is what the folder is about")]
mod client;
mod error;
mod expected;
mod public;
mod sharing;
mod statement;

pub use client::Client;
pub use error::{Alternatives, SharingError};
pub use expected::Expected;
pub use statement::{Shared, Sharing};
