// SPDX-License-Identifier: Apache-2.0 OR MIT
//! CKKS programs on a GPU.
//!
//! | module | content |
//! |---|---|
//! | `lower` | steps of a program as tasks on single limbs |
//! | `fuse` | tasks that do the work of several |
//! | `schedule` | tasks collected for launches, and places of limbs |
//! | `emit`, `launch` | the words that kernels read |
//! | `count` | multiplications, bytes and launches |
//! | `compile` | all of these |
//! | `resident`, `state` | polynomials, tables and programs on a GPU |
//! | `member` | a GPU of a place, and copies of ciphertexts |
//! | `executor` | the place and its executors |
//!
//! Keys and plaintexts are sent when a program first uses them, and stay until the memory is full.
//! Uniform halves of keys are expanded on the GPU from their seeds. Compiled programs are graphs,
//! which a GPU repeats without the host; only a table of addresses differs between runs.

mod compile;
mod count;
mod emit;
mod executor;
mod fuse;
mod launch;
mod lower;
mod member;
mod resident;
mod schedule;
mod state;
mod task;

pub use compile::{compile, CompileOptions, CompiledProgram};
pub use count::GpuCounts;
pub use executor::CudaPrograms;
pub use launch::{CkksKernel, Launch};
