// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Half-aggregate signatures: many Schnorr signatures (BIP 340) of 32-byte messages as one of half
//! the length, verified by one sum (BIP draft "Half-Aggregation of BIP 340 signatures",
//! github.com/BlockstreamResearch/cross-input-aggregation, half-aggregation.mediawiki).
//!
//! The aggregate of u signatures (rᵢ, sᵢ) is r₀ ‖ … ‖ rᵤ₋₁ ‖ s with s = Σ zᵢ·sᵢ modulo n. z₀ is 1,
//! and zᵢ is the tagged hash of r₀ ‖ pk₀ ‖ m₀ ‖ … ‖ rᵢ ‖ pkᵢ ‖ mᵢ, so that the order of the
//! signatures matters. It is valid if s·G = Σ zᵢ·(Rᵢ + eᵢ·Pᵢ), where Rᵢ and Pᵢ are the points with
//! even y and the x-coordinates rᵢ and pkᵢ.
//!
//! Anyone can aggregate: no secret and no signer is needed.
//!
//! ```
//! use halimede_secp256k1::half_aggregate::{aggregate, verify, Rejection};
//!
//! let nothing = aggregate(&[])?;
//! assert_eq!(nothing, [0; 32]);
//! verify(&nothing, &[])?;
//! assert_eq!(verify(&[0; 31], &[]), Err(Rejection::Length { signatures: 0, got: 31 }));
//! # Ok::<(), Rejection>(())
//! ```

use halimede_arith::serial::limbs::Limbs;
use sha2::{Digest, Sha256};

use crate::constants::GROUP_ORDER;
use crate::key::KeyError;
use crate::quotient::{add_modulo_n, bytes, limbs, modulo_n, multiply};
use crate::schnorr::{tagged, Signed, KEY_BYTES, SIGNATURE_BYTES};

mod interface;
mod operation;
mod sum;

pub(crate) use interface::visit;
pub use operation::{
    HalfAggregate, HalfAggregateRequest, HalfAggregation, OwnedSigner, VerifyHalfAggregate,
};
pub use sum::verify;

/// The maximum number of signatures of an aggregate (section "Design").
pub const MOST_SIGNATURES: usize = (1 << 16) - 1;

/// Bytes of a message.
pub const MESSAGE_BYTES: usize = 32;

/// Bytes of r, and of s.
const HALF_BYTES: usize = 32;

/// The tag of randomizers.
const RANDOMIZER: &[u8] = b"HalfAgg/randomizer";

/// Returns the bytes of an aggregate of this many signatures.
pub const fn aggregate_bytes(signatures: usize) -> usize {
    HALF_BYTES * (signatures + 1)
}

/// A signer of an aggregate.
#[derive(Clone, Copy, Debug)]
pub struct Signer<'a> {
    /// x of the key.
    pub key: &'a [u8],
    /// The message, of [`MESSAGE_BYTES`].
    pub message: &'a [u8],
}

impl<'a> From<&Signed<'a>> for Signer<'a> {
    fn from(signed: &Signed<'a>) -> Self {
        Self { key: signed.key, message: signed.message }
    }
}

/// The first reason why an aggregate is not valid, or cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Rejection {
    /// More than [`MOST_SIGNATURES`].
    #[error("an aggregate has at most {MOST_SIGNATURES} signatures, got {got}")]
    TooMany {
        /// The number of signatures.
        got: usize,
    },
    /// The length does not match the number of signatures.
    #[error(
        "an aggregate of {signatures} signatures has {} bytes, got {got}",
        aggregate_bytes(*signatures)
    )]
    Length {
        /// The number of signatures.
        signatures: usize,
        /// The number of bytes found.
        got: usize,
    },
    /// A key does not have [`KEY_BYTES`].
    #[error("signature {number}: a key has {KEY_BYTES} bytes, got {got}")]
    KeyLength {
        /// The position of the signature.
        number: usize,
        /// The number of bytes found.
        got: usize,
    },
    /// A message does not have [`MESSAGE_BYTES`].
    #[error("signature {number}: a message has {MESSAGE_BYTES} bytes, got {got}")]
    MessageLength {
        /// The position of the signature.
        number: usize,
        /// The number of bytes found.
        got: usize,
    },
    /// A signature to aggregate does not have [`SIGNATURE_BYTES`].
    #[error("signature {number}: a signature has {SIGNATURE_BYTES} bytes, got {got}")]
    SignatureLength {
        /// The position of the signature.
        number: usize,
        /// The number of bytes found.
        got: usize,
    },
    /// x of a key is not below p, or no point has it.
    #[error("signature {number}: {reason}")]
    Key {
        /// The position of the signature.
        number: usize,
        /// The reason.
        reason: KeyError,
    },
    /// r is not below p.
    #[error("signature {number}: r is not below p")]
    RRange {
        /// The position of the signature.
        number: usize,
    },
    /// No point of the curve has the x-coordinate r.
    #[error("signature {number}: r is not the x of a point of the curve")]
    NotOnCurve {
        /// The position of the signature.
        number: usize,
    },
    /// s of a signature to aggregate is not below n.
    #[error("signature {number}: s is not below n")]
    SignatureSRange {
        /// The position of the signature.
        number: usize,
    },
    /// s of the aggregate is not below n.
    #[error("s of the aggregate is not below n")]
    SRange,
    /// The equation does not hold.
    #[error("the aggregate is not of these keys and messages")]
    Mismatch,
}

