// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Schnorr signatures over secp256k1 (BIP 340), of messages of any length.
//!
//! A signature (r, s) of a message under the key x is valid if R = s·G − e·P is a point with an
//! even y and the x-coordinate r. P is the point with x and an even y, and e is the tagged hash of
//! r, x and the message. libsecp256k1 verifies single signatures; a batch is verified in lanes
//! where that is faster. Both report why a signature fails.

use halimede_arith::serial::limbs::Limbs;
use secp256k1::schnorr::Signature;
use secp256k1::{PublicKey, Scalar, SecretKey, XOnlyPublicKey};
use sha2::{Digest, Sha256};

use crate::constants::{FIELD_ORDER, GROUP_ORDER};
use crate::key::{coordinates, parse_key, KeyError, COMPRESSED_BYTES};
use crate::quotient::{bytes, limbs, modulo_n};

mod batch;
mod operation;

pub use batch::verify_batch;
pub use operation::{SchnorrRequest, VerifySchnorr};

/// Bytes of a key: x.
pub const KEY_BYTES: usize = 32;
/// Bytes of a signature: r and s.
pub const SIGNATURE_BYTES: usize = 64;

halimede_arith::checks! {
    /// One check, in the order in which the first failure is named. If r or s is out of range,
    /// nothing further is computed.
    pub enum Check names_every_failure: false {
        /// r lies in [0, p).
        RRange = 0, "r-range", "r is not below p",
        /// s lies in [0, n).
        SRange = 1, "s-range", "s is not below n",
        /// s·G − e·P is not the point at infinity.
        Infinity = 2, "infinity", "the signature leads to the point at infinity",
        /// x of that point is r.
        Match = 3, "match", "the signature is not this key's on this message",
        /// y of that point is even.
        EvenY = 4, "even-y", "the signature leads to a point with an odd y",
    }
}

/// The failed checks of a signature; 0 if it is valid. If r or s is out of range, the other bits
/// are 0; of those other bits, at most one is set.
pub type Mask = halimede_arith::verdict::Mask<Check>;

/// The first reason why a signature is not valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Rejection {
    /// The key does not have [`KEY_BYTES`].
    #[error("a key has {KEY_BYTES} bytes, got {got}")]
    KeyLength {
        /// The number of bytes found.
        got: usize,
    },
    /// x of the key is not below p, or no point has it.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The signature does not have [`SIGNATURE_BYTES`].
    #[error("a signature has {SIGNATURE_BYTES} bytes, got {got}")]
    SignatureLength {
        /// The number of bytes found.
        got: usize,
    },
    /// Checks of the numbers failed.
    #[error("{0}")]
    Check(Mask),
}

impl From<Check> for Rejection {
    fn from(check: Check) -> Self {
        let mut mask = Mask::VALID;
        mask.set(check);
        Self::Check(mask)
    }
}

/// A signature to verify, as bytes.
#[derive(Clone, Copy, Debug)]
pub struct Signed<'a> {
    /// x of the key.
    pub key: &'a [u8],
    /// The message.
    pub message: &'a [u8],
    /// r and s.
    pub signature: &'a [u8],
}

/// Verifies one signature on the calling thread.
///
/// ```
/// use halimede_secp256k1::schnorr::{verify, Rejection, Signed};
///
/// let signed = Signed { key: &[7; 31], message: b"any length", signature: &[9; 64] };
/// assert_eq!(verify(signed), Err(Rejection::KeyLength { got: 31 }));
/// ```
///
/// # Errors
/// [`Rejection`] if the signature is not valid.
pub fn verify(signed: Signed<'_>) -> Result<(), Rejection> {
    let key = parse_key(&compressed(signed.key)?)?;
    Candidate::under(key, signed)?.verdict()
}

/// A signature whose r and s are in range, under a key that is a point.
#[derive(Clone, Copy, Debug)]
struct Candidate<'a> {
    /// P.
    key: PublicKey,
    r: [u8; 32],
    s: [u8; 32],
    message: &'a [u8],
}

