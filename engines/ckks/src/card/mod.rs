// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Programs of the ring for the card: compiled, simulated, measured.
//!
//! [`compile()`] takes a recorded [`Program`](crate::ring::Program) to the card's
//! [instructions](isa):
//!
//! 1. [`lower()`] takes it apart into [`Task`]s, each the work of one unit on whole limbs. A product
//!    of the card comes out times 2⁻³⁴, a transform back times N. What a limb is too large by is
//!    carried along as a number and goes into constants that come anyway.
//! 2. The tasks are put in order, a few primes at a time; sums with common factors become columns.
//! 3. Limbs get slots of the scratchpad, and instructions their clocks.
//! 4. [`verify()`] proves that the stream computes the tasks.
//!
//! [`simulate()`] runs the encoded stream on a card's [memory](CardMemory): its results are the
//! replay's, bit for bit. [`clocks()`] says how long a card takes, and [`report()`] what binds.
//! [`CardMemory::run_on()`] runs a job on a device.

mod arithmetic;
mod basic;
mod clocked;
mod compile;
mod compiled;
mod cycles;
mod emit;
mod error;
mod free_clocks;
mod gather;
mod host;
mod image;
mod instruction;
pub mod isa;
mod listing;
mod lower;
mod memory;
mod memory_map;
mod model;
mod order;
mod partitions;
mod place;
mod placing;
mod report;
mod simulator;
mod size;
mod slots;
mod spread;
mod tables;
mod task;
mod verify;

pub use basic::{basic, without_automorphisms, Basic};
pub use clocked::{core_clocks, CoreClocks, CoreOptions, MOST_LOG_PARTITIONS};
pub use compile::{compile, CompileOptions};
pub use compiled::Compiled;
pub use cycles::{clocks, Clocks, Span};
pub use error::{CardError, ProgramFault, StreamFlaw};
pub use host::{
    JobDevice, JobEnd, JobError, MemoryPlace, ReadMemory, RunJob, WriteBatch, WriteMemory,
};
pub use host::{ALIGN_BYTES, MOST_DATA_BYTES};
pub(crate) use image::padded;
pub use image::Image;
pub use instruction::{Command, Instruction, INSTRUCTION_BYTES};
pub use listing::{chrome_trace, listing, svg};
pub use lower::{lower, lower_for, SumRoom};
pub use memory::CardMemory;
pub(crate) use memory::{job_header, limb_words, region_bytes};
pub(crate) use memory_map::has_seed;
pub use memory_map::{Content, MemoryMap, Segment};
pub use model::{Card, Occupation};
pub use order::OrderOptions;
pub use report::{report, Report, Traffic, UnitReport};
pub use simulator::simulate;
pub use size::{products, Memories, Multipliers, U280, U280_MULTIPLIERS};
pub use task::{Factor, LimbId, Source, Task, Tasks, Term, Work, MAX_TERMS};
pub use verify::verify;
