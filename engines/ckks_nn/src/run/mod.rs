// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Client and server of a network. The server never has a secret key, and the client no weights.

mod client;
mod server;

pub use client::{label, NetworkClient, Output};
pub use server::{NetworkServer, Progress};
