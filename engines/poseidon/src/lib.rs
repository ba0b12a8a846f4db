// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Poseidon (Grassi, Khovratovich, Rechberger, Roy, Schofnegger, USENIX Security 2021) with the
//! parameters of Filecoin, StarkWare and circomlib, and Poseidon2.
//!
//! - [`Instance`]: field, width and rounds; [`Parameters`]: the generated constants of an instance.
//! - [`plain`]: the permutation as the paper prints it, the reference.
//! - [`optimized`]: the same function with fewer multiplications, used everywhere else.
//! - [`filecoin`], [`starknet`]: hashes built on the permutation.
//! - [`circom`], [`poseidon2`]: circomlib's Poseidon, and Poseidon2 with all published parameters;
//!   [`merkle`]: their trees.
//! - [`sponge`]: absorbs and squeezes any number of elements, in an order fixed in advance.
//! - `generate` (a feature): parameters for any other prime field.
//! - `known_answers` (a feature): published known answers, bundled with the crate.
//! - [`operations`]: the operations that a device can run; [`tree`]: Merkle trees, on any device.
//!
//! Features, off by default: `neptune` and `starknet` convert elements to and from the scalars of
//! blstrs and of starknet-types-core; `serde` reads and writes the proofs of trees.
//!
//! All inputs are public data; running time may depend on them.

#![forbid(unsafe_code)]

mod batches;
pub mod circom;
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
pub mod merkle;
pub mod operations;
pub mod optimized;
mod parameters;
pub mod plain;
pub mod poseidon2;
mod round_numbers;
pub mod sponge;
pub mod starknet;
mod starknet_batch;
mod state;
pub mod tree;

pub use grain::{Grain, GrainSeed};
pub use instance::{Family, Instance, InstanceError, Strength, MAX_WIDTH};
pub use matrix::Matrix;
pub use parameters::{Parameters, PoseidonField};
pub use round_numbers::RoundNumbers;
pub use state::{Elements, State, StateElements, StateError};
