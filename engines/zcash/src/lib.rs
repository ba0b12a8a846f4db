// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Zcash blocks as a node has them: what has to be checked of their proof of work and of their
//! transparent signatures, as requests for the engines. Parsing, scripts and signature hashes from
//! Overwinter on are the work of the crates `zcash_primitives`, `zcash_transparent` and
//! `zcash_script`.

mod block;
mod coinbase;
mod error;
mod hash;
mod header;
mod merkle;
mod network;
mod reader;
mod text;

pub use block::{Block, BlockTransaction, MOST_BLOCK_BYTES};
pub use error::{BlockError, Part};
pub use hash::{Hash, HashError};
pub use header::Header;
pub use merkle::{merkle_root, MerkleRoot};
pub use network::{Network, UnknownNetwork};
