// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tests of the service over connections.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod access;
mod bad_clients;
mod common;
#[path = "../../../places/cuda/tests/common/mod.rs"]
mod cuda;
mod device;
mod document;
#[path = "../../../card/tests/fake_card/mod.rs"]
mod fake_card;
mod forms;
mod gate;
mod gpu;
mod memory;
#[allow(dead_code)]
#[path = "../../../engines/ckks_nn/tests/all/model_file.rs"]
mod model_file;
mod networks;
mod objects;
mod origins;
mod planning;
mod queue;
mod schema;
mod tls;
mod uploads;
mod zcash;
