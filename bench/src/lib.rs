// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Halimede's engines and their peers on the same inputs, for `halimede-bench` and for Criterion.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "benchmarks print what they measure")]

pub mod blake3;
pub mod bls12_381;
pub mod card_table;
pub mod ckks;
pub mod comparison;
pub mod document;
pub mod ecdsa;
pub mod equihash;
pub mod groth16;
pub mod kzg;
pub mod poseidon;
pub mod record;
pub mod redjubjub;
pub mod report;

pub use comparison::{Comparison, Settings};
