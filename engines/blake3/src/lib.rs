// SPDX-License-Identifier: Apache-2.0 OR MIT
//! BLAKE3 (O'Connor, Aumasson, Neves, Wilcox-O'Hearn 2020), in the interfaces of this library.
//!
//! The crate `blake3`, which is re-exported, hashes streams; this crate adds batches of many
//! messages ([`HashMany`]) and the operation that a device executes ([`operations::Hash`]).
//!
//! ```
//! use halimede_blake3::{blake3, Flat, HashMany, Mode};
//!
//! let digests = HashMany::new(Mode::Hash).digests(&[&b"one"[..], b"another"][..]);
//! assert_eq!(digests[1], *blake3::hash(b"another").as_bytes());
//! // Stored contiguously, like Arrow's binary arrays.
//! let flat = Flat::new(b"oneanother", &[0, 3, 10])?;
//! assert_eq!(HashMany::new(Mode::Hash).digests_parallel(&flat), digests);
//! # Ok::<(), halimede_blake3::FlatError>(())
//! ```

mod backend;
mod choice;
mod constants;
pub mod interface;
#[cfg(feature = "known-answers")]
pub mod known_answers;
mod lanes;
mod many;
mod messages;
mod mode;
pub mod operations;
mod outputs;
pub mod reference;

pub use backend::HashBackend;
pub use blake3;
pub use constants::IV;
pub use many::HashMany;
pub use messages::{Flat, FlatError, Messages};
pub use mode::{Mode, KEY_BYTES};
pub use outputs::Outputs;

/// The default length of a digest in bytes.
pub const DIGEST_BYTES: usize = 32;
/// The length in bytes of a block, the input of one compression.
pub const BLOCK_BYTES: usize = 64;
/// The length in bytes of a chunk, a leaf of the tree.
pub const CHUNK_BYTES: usize = 1024;

/// A digest of the default length.
pub type Digest = [u8; DIGEST_BYTES];
