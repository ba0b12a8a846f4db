// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Traces of the FHETCH polynomial IR, as files `.fhetch` of Niobium's open tools have them.
//!
//! [`Trace::of_program`] translates a recorded [`Program`](crate::ring::Program) to operations on
//! polynomials modulo one number, [`Trace::to_text`] and [`Trace::parse`] write and read the text,
//! and [`Trace::replay`] computes the outputs from the text and the inputs alone, with its own
//! arithmetic of 64 bits. `docs/interop.md` has the format.

mod arithmetic;
mod conversion;
mod error;
mod lower;
mod parse;
mod replay;
mod text;
mod trace;

pub use error::FhetchError;
pub use parse::{MAX_BYTES, MAX_INSTRUCTIONS, MAX_MODULI};
pub use replay::MAX_LIVE_WORDS;
pub use trace::{Instruction, Operation, Port, Trace, COPY_MODULUS};
