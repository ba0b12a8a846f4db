// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The places where jobs run. Each place fills a [`Registry`] with its executors, one per
//! operation.
//!
//! | module | place |
//! |---|---|
//! | [`processor`] | this processor, all cores of the current thread pool |
//! | [`card`] | a card, also a simulated one |
//! | `cuda` | an NVIDIA GPU, with the feature `cuda` |
//!
//! A place does not handle fallback, retries and samples; the crate `halimede-device` does. To add
//! a place, add a module here, or build a registry in the calling crate.
//!
//! With the feature `ckks`, a registry also has the place that runs CKKS programs.

pub mod card;
#[cfg(feature = "cuda")]
pub mod cuda;
mod engine;
pub mod processor;
#[cfg(feature = "ckks")]
pub mod programs;
mod registry;

pub use engine::Engine;
pub use registry::{Found, Registry};
