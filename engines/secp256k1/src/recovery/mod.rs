// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Recovers public keys from ECDSA signatures (SEC 1, section 4.1.6), like Ethereum's `ecrecover`.
//!
//! A recovery id identifies the point R of a signature: bit 0 is the parity of its y, and bit 1 is
//! set if its x is r + n instead of r. The key is Q = (s/r)·R − (e/r)·G. libsecp256k1 recovers
//! single keys; those of a batch are recovered in lanes where that is faster.

use halimede_arith::serial::limbs::Limbs;
use secp256k1::ecdsa::{RecoverableSignature, RecoveryId};
use secp256k1::{Message, PublicKey};
use sha3::{Digest, Keccak256};

use crate::constants::{FIELD_ORDER, GROUP_ORDER, HIGHEST_LOW_S};
use crate::digest::leftmost_bits;
use crate::key::{coordinates, parse_key, COMPRESSED_BYTES};
use crate::quotient::{add, bytes, limbs, subtract, N};

mod batch;
mod operation;

pub use batch::recover_batch;
pub use operation::{Recover, RecoverRequest};

/// Bytes of a signature: r, s and the recovery id.
pub const SIGNATURE_BYTES: usize = 65;
/// Bytes of a key: x and y.
pub const KEY_BYTES: usize = 64;
/// Bytes of an Ethereum address.
pub const ADDRESS_BYTES: usize = 20;

/// The encoding of recovery ids.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Numbering {
    /// 0 to 3, as in libsecp256k1.
    #[default]
    Plain,
    /// 27 or 28 for 0 or 1; an x of r + n cannot be expressed (Ethereum Yellow Paper, appendix F).
    Ethereum,
}

/// Rules for signatures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Rules {
    /// The encoding of recovery ids.
    pub numbering: Numbering,
    /// `true` if s must not be above n/2 (EIP-2: required in transactions, not in the precompile).
    pub low_s: bool,
}

/// The first reason why no key can be recovered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Rejection {
    /// The signature does not have [`SIGNATURE_BYTES`].
    #[error("a signature has {SIGNATURE_BYTES} bytes, got {got}")]
    Length {
        /// The number of bytes found.
        got: usize,
    },
    /// The last byte is not a recovery id.
    #[error("the recovery id {got} is not from 0 to 3")]
    PlainId {
        /// The byte.
        got: u8,
    },
    /// The last byte is not a recovery id as Ethereum encodes it.
    #[error("the recovery id {got} is neither 27 nor 28")]
    EthereumId {
        /// The byte.
        got: u8,
    },
    /// r is not in [1, n).
    #[error("r is not from 1 to n - 1")]
    RRange,
    /// s is not in [1, n).
    #[error("s is not from 1 to n - 1")]
    SRange,
    /// s is above n/2, and the rules require the lower of s and n − s.
    #[error("s is above n/2")]
    HighS,
    /// The recovery id says that x is r + n, which is not below p.
    #[error("r + n is not below p")]
    XRange,
    /// No point of the curve has this x.
    #[error("no point of the curve has the x that r says")]
    NotOnCurve,
    /// The key would be the point at infinity.
    #[error("the key would be the point at infinity")]
    Infinity,
}

/// A recovered key: x and y, big-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RecoveredKey(pub [u8; KEY_BYTES]);

impl RecoveredKey {
    /// Returns the Ethereum address: the last 20 bytes of Keccak-256 of the key.
    pub fn address(&self) -> [u8; ADDRESS_BYTES] {
        let hash: [u8; 32] = Keccak256::digest(self.0).into();
        let mut address = [0; ADDRESS_BYTES];
        address.copy_from_slice(&hash[32 - ADDRESS_BYTES..]);
        address
    }

    fn of([x, y]: [[u8; 32]; 2]) -> Self {
        let mut key = [0; KEY_BYTES];
        key[..32].copy_from_slice(&x);
        key[32..].copy_from_slice(&y);
        Self(key)
    }
}

