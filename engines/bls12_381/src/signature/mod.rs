// SPDX-License-Identifier: Apache-2.0 OR MIT
//! BLS signatures (draft-irtf-cfrg-bls-signature-05): verifies single signatures, aggregates, and
//! batches with a verdict for each.
//!
//! Keys and signatures may be compressed or uncompressed, and must be in their groups; a key must
//! not be infinity. This module does not sign.

mod aggregate;
mod batch;
mod suite;

pub use aggregate::{
    aggregate, aggregate_verify, check_distinct, fast_aggregate_verify, verify_aggregates,
    Aggregate,
};
pub use suite::{Group, Scheme, Suite};

use batch::{verdicts, Ciphersuite};

use crate::pairing::Pair;

use crate::PointError;

/// Why a signature is not valid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    /// The key is invalid.
    #[error("key: {0}")]
    Key(PointError),
    /// One of several keys is invalid.
    #[error("key {index}: {error}")]
    KeyOf {
        /// The index of the key, from 0.
        index: usize,
        /// The reason.
        error: PointError,
    },
    /// The signature is not a point of its group.
    #[error("signature: {0}")]
    Signature(PointError),
    /// One of several signatures is not a point of its group.
    #[error("signature {index}: {error}")]
    SignatureOf {
        /// The index of the signature, from 0.
        index: usize,
        /// The reason.
        error: PointError,
    },
    /// The signature does not match key and message.
    #[error("the signature does not match")]
    Mismatch,
    /// The aggregate has no keys or signatures.
    #[error("the aggregate is empty")]
    NoKeys,
    /// The numbers of keys and messages differ.
    #[error("there are {keys} keys and {messages} messages")]
    Counts {
        /// The number of keys.
        keys: usize,
        /// The number of messages.
        messages: usize,
    },
    /// Two messages are equal; the basic scheme aggregates only signatures of distinct messages.
    #[error("messages {first} and {second} are equal, which the basic scheme forbids")]
    EqualMessages {
        /// The index of the first of the two messages, from 0.
        first: usize,
        /// The index of the second.
        second: usize,
    },
}

/// A signature to verify.
#[derive(Clone, Copy, Debug)]
pub struct Signed<'a> {
    /// The public key.
    pub key: &'a [u8],
    /// The message.
    pub message: &'a [u8],
    /// The signature.
    pub signature: &'a [u8],
}

/// Verifies one signature.
///
/// # Errors
/// [`Rejection`].
pub fn verify(suite: Suite, signed: Signed<'_>) -> Result<(), Rejection> {
    verify_batch(suite, &[signed]).pop().unwrap_or(Err(Rejection::Mismatch))
}

/// Verifies signatures together, on the threads of the current pool. Returns a verdict for each.
/// Repeated keys and messages cost less.
pub fn verify_batch(suite: Suite, rows: &[Signed<'_>]) -> Vec<Result<(), Rejection>> {
    verdicts(Ciphersuite::of(suite), rows)
}

/// Returns the pairs whose product of pairings is 1 if a signature is valid.
pub(crate) fn pairs(suite: Suite, signed: Signed<'_>) -> Result<[Pair; 2], Rejection> {
    batch::pairs(Ciphersuite::of(suite), signed)
}

/// Verifies proofs of possession of secret keys, each a signature of the public key.
pub fn verify_possessions(
    group: Group,
    keys: &[&[u8]],
    proofs: &[&[u8]],
) -> Vec<Result<(), Rejection>> {
    let rows = keys.iter().zip(proofs);
    let rows: Vec<Signed<'_>> =
        rows.map(|(key, signature)| Signed { key, message: &[], signature }).collect();
    verdicts(Ciphersuite::of_possession(group), &rows)
}
