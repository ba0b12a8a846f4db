// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede ckks`: keys, vectors, expressions, bounds and traces.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod bounds;
#[path = "../common/mod.rs"]
mod common;
mod compile;
mod device;
mod explore;
mod expressions;
#[path = "../common/ckks.rs"]
mod sandbox;
mod tables;
mod trace;
mod vectors;
