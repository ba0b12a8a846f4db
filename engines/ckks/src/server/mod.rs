// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Who computes: everything that can be done to ciphertexts without the secret, in one place.

#[allow(clippy::module_inception, reason = "the server is what the folder is about")]
mod server;
mod trace;

pub use server::Server;
