// SPDX-License-Identifier: Apache-2.0 OR MIT
//! BLAKE3's three modes (paper, section 2.3).

use std::fmt;

use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::constants::{DERIVE_KEY_MATERIAL, IV, KEYED_HASH};
use crate::Digest;

/// The length of a key in bytes.
pub const KEY_BYTES: usize = 32;

/// The mode of BLAKE3. Two of the modes hold a key: it is wiped from memory when the mode is
/// dropped, and no message shows it. Hashers without a key are not wiped, because that would take
/// longer (1.9 KB, volatile) than hashing 64 bytes.
#[derive(Clone, Default, PartialEq, Eq, Zeroize, ZeroizeOnDrop)]
pub enum Mode {
    /// The mode `hash`.
    #[default]
    Hash,
    /// The mode `keyed_hash`, with its key.
    Keyed([u8; KEY_BYTES]),
    /// The mode `derive_key`: the messages are key material, and this is the hash of the context
    /// string.
    DeriveKey([u8; KEY_BYTES]),
}

impl Mode {
    /// Creates the mode `derive_key` from a context string, which is hashed once for all messages.
    pub fn derive_key(context: &str) -> Self {
        Self::DeriveKey(blake3::hazmat::hash_derive_key_context(context))
    }

    /// Returns a new hasher of the crate `blake3`.
    pub fn hasher(&self) -> blake3::Hasher {
        use blake3::hazmat::HasherExt;
        match self {
            Self::Hash => blake3::Hasher::new(),
            Self::Keyed(key) => blake3::Hasher::new_keyed(key),
            Self::DeriveKey(context_key) => blake3::Hasher::new_from_context_key(context_key),
        }
    }

    /// Computes the digests of messages sequentially with the crate `blake3`; the mode is matched
    /// once for all of them.
    #[inline]
    pub(crate) fn digests_one_by_one<'m>(
        &self,
        messages: impl Iterator<Item = &'m [u8]>,
        digests: &mut [Digest],
    ) {
        let pairs = messages.zip(digests);
        match self {
            Self::Hash => {
                pairs.for_each(|(message, digest)| *digest = blake3::hash(message).into());
            }
            Self::Keyed(key) => pairs.for_each(|(message, digest)| {
                *digest = blake3::keyed_hash(key, message).into();
            }),
            Self::DeriveKey(context_key) => pairs.for_each(|(message, digest)| {
                use blake3::hazmat::HasherExt;
                let mut hasher = blake3::Hasher::new_from_context_key(context_key);
                *digest = hasher.update(message).finalize().into();
            }),
        }
    }

    /// Returns the digest of a single message from the crate `blake3`; its functions for a whole
    /// message avoid creating a hasher (1.9 KB).
    #[inline]
    pub(crate) fn digest(&self, message: &[u8]) -> Digest {
        *match self {
            Self::Hash => blake3::hash(message),
            Self::Keyed(key) => blake3::keyed_hash(key, message),
            Self::DeriveKey(_) => self.hasher().update(message).finalize(),
        }
        .as_bytes()
    }
}

/// The parameters of a mode for compressions.
#[derive(Zeroize, ZeroizeOnDrop)]
pub(crate) struct ModeWords {
    /// The initial chaining value of chunks and parents.
    pub key: [u32; 8],
    /// The flags of every compression.
    pub flags: u32,
}

impl From<&Mode> for ModeWords {
    fn from(mode: &Mode) -> Self {
        match mode {
            Mode::Hash => Self { key: IV, flags: 0 },
            Mode::Keyed(key) => Self { key: key_words(key), flags: KEYED_HASH },
            Mode::DeriveKey(context_key) => {
                Self { key: key_words(context_key), flags: DERIVE_KEY_MATERIAL }
            }
        }
    }
}

/// Returns the key as little-endian words.
fn key_words(key: &[u8; KEY_BYTES]) -> [u32; 8] {
    std::array::from_fn(|i| {
        u32::from_le_bytes([key[4 * i], key[4 * i + 1], key[4 * i + 2], key[4 * i + 3]])
    })
}

impl fmt::Debug for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Hash => "Hash",
            Self::Keyed(_) => "Keyed(..)",
            Self::DeriveKey(_) => "DeriveKey(..)",
        })
    }
}
