// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The Halimede card: one byte stream to it, one byte stream from it, and the device that uses
//! them.
//!
//! - [`spec`]: commands, registers and limits, generated from `card/spec/card.toml` and the
//!   manifests of the engines.
//! - [`frame`]: the unit of both streams; [`command`]: the control commands as types.
//! - [`transport`]: the endpoints of the streams: a simulated card, XDMA devices, mapped
//!   memory, a serial line.
//! - [`codec`]: the encoding of operations, implemented by each engine; [`Card`]: the device that
//!   executes them.

// Only `transport/memory.rs` has unsafe code.
#![deny(unsafe_code)]

mod card;
pub mod codec;
pub mod command;
mod epoch;
mod error;
mod executor;
mod flow;
pub mod frame;
mod interrupt;
mod link;
mod opening;
mod output;
mod session;
pub mod spec;
pub mod transport;
mod window;

pub use card::{Card, CardFailure, CardOptions};
pub use error::CardError;
pub use executor::CardExecutor;
pub use opening::Opening;
pub use window::{interrupt_mask, interrupts_of, EngineReport};
