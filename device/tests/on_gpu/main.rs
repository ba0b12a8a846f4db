// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tests on a GPU of the stand-in driver, which runs the kernels on this processor. Each test has a
//! GPU to itself, by its number.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod answers;
mod ckks_programs;
#[path = "../../../places/cuda/tests/common/mod.rs"]
mod common;
mod crossover;
mod devices;
mod failures;
#[path = "../../examples/test_gpu/requests.rs"]
mod requests;
mod several;
