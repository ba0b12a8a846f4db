// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Hashes of blocks and transactions: double SHA-256, printed from the last byte to the first, and
//! personalized BLAKE2b.

use std::fmt;
use std::str::FromStr;

use blake2b_simd::Params;
use halimede_equihash::BlockHash;
use serde::Deserialize;

/// 32 bytes in the order of blocks; printed and parsed in reverse order, as nodes do.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub struct Hash(pub [u8; 32]);

/// Computes the double SHA-256.
pub fn double_sha256(bytes: &[u8]) -> Hash {
    Hash(*BlockHash::of(bytes).as_bytes())
}

/// Computes the BLAKE2b-256 hash of these parts, one after another, with a personalization.
pub fn personalized(personalization: &[u8; 16], parts: &[&[u8]]) -> [u8; 32] {
    let mut state = Params::new().hash_length(32).personal(personalization).to_state();
    for part in parts {
        state.update(part);
    }
    let mut bytes = [0; 32];
    bytes.copy_from_slice(state.finalize().as_bytes());
    bytes
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().rev().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text is not a hash.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a hash: expected 64 hexadecimal digits")]
pub struct HashError(String);

impl FromStr for Hash {
    type Err = HashError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut bytes = [0; 32];
        hex::decode_to_slice(text, &mut bytes).map_err(|_| HashError(text.to_owned()))?;
        bytes.reverse();
        Ok(Self(bytes))
    }
}

impl TryFrom<String> for Hash {
    type Error = HashError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}
