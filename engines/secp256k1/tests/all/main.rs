// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tests signature checks against vectors and a reference.

#![allow(clippy::unwrap_used, clippy::panic)]

mod bip340;
#[path = "../common/mod.rs"]
mod common;
mod edge_cases;
mod half_aggregate;
mod keys;
mod published_faults;
mod random;
mod signatures;
mod wycheproof;
