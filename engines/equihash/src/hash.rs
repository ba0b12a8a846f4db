// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Double SHA-256, which identifies blocks.

use std::fmt;

use sha2::{Digest, Sha256};

/// The double SHA-256 of a header with its solution: it identifies the block, and it must meet the
/// target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockHash([u8; 32]);

impl BlockHash {
    /// Hashes these bytes with SHA-256, twice.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(Sha256::digest(bytes)).into())
    }

    /// The bytes in header order: the least significant byte of the number first.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl From<[u8; 32]> for BlockHash {
    fn from(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

/// Prints the hash as nodes do: the last byte first.
impl fmt::Display for BlockHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().rev().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}
