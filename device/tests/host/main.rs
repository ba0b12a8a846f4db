// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tests of the host without a card: devices, their fallback, and flat arrays.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod call;
mod device;
#[path = "../../../card/tests/fake_card/mod.rs"]
mod fake_card;
mod fallback;
mod flat;
mod flat_blake3;
mod flat_failures;
mod planted;
mod reopened;
