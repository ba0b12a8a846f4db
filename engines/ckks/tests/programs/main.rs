// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Programs of operations: recorded, replayed, and run by executors.

mod bootstrap_on_card;
mod card;
mod circuit_executor;
mod executor;
mod fhetch;
mod instructions;
#[path = "../wiped/link.rs"]
mod link;
#[path = "../lockstep/mod.rs"]
mod lockstep;
mod lockstep_programs;
mod on_card;
mod operations;
#[allow(clippy::unwrap_used, dead_code, reason = "a part is used here")]
#[path = "../wiped/patterns.rs"]
mod patterns;
#[path = "../pipe/mod.rs"]
mod pipe;
mod replay;
mod same_bits;
mod secrets_on_card;
#[path = "../setting/mod.rs"]
mod setting;
mod stream;
#[path = "../test_card/mod.rs"]
mod test_card;
