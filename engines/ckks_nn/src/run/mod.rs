// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Client and server of a network. The server never has a secret key, and the client no weights.

mod agreement;
mod checkpoints;
mod ciphertexts;
mod client;
mod output;
mod server;
mod sharing;
mod times;

pub use agreement::{Agreement, Disagreement};
pub use ciphertexts::Ciphertexts;
pub use client::NetworkClient;
pub use output::{label, Output};
pub use server::{NetworkServer, Progress};
pub use sharing::{NetworkSharing, SharedOutputs};
pub use times::LayerTimes;
