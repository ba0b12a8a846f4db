// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The link to a card, tested with a card in a thread.

#![allow(clippy::unwrap_used, clippy::panic)]

mod blake3_batches;
#[path = "../fake_card/mod.rs"]
mod fake_card;
mod mapped;
mod mapped_file;
mod sessions;
mod transports;
mod xdma;
mod xdma_driver;