/// Recovers one key on the calling thread, from a digest of any length (only the leftmost 256 bits
/// of a longer one count), and from r, s and the recovery id in 65 bytes.
///
/// ```
/// use halimede_secp256k1::recovery::{recover, Rejection, Rules};
///
/// let signature = [1; 65];
/// assert!(recover(Rules::default(), &[7; 32], &signature).is_ok());
/// assert_eq!(recover(Rules::default(), &[7; 32], &[0; 65]), Err(Rejection::RRange));
/// ```
///
/// # Errors
/// [`Rejection`] if no key can be recovered.
pub fn recover(rules: Rules, digest: &[u8], signature: &[u8]) -> Result<RecoveredKey, Rejection> {
    let numbers = Numbers::new(rules, digest, signature)?;
    let point = numbers.point()?;
    // libsecp256k1 reports no reason. R is decompressed a second time only after a failure.
    numbers.key().map_err(|rejection| match parse_key(&point) {
        Ok(_) => rejection,
        Err(_) => Rejection::NotOnCurve,
    })
}

/// A signature whose r and s are in range.
#[derive(Clone, Copy, Debug)]
struct Numbers {
    r: [u8; 32],
    s: [u8; 32],
    /// 0 to 3.
    id: u8,
    digest: [u8; 32],
}

impl Numbers {
    /// Parses a signature by the rules.
    fn new(rules: Rules, digest: &[u8], signature: &[u8]) -> Result<Self, Rejection> {
        let signature = <&[u8; SIGNATURE_BYTES]>::try_from(signature)
            .map_err(|_| Rejection::Length { got: signature.len() })?;
        let (mut r, mut s) = ([0; 32], [0; 32]);
        r.copy_from_slice(&signature[..32]);
        s.copy_from_slice(&signature[32..64]);
        let id = match (rules.numbering, signature[64]) {
            (Numbering::Plain, id @ 0..=3) => id,
            (Numbering::Plain, got) => return Err(Rejection::PlainId { got }),
            (Numbering::Ethereum, id @ (27 | 28)) => id - 27,
            (Numbering::Ethereum, got) => return Err(Rejection::EthereumId { got }),
        };
        let is_in_range = |number: &[u8; 32]| *number != [0; 32] && *number < GROUP_ORDER;
        if !is_in_range(&r) {
            return Err(Rejection::RRange);
        }
        if !is_in_range(&s) {
            return Err(Rejection::SRange);
        }
        if rules.low_s && s > HIGHEST_LOW_S {
            return Err(Rejection::HighS);
        }
        Ok(Self { r, s, id, digest: leftmost_bits(digest) })
    }

    /// Returns R in compressed form, if x is in range.
    fn point(&self) -> Result<[u8; COMPRESSED_BYTES], Rejection> {
        let mut x = limbs(&self.r);
        if self.id & 2 != 0 {
            let (sum, is_above) = add(&x, &N);
            if is_above || !subtract(&sum, &limbs(&FIELD_ORDER)).1 {
                return Err(Rejection::XRange);
            }
            x = sum;
        }
        let mut compressed = [2 | self.id & 1; COMPRESSED_BYTES];
        compressed[1..].copy_from_slice(&bytes(&x));
        Ok(compressed)
    }

    /// Recovers the key with libsecp256k1. Any failure is reported as [`Rejection::Infinity`],
    /// which is right if R is a point.
    fn key(&self) -> Result<RecoveredKey, Rejection> {
        let mut compact = [0; 64];
        compact[..32].copy_from_slice(&self.r);
        compact[32..].copy_from_slice(&self.s);
        let id = RecoveryId::from_u8_masked(self.id);
        RecoverableSignature::from_compact(&compact, id)
            .and_then(|signature| signature.recover(Message::from_digest(self.digest)))
            .map(|key: PublicKey| RecoveredKey::of(coordinates(&key)))
            .map_err(|_| Rejection::Infinity)
    }
}

/// Returns the key with these coordinates.
fn key_of([x, y]: [Limbs; 2]) -> RecoveredKey {
    RecoveredKey::of([bytes(&x), bytes(&y)])
}
