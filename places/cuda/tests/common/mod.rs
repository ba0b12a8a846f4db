// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The common part of the tests with the stand-in driver.

#![allow(dead_code, reason = "each test binary uses a part")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test's helpers are tests too")]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "tests print answers and skips")]

pub mod standin;
