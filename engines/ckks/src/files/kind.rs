// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The format, the kinds of files, and the hash of parameters.

use std::fmt;

/// The version of the format. Files of older versions are rejected.
pub const FORMAT: u16 = 5;

/// The first bytes of every file.
pub(super) const MAGIC: [u8; 8] = *b"\x89CKKS\r\n\x1a";
/// The size of a hash in bytes.
const HASH_BYTES: usize = 32;

/// The kind of a file's content.
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
    /// The description of a network that a client needs.
    Interface = 7,
    /// The agreement of several key holders.
    Session = 8,
    /// The state of one of several key holders.
    Party = 9,
}

/// A BLAKE3 hash of the bytes of a header that describe parameters, and of all primes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ParameterHash([u8; HASH_BYTES]);

impl FileKind {
    pub(super) const ALL: [Self; 9] = [
        Self::Parameters,
        Self::SecretKey,
        Self::PublicKey,
        Self::EvaluationKeys,
        Self::Ciphertext,
        Self::Checkpoint,
        Self::Interface,
        Self::Session,
        Self::Party,
    ];

    /// Returns the kind of a file that begins with these bytes; `None` if they do not belong to a
    /// CKKS file or are too few.
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
            Self::Session => "a session of several key holders",
            Self::Party => "the state of a key holder",
        })
    }
}

impl ParameterHash {
    /// Returns the hash with these bytes, as read from a file.
    pub(super) fn of_bytes(bytes: [u8; HASH_BYTES]) -> Self {
        Self(bytes)
    }

    /// Returns the bytes of the hash.
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

/// Shows the first eight bytes, which are enough to distinguish parameters.
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
