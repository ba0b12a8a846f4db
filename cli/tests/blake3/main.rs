// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede blake3`: beside the real `b3sum`, by the official vectors, and what it does alone.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod alone;
mod check;
mod device;
mod peer;
mod peer_check;
mod sandbox;
mod trees;
