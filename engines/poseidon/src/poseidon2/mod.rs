// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Poseidon2 (Grassi, Khovratovich, Schofnegger, AFRICACRYPT 2023, eprint 2023/323) over 256-bit
//! fields, with every published set of parameters: x⁵, cheap matrices, and one constant per partial
//! round.
//!
//! - [`Instance`]: a named set of parameters and its origin; [`Parameters`]: its constants.
//! - [`permute_plainly`]: the permutation as the paper prints it, the reference. [`permute`]: many
//!   states, eight side by side if the backend has lanes.
//! - [`Task`]: permutation, compression and hash, as each origin defines them. [`RunPoseidon2`]
//!   computes batches of [`Request`]s on any device. [`tree`]: the rows of a Merkle tree.

mod batch;
mod elements;
mod field;
mod instance;
pub(crate) mod interface;
mod lanes;
mod parameters;
mod plain;
mod serial;
mod task;

#[cfg(test)]
mod tests;

pub use batch::{permute, permute_with, Widths};
pub use elements::{ElementError, Elements};
pub use field::{Poseidon2Field, PrimeField};
pub use instance::{Instance, InstanceError, Origin, MAX_WIDTH};
pub use parameters::Parameters;
pub use plain::permute_plainly;
pub use task::{tree, Request, RequestError, RunPoseidon2, Task};
