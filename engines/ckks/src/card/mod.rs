// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compiles, simulates and measures programs of the ring for the card.
//!
//! [`compile()`] translates a recorded [`Program`](crate::ring::Program) to the card's
//! [instructions](isa):
//!
//! 1. [`lower()`] splits it into [`Task`]s, each the work of one unit on whole limbs. A product of
//!    the card is 2⁻³⁴ times the exact one, and an inverse transform N times. This excess of a limb
//!    is tracked as a number, and becomes part of constants that are needed anyway.
//! 2. The tasks are ordered, a few primes at a time, and sums with common factors become columns.
//! 3. Limbs get slots of the scratchpad, and instructions get their clocks.
//! 4. [`verify()`] proves that the stream computes the tasks.
//!
//! [`simulate()`] runs the encoded stream on a card's [memory](CardMemory). Its results equal those
//! of the replay, bit for bit. [`clocks()`] returns the time on a card, and [`report()`] the
//! bottleneck. [`CardMemory::run_on()`] runs a job on a device.

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