/// Aggregates signatures (section "Aggregate"). The number of bytes is [`aggregate_bytes`].
///
/// The signatures are not verified. An aggregate of valid signatures is valid, but an aggregate can
/// also be valid if several of its signatures are not: verify them first
/// ([`schnorr::verify_batch`](crate::schnorr::verify_batch)) if they come from others.
///
/// # Errors
/// [`Rejection`] if there are too many signatures, a length is wrong, or an s is not below n, which
/// the draft would reduce.
pub fn aggregate(signed: &[Signed<'_>]) -> Result<Vec<u8>, Rejection> {
    extend(&[0; HALF_BYTES], &[], signed)
}

/// Adds signatures to an aggregate of the given signers (section "IncAggregate"). The result is the
/// aggregate of all signatures together.
///
/// Neither the aggregate nor the signatures are verified, as for [`aggregate`].
///
/// # Errors
/// [`Rejection`] if there are too many signatures, a length is wrong, or an s is not below n.
pub fn extend(
    aggregate: &[u8],
    signers: &[Signer<'_>],
    signed: &[Signed<'_>],
) -> Result<Vec<u8>, Rejection> {
    let all = signers.len().saturating_add(signed.len());
    if all > MOST_SIGNATURES {
        return Err(Rejection::TooMany { got: all });
    }
    let (nonces, s) = halves(aggregate, signers.len())?;
    let mut s = reduced(s).ok_or(Rejection::SRange)?;
    let mut randomizers = Randomizers::new();
    let mut extended = Vec::with_capacity(aggregate_bytes(all));
    extended.extend_from_slice(nonces);
    for (number, (r, signer)) in nonces.chunks_exact(HALF_BYTES).zip(signers).enumerate() {
        check_lengths(number, signer)?;
        randomizers.absorb(r, signer);
    }
    for (number, signed) in (signers.len()..).zip(signed) {
        let signer = Signer::from(signed);
        check_lengths(number, &signer)?;
        let got = signed.signature.len();
        let Some((r, of_signature)) = signed.signature.split_at_checked(HALF_BYTES) else {
            return Err(Rejection::SignatureLength { number, got });
        };
        let of_signature = <&[u8; HALF_BYTES]>::try_from(of_signature);
        let of_signature = of_signature.map_err(|_| Rejection::SignatureLength { number, got })?;
        let of_signature = reduced(of_signature).ok_or(Rejection::SignatureSRange { number })?;
        randomizers.absorb(r, &signer);
        let randomizer = randomizers.last();
        s = add_modulo_n(&s, &multiply(&randomizer, &of_signature));
        extended.extend_from_slice(r);
    }
    extended.extend_from_slice(&bytes(&s));
    Ok(extended)
}

/// Returns all r and s of an aggregate of this many signatures.
fn halves(aggregate: &[u8], signatures: usize) -> Result<(&[u8], &[u8; HALF_BYTES]), Rejection> {
    let got = aggregate.len();
    match aggregate.split_last_chunk() {
        Some(halves) if got == aggregate_bytes(signatures) => Ok(halves),
        _ => Err(Rejection::Length { signatures, got }),
    }
}

/// Checks the lengths of a key and of a message.
fn check_lengths(number: usize, signer: &Signer<'_>) -> Result<(), Rejection> {
    let Signer { key, message } = signer;
    if key.len() != KEY_BYTES {
        return Err(Rejection::KeyLength { number, got: key.len() });
    }
    if message.len() != MESSAGE_BYTES {
        return Err(Rejection::MessageLength { number, got: message.len() });
    }
    Ok(())
}

/// Returns a number below n; `None` if it is not.
fn reduced(number: &[u8; HALF_BYTES]) -> Option<Limbs> {
    (*number < GROUP_ORDER).then(|| limbs(number))
}

/// The randomizers zᵢ. The hasher keeps its state between them, so that each signature is hashed
/// once.
struct Randomizers {
    state: Sha256,
    absorbed: usize,
}

impl Randomizers {
    fn new() -> Self {
        Self { state: tagged(RANDOMIZER), absorbed: 0 }
    }

    /// Hashes the next signature, whose lengths were checked.
    fn absorb(&mut self, r: &[u8], signer: &Signer<'_>) {
        self.state.update(r);
        self.state.update(signer.key);
        self.state.update(signer.message);
        self.absorbed += 1;
    }

    /// Returns the randomizer of the last signature, in [0, n).
    fn last(&self) -> Limbs {
        if self.absorbed == 1 {
            return [1, 0, 0, 0];
        }
        modulo_n(&limbs(&self.state.clone().finalize().into()))
    }
}

#[cfg(test)]
mod tests;
