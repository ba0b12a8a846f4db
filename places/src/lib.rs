// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Places where jobs run. Each fills a [`Registry`] with its own executors, one an operation.
//!
//! | module | place |
//! |---|---|
//! | [`processor`] | this processor, all cores of the current thread pool |
//! | [`card`] | a card, also a simulated one |
//!
//! A place knows nothing of fallback, retries and samples: those stand in front of it, in the crate
//! `halimede-device`. Another place is another module here, or a registry that a caller brings.
//!
//! With the feature `ckks` a registry also has what runs CKKS programs.

pub mod card;
mod engine;
pub mod processor;
#[cfg(feature = "ckks")]
pub mod programs;
mod registry;

pub use engine::Engine;
pub use registry::{Found, Registry};
