// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Trees: roots, columns, proofs and stored rows.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod columns;
#[path = "../common/mod.rs"]
mod common;
mod proofs;
mod roots;
mod stored;
