// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Signatures in batches.

use std::ops::Range;

use halimede_arith::job::{Amount, Bytes, Columns, Compute, Operation};

use crate::signature::{verify, verify_batch, Rejection, Signed, Suite};

/// A signature's check.
pub struct VerifySignature;

/// A request of [`VerifySignature`] that is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignatureRequest {
    /// The suite.
    pub suite: Suite,
    /// The public key.
    pub key: Vec<u8>,
    /// The message.
    pub message: Vec<u8>,
    /// The signature.
    pub signature: Vec<u8>,
}

/// A request of [`VerifySignature`], borrowed.
#[derive(Clone, Copy, Debug)]
pub struct SignatureRow<'a> {
    /// The suite.
    pub suite: Suite,
    /// Key, message and signature.
    pub signed: Signed<'a>,
}

/// A batch of [`VerifySignature`].
#[derive(Clone, Copy, Debug)]
pub enum SignatureBatch<'a> {
    /// Of one suite, in columns.
    Columns(Signatures<'a>),
    /// Requests that were kept.
    Kept(&'a [SignatureRequest]),
}

/// Signatures of one suite, in columns.
#[derive(Clone, Copy, Debug)]
pub struct Signatures<'a> {
    suite: Suite,
    keys: Bytes<'a>,
    messages: Bytes<'a>,
    signatures: Bytes<'a>,
}

impl<'a> Signatures<'a> {
    /// As many keys as messages and signatures; further ones of any are left out.
    pub fn new(
        suite: Suite,
        keys: impl Into<Bytes<'a>>,
        messages: impl Into<Bytes<'a>>,
        signatures: impl Into<Bytes<'a>>,
    ) -> Self {
        let (keys, messages, signatures) = (keys.into(), messages.into(), signatures.into());
        let rows = 0..keys.len().min(messages.len()).min(signatures.len());
        Self { suite, keys, messages, signatures }.slice(rows)
    }

    /// Some of the signatures, without a copy.
    #[must_use]
    pub fn slice(self, range: Range<usize>) -> Self {
        let Self { suite, keys, messages, signatures } = self;
        let (keys, messages) = (keys.slice(range.clone()), messages.slice(range.clone()));
        Self { suite, keys, messages, signatures: signatures.slice(range) }
    }
}

impl<'a> Columns for SignatureBatch<'a> {
    type Row = SignatureRow<'a>;

    fn len(self) -> usize {
        match self {
            Self::Columns(Signatures { signatures, .. }) => signatures.len(),
            Self::Kept(requests) => requests.len(),
        }
    }

    fn row(self, number: usize) -> SignatureRow<'a> {
        match self {
            Self::Columns(Signatures { suite, keys, messages, signatures }) => {
                let (key, message) = (keys.row(number), messages.row(number));
                let signed = Signed { key, message, signature: signatures.row(number) };
                SignatureRow { suite, signed }
            }
            Self::Kept(requests) => VerifySignature::row(&requests[number]),
        }
    }

    fn slice(self, range: Range<usize>) -> Self {
        match self {
            Self::Columns(signatures) => Self::Columns(signatures.slice(range)),
            Self::Kept(requests) => Self::Kept(&requests[range]),
        }
    }
}

impl Operation for VerifySignature {
    type Request = SignatureRequest;
    type Row<'a> = SignatureRow<'a>;
    type Batch<'a> = SignatureBatch<'a>;
    type Reply = Result<(), Rejection>;
    type Replies = Vec<Result<(), Rejection>>;
    const NAME: &'static str = "bls12_381.verify_signature";

    fn batch(requests: &[SignatureRequest]) -> SignatureBatch<'_> {
        SignatureBatch::Kept(requests)
    }

    fn row(request: &SignatureRequest) -> SignatureRow<'_> {
        let SignatureRequest { suite, key, message, signature } = request;
        SignatureRow { suite: *suite, signed: Signed { key, message, signature } }
    }

    fn keep(row: SignatureRow<'_>) -> SignatureRequest {
        let SignatureRow { suite, signed: Signed { key, message, signature } } = row;
        let (key, message) = (key.to_vec(), message.to_vec());
        SignatureRequest { suite, key, message, signature: signature.to_vec() }
    }
}

impl Compute for VerifySignature {
    const BRIEF: Amount = Amount::of_requests(16);
    const PIECE: Amount = Amount::of_requests(256);

    fn compute(row: SignatureRow<'_>) -> Result<(), Rejection> {
        verify(row.suite, row.signed)
    }

    /// The rows of a suite are verified together.
    fn compute_batch(batch: SignatureBatch<'_>) -> Vec<Result<(), Rejection>> {
        if let SignatureBatch::Columns(Signatures { suite, .. }) = batch {
            return verify_batch(suite, &batch.rows().map(|row| row.signed).collect::<Vec<_>>());
        }
        let mut replies = vec![Err(Rejection::Mismatch); batch.len()];
        for suite in Suite::ALL {
            let rows: Vec<usize> =
                (0..batch.len()).filter(|&number| batch.row(number).suite == suite).collect();
            let signed: Vec<Signed<'_>> =
                rows.iter().map(|&number| batch.row(number).signed).collect();
            for (number, verdict) in rows.into_iter().zip(verify_batch(suite, &signed)) {
                replies[number] = verdict;
            }
        }
        replies
    }
}
