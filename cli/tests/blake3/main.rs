// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede blake3`: compared with the real `b3sum` and the official vectors, and its own
//! features.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod alone;
mod check;
mod device;
mod peer;
mod peer_check;
mod sandbox;
mod trees;
