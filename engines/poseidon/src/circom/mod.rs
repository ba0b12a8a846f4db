// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The Poseidon of circomlib and iden3 over BN254's scalar field: x⁵, widths 2 to 17, 8 full rounds
//! and the partial rounds of circomlib's `poseidon.circom`.
//!
//! The state is 0 followed by the inputs, and the digest is element 0 of the permuted state.
//! Semaphore, Polygon ID, Light Protocol and Ethereum's libraries for circom have the same hash.
//!
//! - [`Parameters`]: the constants and the matrix, from the Grain LFSR. [`permute`]: the plain
//!   rounds, the reference.
//! - [`hash()`], [`Inputs`]: hashes; [`crate::operations::CircomHash`] hashes batches on any
//!   device.
//! - [`tree`]: the rows of a Merkle tree.

mod hash;
pub(crate) mod interface;
mod parameters;

pub(crate) use hash::hash_all_with;
pub use hash::{hash, tree, CircomError, Inputs};
pub use parameters::{permute, round_numbers, Parameters};

use halimede_arith::field::Bn254Scalar;
use halimede_arith::Field;

/// An element of BN254's scalar field.
pub type Element = Field<Bn254Scalar>;

/// The largest number of inputs of a hash.
pub const MAX_INPUTS: usize = 16;

/// The largest width, one more than the number of inputs.
pub const MAX_WIDTH: usize = MAX_INPUTS + 1;
