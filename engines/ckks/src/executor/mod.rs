// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Programs of operations on ciphertexts: how they are recorded, and the places that run them.

mod dry;
mod record;

pub use dry::DryServer;
