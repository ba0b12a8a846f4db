// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Poseidon on the wire: the frames of states and of their permutations.

#![forbid(unsafe_code)]

mod codec;
mod instances;
pub mod spec;
mod sponge;

pub use codec::{FilecoinHashCodec, PermuteCodec};
pub use instances::poseidon_instances;
pub use sponge::{Sponge, StarknetHashCodec};
