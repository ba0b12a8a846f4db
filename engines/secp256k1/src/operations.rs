// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The operations of this engine, and their implementation on this processor.
//!
//! A signature is submitted as bytes or as five numbers. This processor parses bytes with the
//! verifier's key cache; a request that is kept holds the numbers, which is also the form that a
//! card receives.

use halimede_arith::job::{Amount, Bytes, Columns, Compute, Operation};
use halimede_arith::Backend;
use rayon::prelude::*;

use crate::batch::{group_length, try_alone, try_together, Tried};
use crate::candidate::Candidate;
pub use crate::candidate::VerifyRequest;
use crate::check::mask;
pub use crate::half_aggregate::{
    HalfAggregate, HalfAggregateRequest, HalfAggregation, VerifyHalfAggregate,
};
use crate::reason::{mismatch, reasons};
pub use crate::recovery::{Recover, RecoverRequest};
use crate::rejection::{verdict, Rejection};
pub use crate::request::{KeptRequest, Signatures, VerifyBatch, VerifyRow};
pub use crate::schnorr::{SchnorrRequest, VerifySchnorr};
use crate::{Mask, Verifier};

/// The check of an ECDSA signature.
pub struct Verify;

impl Operation for Verify {
    type Request = KeptRequest;
    type Row<'a> = VerifyRow<'a>;
    type Batch<'a> = VerifyBatch<'a>;
    type Reply = Result<(), Rejection>;
    type Replies = Vec<Result<(), Rejection>>;
    const NAME: &'static str = "secp256k1.verify";

    fn batch(requests: &[KeptRequest]) -> VerifyBatch<'_> {
        VerifyBatch::Kept(requests)
    }

    fn row(request: &KeptRequest) -> VerifyRow<'_> {
        request.into()
    }

    fn keep(row: VerifyRow<'_>) -> KeptRequest {
        row.numbers()
    }

    fn known(row: VerifyRow<'_>) -> Option<Result<(), Rejection>> {
        match row {
            VerifyRow::Rejected(rejection) => Some(Err(rejection)),
            VerifyRow::Numbers(_) | VerifyRow::Bytes { .. } => None,
        }
    }

    /// Parses bytes on all cores.
    fn keep_all(batch: VerifyBatch<'_>) -> Vec<KeptRequest> {
        (0..batch.len()).into_par_iter().map(|number| batch.row(number).numbers()).collect()
    }
}

impl Compute for Verify {
    const BRIEF: Amount = Amount::of_requests(1 << 11);
    const PIECE: Amount = Amount::of_requests(1 << 14);

    fn compute(row: VerifyRow<'_>) -> Result<(), Rejection> {
        verdict(mask(row.candidate()?))
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

impl Verifier {
    /// Verifies signatures on all cores of the current thread pool. Verdicts are in the order of
    /// the rows. Columns of different lengths are cut to the shortest.
    pub fn verify_batch<'a>(
        &'a self,
        keys: impl Into<Bytes<'a>>,
        digests: impl Into<Bytes<'a>>,
        signatures: impl Into<Bytes<'a>>,
    ) -> Vec<Result<(), Rejection>> {
        let signatures = Signatures::new(self, keys, digests, signatures);
        Verify::compute_batch(VerifyBatch::Signatures(signatures))
    }
}
