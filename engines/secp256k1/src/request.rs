// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Requests to verify signatures: as bytes, which a verifier reads, or as five numbers.

use std::ops::Range;

use halimede_arith::job::{Bytes, Columns};

use crate::candidate::{Candidate, VerifyRequest};
use crate::rejection::Rejection;
use crate::verifier::Verifier;

/// A kept request of [`Verify`](crate::operations::Verify): its numbers, or the reason why its
/// bytes are not valid.
pub type KeptRequest = Result<VerifyRequest, Rejection>;

/// A request of [`Verify`](crate::operations::Verify), borrowed.
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
    pub fn numbers(self) -> KeptRequest {
        match self {
            Self::Numbers(request) => Ok(request.clone()),
            Self::Bytes { verifier, key, digest, signature } => {
                verifier.request(key, digest, signature)
            }
            Self::Rejected(rejection) => Err(rejection),
        }
    }
}

/// A batch of [`Verify`](crate::operations::Verify).
#[derive(Clone, Copy, Debug)]
pub enum VerifyBatch<'a> {
    /// Numbers.
    Numbers(&'a [VerifyRequest]),
    /// Bytes, in columns.
    Signatures(Signatures<'a>),
    /// KeptRequest requests.
    Kept(&'a [KeptRequest]),
}

/// Signatures as bytes, in columns, and the verifier that reads them.
#[derive(Clone, Copy, Debug)]
pub struct Signatures<'a> {
    pub(crate) verifier: &'a Verifier,
    pub(crate) keys: Bytes<'a>,
    pub(crate) digests: Bytes<'a>,
    pub(crate) signatures: Bytes<'a>,
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
            Self::Kept(requests) => (&requests[number]).into(),
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

impl<'a> From<&'a KeptRequest> for VerifyRow<'a> {
    fn from(request: &'a KeptRequest) -> Self {
        match request {
            Ok(numbers) => VerifyRow::Numbers(numbers),
            Err(rejection) => VerifyRow::Rejected(*rejection),
        }
    }
}

impl VerifyRow<'_> {
    /// Performs the checks except the equation.
    pub(crate) fn candidate(self) -> Result<Candidate, Rejection> {
        match self {
            VerifyRow::Numbers(request) => Candidate::new(request).map_err(Rejection::Check),
            VerifyRow::Bytes { verifier, key, digest, signature } => {
                verifier.candidate(key, digest, signature)
            }
            VerifyRow::Rejected(rejection) => Err(rejection),
        }
    }
}
