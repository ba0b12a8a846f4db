// SPDX-License-Identifier: Apache-2.0 OR MIT
//! BLAKE3 (O'Connor, Aumasson, Neves, Wilcox-O'Hearn 2020), as other parts of the library see it.
//!
//! Streams are the work of the crate `blake3`, which is re-exported; this crate adds many messages
//! at once ([`HashMany`]) and the operation that a device executes ([`operations::Hash`]).
//!
//! ```
//! use halimede_blake3::{blake3, Flat, HashMany, Mode};
//!
//! let digests = HashMany::new(Mode::Hash).digests(&[&b"one"[..], b"another"][..]);
//! assert_eq!(digests[1], *blake3::hash(b"another").as_bytes());
//! // One behind the other, as Arrow has binary arrays.
//! let flat = Flat::new(b"oneanother", &[0, 3, 10])?;
//! assert_eq!(HashMany::new(Mode::Hash).digests_parallel(&flat), digests);
//! # Ok::<(), halimede_blake3::FlatError>(())
//! ```

mod choice;
mod constants;
pub mod interface;
#[cfg(feature = "known-answers")]
pub mod known_answers;
mod lanes;
mod level;
mod many;
mod messages;
mod mode;
pub mod operations;
mod outputs;
pub mod reference;

pub use blake3;
pub use level::Level;
pub use many::HashMany;
pub use messages::{Flat, FlatError, Messages};
pub use mode::{Mode, KEY_BYTES};
pub use outputs::Outputs;

/// Bytes of a digest, where no other length is asked for.
pub const DIGEST_BYTES: usize = 32;
/// Bytes of a block, what one compression takes in.
pub const BLOCK_BYTES: usize = 64;
/// Bytes of a chunk, a leaf of the tree.
pub const CHUNK_BYTES: usize = 1024;

/// A digest of the default length.
pub type Digest = [u8; DIGEST_BYTES];
