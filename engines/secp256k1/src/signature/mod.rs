// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Signatures as bytes.

mod der;

use secp256k1::ecdsa;

use crate::constants::{GROUP_ORDER, HIGHEST_LOW_S};

pub use der::{DerError, Number};

/// The encoding of a signature.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Format {
    /// DER by the rules of BIP 66, without the byte of the hash type that transactions append.
    #[default]
    Der,
    /// DER as found in blocks from before BIP 66, parsed as OpenSSL did: lengths in any BER form,
    /// the outer length ignored, zero bytes before numbers, numbers that look negative, and
    /// trailing bytes. If r or s does not fit in 256 bits, both become 0.
    DerLax,
    /// r and s, each of 32 bytes, big-endian (IEEE P1363).
    Compact,
}

/// r and s, of any value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Numbers {
    /// r, big-endian.
    pub r: [u8; 32],
    /// s, big-endian.
    pub s: [u8; 32],
}

impl Numbers {
    /// Returns `true` if s lies in (n/2, n): n − s would be equally valid, and is the preferred one
    /// (BIP 146).
    pub fn has_high_s(&self) -> bool {
        self.s > HIGHEST_LOW_S && self.s < GROUP_ORDER
    }
}

/// Why bytes are not a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum SignatureError {
    /// The signature breaks a rule of BIP 66.
    #[error(transparent)]
    Der(#[from] DerError),
    /// Even the lax rules find no two numbers.
    #[error("the signature is not DER, even by lax rules")]
    DerLax,
    /// The signature is not r and s of 32 bytes each.
    #[error("a compact signature has 64 bytes, got {got}")]
    CompactLength {
        /// The number of bytes found.
        got: usize,
    },
}

impl Format {
    /// Parses r and s. They may be out of range, which the check detects.
    ///
    /// # Errors
    /// [`SignatureError`]: which rule the bytes break.
    pub fn parse(self, bytes: &[u8]) -> Result<Numbers, SignatureError> {
        match self {
            Self::Der => Ok(der::parse(bytes)?),
            Self::DerLax => {
                let lax = ecdsa::Signature::from_der_lax(bytes);
                let signature = lax.map_err(|_| SignatureError::DerLax)?;
                Ok(split(&signature.serialize_compact()))
            }
            Self::Compact => {
                let wrong_length = |_| SignatureError::CompactLength { got: bytes.len() };
                let compact: &[u8; 64] = bytes.try_into().map_err(wrong_length)?;
                Ok(split(compact))
            }
        }
    }
}

fn split(compact: &[u8; 64]) -> Numbers {
    let (mut r, mut s) = ([0; 32], [0; 32]);
    r.copy_from_slice(&compact[..32]);
    s.copy_from_slice(&compact[32..]);
    Numbers { r, s }
}
