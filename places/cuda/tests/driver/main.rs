// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The driver layer on the stand-in driver. Each test has a GPU to itself, by its number.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test's helpers are tests too")]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "tests print answers and skips")]

#[path = "../common/mod.rs"]
mod common;
mod copies;
mod errors;
mod sources;
