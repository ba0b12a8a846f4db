// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Programs: the ring operations of one operation on ciphertexts, in order. A device's compiler
//! translates them, the cost of an operation is counted from them, and the processor replays them.
//!
//! A program is in static single assignment form: each step computes a value that no other step
//! changes, from values of earlier steps or external values. Copies need no steps, since they are
//! the same value. Parts of polynomials are [`Operation::Select`].

mod check;
mod counts;
mod error;
mod identify;
mod json;
#[allow(clippy::module_inception, reason = "the folder contains the program")]
mod program;
mod recorder;
mod step;

pub use counts::Counts;
pub use error::{Flaw, ProgramError};
pub use program::{External, Named, Note, Output, Prime, Program, Role};
pub(super) use recorder::Recorder;
pub use step::{Operation, Step};
