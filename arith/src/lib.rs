// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What every engine is made of: prime fields, words in lanes, and the vocabulary of jobs.
//!
//! - [`arx`]: what BLAKE2b's and BLAKE3's rounds are made of, of one message or of one a lane.
//! - [`backend`]: which of the processor's instructions are used; [`level`]: of which of them an
//!   engine has lanes.
//! - [`field`]: prime fields of four 64-bit limbs in Montgomery form, parametric in the modulus.
//! - [`interface`]: the description of an operation for every way of calling it.
//! - [`job`]: an [`job::Operation`] is something an accelerator can be asked to do; a device
//!   [`job::Execute`]s it in batches.
//! - [`lanes`]: the same fields with eight jobs side by side.
//! - [`processor`]: what a choice between kernels may depend on.
//! - [`memory`]: how much memory there is, and how much this process has held.
//! - [`verdict`]: what a check of many things finds, as bits.
//! - [`serial`]: unreduced arithmetic for one long chain of operations, compiled for each backend.

pub mod arx;
pub mod backend;
pub mod field;
pub mod interface;
pub mod job;
pub mod lanes;
pub mod level;
pub mod memory;
pub mod processor;
pub mod serial;
pub mod verdict;

pub use backend::Backend;
pub use field::{Felt, Field, Fr};
pub use level::{LaneBackend, LaneLevel};
pub use processor::Processor;
