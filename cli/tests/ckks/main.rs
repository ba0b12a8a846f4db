// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede ckks`: keys, vectors, expressions and bounds.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod bootstrap_demo;
mod bounds;
#[path = "../common/mod.rs"]
mod common;
mod compile;
mod device;
mod expressions;
#[path = "../../../engines/ckks_nn/tests/all/model_file.rs"]
#[allow(dead_code, reason = "the engine's tests use all of it")]
mod model_file;
mod network;
mod party;
mod programs;
#[path = "../common/ckks.rs"]
mod sandbox;
mod sharing;
mod vectors;
