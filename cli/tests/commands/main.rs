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
mod groth16;
mod manual;
mod poseidon;
mod streams;
mod tour;
mod trees;
mod version;
