// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The operations of this engine, and their implementation on this processor.
//!
//! A signature is submitted as bytes or as five numbers. This processor parses bytes with the
//! verifier's key cache; a request that is kept holds the numbers, which is also the form that a
//! card receives.

use std::ops::Range;

use halimede_arith::job::{Amount, Bytes, Columns, Compute, Operation};
use halimede_arith::Backend;
use rayon::prelude::*;

use crate::batch::{group_length, try_alone, try_together, Tried};
use crate::check::Candidate;
use crate::reason::{mismatch, reasons};
pub use crate::recovery::{Recover, RecoverRequest};
pub use crate::schnorr::{SchnorrRequest, VerifySchnorr};
use crate::{verdict, Mask, Rejection, Verifier};

/// The check of an ECDSA signature.
pub struct Verify;

/// The five numbers of a check: 256 bits each, big-endian. They may be out of range, which the
/// check finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyRequest {
    /// r of the signature.
    pub r: [u8; 32],
    /// s of the signature.
    pub s: [u8; 32],
    /// The digest's leftmost 256 bits.
    pub digest: [u8; 32],
    /// x of the public key.
    pub x: [u8; 32],
    /// y of the public key.
    pub y: [u8; 32],
}

/// A kept request of [`Verify`]: its numbers, or the reason why its bytes are not valid.
pub type Kept = Result<VerifyRequest, Rejection>;

/// A request of [`Verify`], borrowed.
#[derive(Clone, Copy, Debug)]
pub enum VerifyRow<'a> {
    /// Numbers.
    Numbers(&'a VerifyRequest),
    /// Bytes, parsed by a verifier's rules.
    Bytes {
        /// The rules and the key cache.
        verifier: &'a Verifier,
        /// The public key, in a form that [`parse_key`](crate::parse_key) accepts.
        key: &'a [u8],
        /// The message's digest, of any length: only the leftmost 256 bits of a longer one count,
        /// and a shorter one is used whole.
        digest: &'a [u8],
        /// The signature, in the format of the rules.
        signature: &'a [u8],
    },
    /// Bytes that were parsed and rejected.
    Rejected(Rejection),
}

impl VerifyRow<'_> {
    /// Returns the numbers, parsing bytes if needed.
    ///
    /// # Errors
    /// [`Rejection`] if the row is invalid whatever its numbers are.
    pub fn numbers(self) -> Kept {
        match self {
            Self::Numbers(request) => Ok(request.clone()),
            Self::Bytes { verifier, key, digest, signature } => {
                verifier.request(key, digest, signature)
            }
            Self::Rejected(rejection) => Err(rejection),
        }
    }
}

/// A batch of [`Verify`].
#[derive(Clone, Copy, Debug)]
pub enum VerifyBatch<'a> {
    /// Numbers.
    Numbers(&'a [VerifyRequest]),
    /// Bytes, in columns.
    Signatures(Signatures<'a>),
    /// Kept requests.
    Kept(&'a [Kept]),
}

/// Signatures as bytes, in columns, and the verifier that reads them.
#[derive(Clone, Copy, Debug)]
pub struct Signatures<'a> {
    verifier: &'a Verifier,
    keys: Bytes<'a>,
    digests: Bytes<'a>,
    signatures: Bytes<'a>,
}

impl<'a> Signatures<'a> {
    /// Creates columns of equal length: surplus keys, digests or signatures are ignored.
    pub fn new(
        verifier: &'a Verifier,
        keys: impl Into<Bytes<'a>>,
        digests: impl Into<Bytes<'a>>,
        signatures: impl Into<Bytes<'a>>,
    ) -> Self {
        let (keys, digests, signatures) = (keys.into(), digests.into(), signatures.into());
        let rows = 0..keys.len().min(digests.len()).min(signatures.len());
        Self { verifier, keys, digests, signatures }.slice(rows)
    }

    /// Returns a part of the signatures, without a copy.
    #[must_use]
    pub fn slice(self, range: Range<usize>) -> Self {
        let Self { verifier, keys, digests, signatures } = self;
        let (keys, digests) = (keys.slice(range.clone()), digests.slice(range.clone()));
        Self { verifier, keys, digests, signatures: signatures.slice(range) }
    }
}

impl<'a> From<&'a [VerifyRequest]> for VerifyBatch<'a> {
    fn from(requests: &'a [VerifyRequest]) -> Self {
        Self::Numbers(requests)
    }
}

impl<'a> Columns for VerifyBatch<'a> {
    type Row = VerifyRow<'a>;

    fn len(self) -> usize {
        match self {
            Self::Numbers(requests) => requests.len(),
            Self::Signatures(Signatures { signatures, .. }) => signatures.len(),
            Self::Kept(requests) => requests.len(),
        }
    }

    fn row(self, number: usize) -> VerifyRow<'a> {
        match self {
            Self::Numbers(requests) => VerifyRow::Numbers(&requests[number]),
            Self::Signatures(Signatures { verifier, keys, digests, signatures }) => {
                let (key, digest) = (keys.row(number), digests.row(number));
                VerifyRow::Bytes { verifier, key, digest, signature: signatures.row(number) }
            }
            Self::Kept(requests) => Verify::row(&requests[number]),
        }
    }

    fn slice(self, range: Range<usize>) -> Self {
        match self {
            Self::Numbers(requests) => Self::Numbers(&requests[range]),
            Self::Signatures(signatures) => Self::Signatures(signatures.slice(range)),
            Self::Kept(requests) => Self::Kept(&requests[range]),
        }
    }
}

