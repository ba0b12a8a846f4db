// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Programs of the ring for the card: the tasks on limbs that its units do, and a simulator of them.
//!
//! [`lower()`] takes a recorded [`Program`](crate::ring::Program) apart into [`Task`]s, each the work
//! of one unit on whole limbs. [`Machine`] does them with the units' arithmetic: a product comes out
//! times 2⁻³⁴, a transform back times N. What a limb is too large by is carried along as a number
//! and goes into constants that come anyway, so that the results are the replay's, bit for bit.

mod error;
pub mod isa;
mod lower;
mod machine;
mod task;

pub use error::CardError;
pub use lower::lower;
pub use machine::Machine;
pub use task::{Factor, LimbId, Source, Task, Tasks, Term, Work, MAX_TERMS};
