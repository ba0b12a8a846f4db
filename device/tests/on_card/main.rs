// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Every engine on simulated cards, against the processor.

#![allow(clippy::unwrap_used, clippy::panic)]

mod blake3_batches;
mod ckks_jobs;
#[path = "../common/mod.rs"]
mod common;
mod equihash_batches;
#[path = "../../../card/tests/fake_card/mod.rs"]
mod fake_card;
mod instances;
mod kills;
mod secp256k1_batches;
mod simulated;
mod tree_faults;
mod trees;
mod uart_board;
