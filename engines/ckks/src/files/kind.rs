// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What tells files apart: the format, what they hold, and the hash of the parameters.

use std::fmt;

/// The format. Older ones are refused.
pub const FORMAT: u16 = 5;

/// What a file begins with.
pub(super) const MAGIC: [u8; 8] = *b"\x89CKKS\r\n\x1a";
/// Bytes of a hash.
const HASH_BYTES: usize = 32;

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum FileKind {
    /// Parameters.
    Parameters = 1,
    /// A secret key.
    SecretKey = 2,
    /// A public key.
    PublicKey = 3,
    /// Evaluation keys.
    EvaluationKeys = 4,
    /// A ciphertext.
    Ciphertext = 5,
    /// The state of a run.
    Checkpoint = 6,
    /// What a client must know of a network.
    Interface = 7,
}

/// A BLAKE3 hash of the bytes of a header that describe parameters, and of all primes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ParameterHash([u8; HASH_BYTES]);

impl FileKind {
    pub(super) const ALL: [Self; 7] = [
        Self::Parameters,
        Self::SecretKey,
        Self::PublicKey,
        Self::EvaluationKeys,
        Self::Ciphertext,
        Self::Checkpoint,
        Self::Interface,
    ];

    /// What a file holds that begins with these bytes; none where they are not of a CKKS file, or
    /// too few to tell.
    pub fn of_beginning(bytes: &[u8]) -> Option<Self> {
        let behind_format = bytes.strip_prefix(&MAGIC)?.get(size_of::<u16>()..)?;
        let kind = behind_format.first()?;
        Self::ALL.into_iter().find(|known| *known as u8 == *kind)
    }
}

impl fmt::Display for FileKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Parameters => "parameters",
            Self::SecretKey => "a secret key",
            Self::PublicKey => "a public key",
            Self::EvaluationKeys => "evaluation keys",
            Self::Ciphertext => "a ciphertext",
            Self::Checkpoint => "a checkpoint of a run",
            Self::Interface => "the interface of a network",
        })
    }
}

impl ParameterHash {
    /// The hash that a file says.
    pub(super) fn of_bytes(bytes: [u8; HASH_BYTES]) -> Self {
        Self(bytes)
    }

    /// All of it.
    pub fn as_bytes(&self) -> &[u8; HASH_BYTES] {
        &self.0
    }

    pub(super) fn of(description: &[u8], primes: &[u32]) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key("Halimede CKKS parameters, format 4");
        hasher.update(description);
        primes.iter().for_each(|prime| {
            hasher.update(&prime.to_le_bytes());
        });
        Self(*hasher.finalize().as_bytes())
    }
}

/// The first eight bytes, which is enough to tell parameters apart.
impl fmt::Display for ParameterHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0[..8].iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ParameterHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
