// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The verifiers of the package against those of the engine.

#![allow(clippy::unwrap_used, reason = "a failed test panics")]

mod openings;
mod signatures;
