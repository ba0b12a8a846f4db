// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The common base of all engines: prime fields, words in lanes, and the vocabulary of jobs.
//!
//! - [`arx`]: the ARX rounds of BLAKE2b and BLAKE3, for one message or for one message per lane.
//! - [`backend`]: the choice of processor instructions; [`engine_backend`]: the backends for
//!   which an engine has lanes.
//! - [`field`]: prime fields of four 64-bit limbs in Montgomery form, generic over the modulus.
//! - [`interface`]: the description of an operation for every way of calling it.
//! - [`job`]: an [`job::Operation`] is a function that an accelerator computes; a device
//!   [`job::Execute`]s it in batches.
//! - [`lanes`]: the same fields with eight jobs in the lanes of vectors.
//! - [`processor`]: the properties of the processor that a choice of kernels may depend on.
//! - [`memory`]: the memory available, and the peak memory of this process.
//! - [`verdict`]: the result of a check with many conditions, as bits.
//! - [`serial`]: unreduced arithmetic for one long chain of operations, compiled for each backend.
//! - [`transform`]: number-theoretic transforms over the scalar field of BLS12-381.

pub mod arx;
pub mod backend;
pub mod engine_backend;
pub mod field;
pub mod interface;
pub mod job;
pub mod lanes;
pub mod memory;
pub mod processor;
pub mod serial;
pub mod transform;
pub mod verdict;

pub use backend::Backend;
pub use engine_backend::{EngineBackend, LaneBackend};
pub use field::{Felt, Field, Fr};
pub use processor::Processor;
