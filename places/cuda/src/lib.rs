// SPDX-License-Identifier: Apache-2.0 OR MIT
//! NVIDIA GPUs: the driver, memory, kernels and executors.
//!
//! | module | content |
//! |---|---|
//! | [`gpu`], [`context`] | a GPU of this machine, and what this process has on it |
//! | [`memory`], [`stream`] | buffers, pinned memory, copies, launches |
//! | [`graph`] | recorded work |
//! | [`kernels`] | the kernels as PTX |
//! | [`kernel`], [`workspace`], [`executor`] | what all executors have in common |
//! | [`blake3`], [`bls12_381`], [`equihash`], [`loopback`], [`poseidon`], [`secp256k1`] | the executors |
//! | `ckks` | CKKS programs, with the feature `ckks` |
//!
//! The driver is loaded when the first GPU is opened. Without a driver, a GPU or kernels,
//! [`Gpu::open`] says which of them is missing, and what to do.

mod attempts;
pub mod blake3;
pub mod bls12_381;
#[cfg(feature = "ckks")]
pub mod ckks;
pub mod context;
pub mod equihash;
mod error;
mod event;
pub mod executor;
pub mod gpu;
pub mod graph;
mod groups;
mod info;
pub mod kernel;
pub mod kernels;
mod library;
pub mod loopback;
pub mod memory;
mod module;
mod pieces;
mod place;
pub mod poseidon;
pub mod secp256k1;
pub mod stream;
pub mod workspace;

pub use context::Context;
pub use error::CudaError;
pub use event::Event;
pub use executor::CudaExecutor;
pub use gpu::{Gpu, GpuCondition, GpuOptions, GpuState, Holder};
pub use graph::Graph;
pub use info::{count, GpuInfo};
pub use kernel::Kernel;
pub use library::{is_stand_in, LIBRARY, OLDEST};
pub use memory::{Argument, Buffer, Pinned, Plain};
pub use module::Function;
pub use place::GpuPlace;
pub use stream::Stream;
pub use workspace::Workspace;
