// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The Halimede card: one byte stream in, one byte stream out, and a device behind them.
//!
//! - [`spec`]: commands, registers and limits, generated from `card/spec/card.toml`.
//! - [`frame`]: the unit of both streams; [`command`]: the control commands as types.
//! - [`transport`]: where the streams go: a simulated card, XDMA devices, a serial line.
//! - [`wire`]: how operations travel; [`Card`]: executes every operation that does.

mod batch;
mod card;
pub mod command;
mod epoch;
mod error;
pub mod frame;
mod link;
pub mod spec;
pub mod transport;
pub mod wire;

pub use batch::Attempt;
pub use card::{Card, CardOptions};
pub use error::CardError;
