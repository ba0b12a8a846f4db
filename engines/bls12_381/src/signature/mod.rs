// SPDX-License-Identifier: Apache-2.0 OR MIT
//! BLS signatures (draft-irtf-cfrg-bls-signature-05): verification of one, of aggregates, and of
//! batches with a verdict for each.
//!
//! Keys and signatures are read compressed or uncompressed; a key is not infinity, and both are in
//! their groups. Nothing here signs.

mod aggregate;
mod batch;
mod suite;

pub use aggregate::{
    aggregate, aggregate_verify, fast_aggregate_verify, verify_aggregates, Aggregate,
};
pub use suite::{Group, Scheme, Suite};

use batch::{verdicts, Ciphersuite};

use crate::pairing::Pair;

use crate::PointError;

/// Why a signature is not valid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    /// The key is not one.
    #[error("key: {0}")]
    Key(PointError),
    /// One of several keys is not one.
    #[error("key {index}: {error}")]
    KeyOf {
        /// Its number, from 0.
        index: usize,
        /// Why.
        error: PointError,
    },
    /// The signature is not a point of its group.
    #[error("signature: {0}")]
    Signature(PointError),
    /// One of several signatures is not a point of its group.
    #[error("signature {index}: {error}")]
    SignatureOf {
        /// Its number, from 0.
        index: usize,
        /// Why.
        error: PointError,
    },
    /// Key and message do not fit the signature.
    #[error("the signature does not match")]
    Mismatch,
    /// An aggregate of nothing.
    #[error("there is no key")]
    NoKeys,
    /// As many messages as keys are needed.
    #[error("there are {keys} keys and {messages} messages")]
    Counts {
        /// Keys.
        keys: usize,
        /// Messages.
        messages: usize,
    },
    /// The basic scheme aggregates signatures of distinct messages alone.
    #[error("messages {first} and {second} are equal, which the basic scheme forbids")]
    EqualMessages {
        /// Number of the earlier one, from 0.
        first: usize,
        /// Number of the later one.
        second: usize,
    },
}

/// A signature to be verified.
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

/// Verifies signatures together, over the threads of the current pool; a verdict for each. Equal
/// keys and equal messages cost less.
pub fn verify_batch(suite: Suite, rows: &[Signed<'_>]) -> Vec<Result<(), Rejection>> {
    verdicts(Ciphersuite::of(suite), rows)
}

/// The pairs whose product of pairings is 1 where a signature is valid.
pub(crate) fn pairs(suite: Suite, signed: Signed<'_>) -> Result<[Pair; 2], Rejection> {
    batch::pairs(Ciphersuite::of(suite), signed)
}

/// Verifies proofs of the possession of secret keys, each by a signature of the public key.
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