/// Returns the compressed form of the point with this x and an even y.
pub(crate) fn compressed(key: &[u8]) -> Result<[u8; COMPRESSED_BYTES], Rejection> {
    let x = <&[u8; KEY_BYTES]>::try_from(key);
    let x = x.map_err(|_| Rejection::KeyLength { got: key.len() })?;
    let mut bytes = [2; COMPRESSED_BYTES];
    bytes[1..].copy_from_slice(x);
    Ok(bytes)
}

impl<'a> Candidate<'a> {
    /// Performs the checks of a signature under a key, except the equation.
    fn under(key: PublicKey, signed: Signed<'a>) -> Result<Self, Rejection> {
        let Signed { message, signature, .. } = signed;
        let halves = <&[u8; SIGNATURE_BYTES]>::try_from(signature);
        let halves = halves.map_err(|_| Rejection::SignatureLength { got: signature.len() })?;
        let (mut r, mut s) = ([0; 32], [0; 32]);
        r.copy_from_slice(&halves[..32]);
        s.copy_from_slice(&halves[32..]);
        let mut mask = Mask::VALID;
        if r >= FIELD_ORDER {
            mask.set(Check::RRange);
        }
        if s >= GROUP_ORDER {
            mask.set(Check::SRange);
        }
        if !mask.is_valid() {
            return Err(Rejection::Check(mask));
        }
        Ok(Self { key, r, s, message })
    }

    /// Returns e, in [0, n).
    fn challenge(&self) -> [u64; 4] {
        let [x, _] = coordinates(&self.key);
        challenge(tagged(CHALLENGE), &self.r, &x, self.message)
    }

    /// Verifies the signature with libsecp256k1; on failure, finds the reason from the sum.
    fn verdict(&self) -> Result<(), Rejection> {
        let mut signature = [0; SIGNATURE_BYTES];
        signature[..32].copy_from_slice(&self.r);
        signature[32..].copy_from_slice(&self.s);
        let key = XOnlyPublicKey::from(self.key);
        if Signature::from_byte_array(signature).verify(self.message, &key).is_ok() {
            return Ok(());
        }
        let sum = self.sum().map(|sum| coordinates(&sum).map(|number| limbs(&number)));
        Err(self.compare(sum).err().unwrap_or(Check::Match.into()))
    }

    /// Returns s·G − e·P, computed with libsecp256k1; `None` if it is infinity.
    fn sum(&self) -> Option<PublicKey> {
        let challenge = bytes(&self.challenge());
        if challenge == [0; 32] {
            let multiple = SecretKey::from_secret_bytes(self.s).ok()?;
            return Some(PublicKey::from_secret_key(&multiple));
        }
        let challenge = Scalar::from_be_bytes(challenge).ok()?;
        let multiple = Scalar::from_be_bytes(self.s).ok()?;
        self.key.negate().mul_tweak(&challenge).ok()?.add_exp_tweak(&multiple).ok()
    }

    /// Returns the verdict for a value of s·G − e·P.
    fn compare(&self, sum: Option<[[u64; 4]; 2]>) -> Result<(), Rejection> {
        let [x, y] = sum.ok_or(Check::Infinity)?;
        if x != limbs(&self.r) {
            return Err(Check::Match.into());
        }
        if y[0] & 1 == 1 {
            return Err(Check::EvenY.into());
        }
        Ok(())
    }
}

/// The tag of challenges.
pub(crate) const CHALLENGE: &[u8] = b"BIP0340/challenge";

/// Returns a hasher initialized with a tag.
pub(crate) fn tagged(tag: &[u8]) -> Sha256 {
    let tag = Sha256::digest(tag);
    Sha256::new().chain_update(tag).chain_update(tag)
}

/// Returns e, in [0, n), from a hasher initialized with [`CHALLENGE`].
pub(crate) fn challenge(tagged: Sha256, r: &[u8], key: &[u8], message: &[u8]) -> Limbs {
    let hash = tagged.chain_update(r).chain_update(key).chain_update(message);
    modulo_n(&limbs(&hash.finalize().into()))
}
