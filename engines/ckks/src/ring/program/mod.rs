// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Programs: the operations of the ring that an operation on ciphertexts takes, in order. A
//! device's compiler starts from one, the cost of an operation is counted by one, and the processor
//! replays one.
//!
//! A program is in static single assignment: each step gives a value that no other step changes,
//! and takes values of steps before it or from outside. Copies have no steps, being the same value;
//! parts of polynomials are [`Operation::Select`].

mod check;
mod counts;
mod error;
mod identify;
mod json;
#[allow(clippy::module_inception, reason = "the program is what the folder is about")]
mod program;
mod recorder;
mod step;

pub use counts::Counts;
pub use error::{Flaw, ProgramError};
pub use program::{External, Named, Note, Output, Prime, Program, Role};
pub(super) use recorder::Recorder;
pub use step::{Operation, Step};
