// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Deterministic simulation of the host's side of the card, after TigerBeetle's example.
//!
//! The real host stack (link, sessions, retries, fallback) runs with a virtual clock and a virtual
//! link to a card that answers at once. A seed determines a run: the batches, the faults of the
//! link in both directions, the interrupts. A run checks itself: no reply is wrong, lost or
//! duplicated, and every call ends within its limit.
//!
//! - [`model`]: the card; [`fault`]: the faults of frames; [`world`]: the clock and the link.
//! - [`cases`]: requests and their replies; [`run`]: one run; [`sweep`]: many runs.
//! - `mutants.py` and `mutants.toml` (`make mutants`): faults of the host that the runs must catch.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test harness fails loudly"
)]

pub mod cases;
pub mod fault;
pub mod model;
pub mod run;
pub mod sweep;
pub mod world;
