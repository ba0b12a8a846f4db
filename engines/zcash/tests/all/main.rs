// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Blocks, transactions and their rules.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod blocks;
mod checks;
mod circuit;
mod commitments;
#[path = "../common/mod.rs"]
mod common;
mod damage;
#[cfg(feature = "prover")]
mod descriptions;
mod payments;
#[cfg(feature = "prover")]
mod peers;
mod proofs;
#[cfg(feature = "prover")]
mod prover;
mod real_blocks;
mod rule_list;
mod rules;
mod shielded;
mod spent;
mod state;
mod streams;
mod transactions;
mod verdicts;
