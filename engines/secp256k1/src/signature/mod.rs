// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Signatures as bytes.

mod der;

use secp256k1::ecdsa;

use crate::constants::{GROUP_ORDER, HIGHEST_LOW_S};

pub use der::{DerError, Number};

/// How a signature is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Format {
    /// DER by the rules of BIP 66, without the byte of the hash type that transactions put behind
    /// it.
    #[default]
    Der,
    /// What blocks from before BIP 66 may have, read as OpenSSL did: lengths in any of BER's forms
    /// and the outer one not looked at, zero bytes before numbers, numbers that look negative,
    /// bytes behind the end. Where r or s does not fit 256 bits both stand as 0.
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
    /// Whether s lies in (n/2, n): then n − s would be as good, and is the one to use (BIP 146).
    pub fn has_high_s(&self) -> bool {
        self.s > HIGHEST_LOW_S && self.s < GROUP_ORDER
    }
}

/// Why bytes are not a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum SignatureError {
    /// It breaks a rule of BIP 66.
    #[error(transparent)]
    Der(#[from] DerError),
    /// Not even lax rules read two numbers out of it.
    #[error("the signature is not DER, even by lax rules")]
    DerLax,
    /// It is not r and s of 32 bytes each.
    #[error("a compact signature has 64 bytes, got {got}")]
    CompactLength {
        /// Bytes there are.
        got: usize,
    },
}

impl Format {
    /// Reads r and s. They may be out of range: the check says so.
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
