// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The server: every operation on ciphertexts that needs no secret key.

mod memory;
mod record;
#[allow(clippy::module_inception, reason = "the folder contains the server")]
mod server;

pub(crate) use record::{in_pairs, NamedDraft};
pub use server::Server;
