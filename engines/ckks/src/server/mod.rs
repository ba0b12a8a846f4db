// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Who computes: everything that can be done to ciphertexts without the secret, in one place.

mod record;
#[allow(clippy::module_inception, reason = "the server is what the folder is about")]
mod server;

pub(crate) use record::in_pairs;
pub use server::Server;
