// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tests against published vectors and the crate `bls12_381`.

#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used)]

mod arithmetic;
mod ark_proofs;
mod cells;
#[path = "../common/mod.rs"]
mod common;
mod coprocessor;
mod eip2537;
mod groth16;
mod hashes;
mod kzg;
mod points;
mod prove;
mod signatures;
mod transform;
