// SPDX-License-Identifier: Apache-2.0 OR MIT
//! CKKS programs on the stand-in driver give the bits of the processor.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test's helpers are tests too")]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "tests print skips")]

#[path = "../common/mod.rs"]
mod common;
mod faults;
mod networks;
mod routines;
mod setting;
mod several;
mod steps;
