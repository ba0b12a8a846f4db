// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Every engine on simulated cards, against the processor.

#![allow(clippy::unwrap_used, clippy::panic)]

mod blake3_batches;
mod bls12_381_programs;
mod ckks_jobs;
#[path = "../../../engines/ckks/tests/wiped/link.rs"]
mod ckks_link;
#[path = "../../../engines/ckks/tests/lockstep/mod.rs"]
mod ckks_lockstep;
#[allow(dead_code, reason = "a part is used here")]
#[path = "../../../engines/ckks/tests/wiped/patterns.rs"]
mod ckks_patterns;
mod ckks_programs;
#[path = "../common/mod.rs"]
mod common;
mod equihash_batches;
mod f2_board;
#[path = "../../../card/tests/fake_card/mod.rs"]
mod fake_card;
mod instances;
mod kills;
mod secp256k1_batches;
mod simulated;
mod tree_faults;
mod trees;
mod uart_board;
