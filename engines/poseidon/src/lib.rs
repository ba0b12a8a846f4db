// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Poseidon (Grassi, Khovratovich, Rechberger, Roy, Schofnegger, USENIX Security 2021) with the
//! parameters of Filecoin and of StarkWare.
//!
//! - [`Instance`]: field, width and rounds; [`Parameters`]: its constants, generated.
//! - [`plain`]: the round structure as the paper prints it, the reference.
//! - [`optimized`]: the same function with fewer multiplications, used everywhere else.
//! - [`filecoin`], [`starknet`]: the hashes that are built on the permutation.
//! - [`sponge`]: any number of elements in and out, in an order that is known beforehand.
//! - `generate` (a feature): parameters for any other prime field.
//! - `known_answers` (a feature): published answers, bundled.
//! - [`operations`]: what a device can be asked; [`tree`]: Merkle trees, on any device.
//!
//! Features, off by default: `neptune` and `starknet` convert elements to and from blstrs' scalars
//! and starknet-types-core's; `serde` reads and writes the proofs of trees.
//!
//! All inputs are public data; time may depend on them.

#![forbid(unsafe_code)]

pub mod filecoin;
#[cfg(feature = "generate")]
pub mod generate;
mod grain;
mod hades;
mod instance;
pub mod interface;
#[cfg(feature = "known-answers")]
pub mod known_answers;
mod matrix;
pub mod operations;
pub mod optimized;
mod parameters;
pub mod plain;
mod round_numbers;
pub mod sponge;
pub mod starknet;
mod starknet_batch;
mod state;
pub mod tree;

pub use instance::{Family, Instance, InstanceError, Strength, MAX_WIDTH};
pub use matrix::Matrix;
pub use parameters::{Parameters, PoseidonField};
pub use round_numbers::RoundNumbers;
pub use state::{Elements, State, StateElements, StateError};
