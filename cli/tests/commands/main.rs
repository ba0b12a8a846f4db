// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The other commands, the kinds of files, and the backend that a command computes with.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod backend;
mod batch;
mod bls_programs;
mod card;
#[path = "../common/mod.rs"]
mod common;
mod ecdsa;
mod ecdsa_recover;
mod empty_input;
mod file_kinds;
mod filecoin;
mod filecoin_kills;
mod groth16;
mod manual;
mod poseidon;
#[path = "../../../engines/filecoin/tests/precommit2/sectors.rs"]
#[allow(dead_code, reason = "the engine's tests use all of it")]
mod sectors;
mod streams;
mod tour;
mod trees;
mod version;