impl Operation for Verify {
    type Request = Kept;
    type Row<'a> = VerifyRow<'a>;
    type Batch<'a> = VerifyBatch<'a>;
    type Reply = Result<(), Rejection>;
    type Replies = Vec<Result<(), Rejection>>;
    const NAME: &'static str = "secp256k1.verify";

    fn batch(requests: &[Kept]) -> VerifyBatch<'_> {
        VerifyBatch::Kept(requests)
    }

    fn row(request: &Kept) -> VerifyRow<'_> {
        match request {
            Ok(numbers) => VerifyRow::Numbers(numbers),
            Err(rejection) => VerifyRow::Rejected(*rejection),
        }
    }

    fn keep(row: VerifyRow<'_>) -> Kept {
        row.numbers()
    }

    fn known(row: VerifyRow<'_>) -> Option<Result<(), Rejection>> {
        match row {
            VerifyRow::Rejected(rejection) => Some(Err(rejection)),
            VerifyRow::Numbers(_) | VerifyRow::Bytes { .. } => None,
        }
    }

    /// Parses bytes on all cores.
    fn keep_all(batch: VerifyBatch<'_>) -> Vec<Kept> {
        (0..batch.len()).into_par_iter().map(|number| batch.row(number).numbers()).collect()
    }
}

impl Compute for Verify {
    const BRIEF: Amount = Amount::of_requests(1 << 11);
    const PIECE: Amount = Amount::of_requests(1 << 14);

    fn compute(row: VerifyRow<'_>) -> Result<(), Rejection> {
        verdict(row.candidate()?.mask())
    }

    fn compute_batch(batch: VerifyBatch<'_>) -> Vec<Result<(), Rejection>> {
        verdicts(Backend::active(), batch)
    }
}

/// Returns verdicts: evaluates all equations first, then finds the reasons of those that do not
/// hold, many at a time.
pub(crate) fn verdicts(backend: Backend, batch: VerifyBatch<'_>) -> Vec<Result<(), Rejection>> {
    let tried: Vec<_> = match group_length(backend, batch.len(), rayon::current_num_threads()) {
        Some(group) => {
            let groups = (0..batch.len().div_ceil(group)).into_par_iter();
            let rows = |number| group * number..batch.len().min(group * (number + 1));
            groups.flat_map_iter(|number| try_rows(backend, batch.slice(rows(number)))).collect()
        }
        None => (0..batch.len())
            .into_par_iter()
            .map(|number| Ok(try_alone(batch.row(number).candidate()?)))
            .collect(),
    };
    let mut replies = Vec::with_capacity(batch.len());
    let (mut failed, mut failures): (Vec<usize>, Vec<Candidate>) = (Vec::new(), Vec::new());
    for (number, tried) in tried.into_iter().enumerate() {
        replies.push(match tried {
            Ok(Tried::Known(mask)) => verdict(mask),
            Ok(Tried::Failed(candidate)) => {
                failed.push(number);
                failures.push(*candidate);
                verdict(mismatch())
            }
            Err(rejection) => Err(rejection),
        });
    }
    let groups = failures.par_chunks(REASONS_AT_ONCE);
    let masks: Vec<Mask> = groups.flat_map_iter(|group| reasons(backend, group)).collect();
    for (number, mask) in failed.into_iter().zip(masks) {
        replies[number] = verdict(mask);
    }
    replies
}

/// Evaluates the equations of rows in lanes.
fn try_rows(backend: Backend, rows: VerifyBatch<'_>) -> Vec<Result<Tried, Rejection>> {
    let read: Vec<_> = match rows {
        VerifyBatch::Signatures(Signatures { verifier, keys, digests, signatures }) => {
            verifier.candidates(backend, keys, digests, signatures)
        }
        _ => (0..rows.len()).map(|number| rows.row(number).candidate()).collect(),
    };
    let mut candidates = Vec::with_capacity(rows.len());
    let rejections: Vec<Option<Rejection>> = read
        .into_iter()
        .map(|read| read.map(|candidate| candidates.push(candidate)).err())
        .collect();
    let mut tried = try_together(backend, candidates).into_iter();
    let next = |rejection| match rejection {
        Some(rejection) => Err(rejection),
        None => Ok(tried.next().unwrap_or(Tried::Known(mismatch()))),
    };
    rejections.into_iter().map(next).collect()
}

/// The number of failed signatures whose reasons one thread finds together. The shared division
/// costs each a fiftieth of a microsecond, and the other threads get their share of the work.
const REASONS_AT_ONCE: usize = 64;

impl VerifyRow<'_> {
    /// Performs the checks except the equation.
    fn candidate(self) -> Result<Candidate, Rejection> {
        match self {
            VerifyRow::Numbers(request) => Candidate::new(request).map_err(Rejection::Check),
            VerifyRow::Bytes { verifier, key, digest, signature } => {
                verifier.candidate(key, digest, signature)
            }
            VerifyRow::Rejected(rejection) => Err(rejection),
        }
    }
}
