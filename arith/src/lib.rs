// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What every engine is made of: prime fields, and the vocabulary of jobs.
//!
//! - [`backend`]: which of the processor's instructions are used.
//! - [`field`]: prime fields of four 64-bit limbs in Montgomery form, parametric in the modulus.
//! - [`job`]: an [`job::Operation`] is something an accelerator can be asked to do; a device
//!   [`job::Execute`]s it in batches.
//! - [`lanes`]: the same fields with eight jobs side by side.
//! - [`serial`]: unreduced arithmetic for one long chain of operations, compiled for each backend.

pub mod backend;
pub mod field;
pub mod job;
pub mod lanes;
pub mod serial;

pub use backend::Backend;
pub use field::{Felt, Field, Fr};
