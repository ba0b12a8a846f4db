// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The operations of this engine, and their executors on the processor.

use halimede_arith::job::{Amount, Columns, Compute, Operation};

pub use crate::request::{VerifyBatch, VerifyRequest, VerifyRow, HEADER_BYTES};
use crate::{batch, meets_target, Check, Mask, Params, Verifier};

/// Checks a solution and, for a block header, its difficulty; reports all failed checks.
pub struct Verify;

impl Operation for Verify {
    type Request = VerifyRequest;
    type Row<'a> = VerifyRow<'a>;
    type Batch<'a> = VerifyBatch<'a>;
    type Reply = Mask;
    type Replies = Vec<Mask>;
    const NAME: &'static str = "equihash.verify";

    fn batch(requests: &[VerifyRequest]) -> VerifyBatch<'_> {
        VerifyBatch::Kept(requests)
    }

    fn row(request: &VerifyRequest) -> VerifyRow<'_> {
        request.row()
    }

    /// Units are indices.
    fn units(row: VerifyRow<'_>) -> usize {
        row.params().indices()
    }

    fn keep(row: VerifyRow<'_>) -> VerifyRequest {
        row.keep()
    }

    fn keep_all(batch: VerifyBatch<'_>) -> Vec<VerifyRequest> {
        match batch {
            VerifyBatch::Kept(requests) => requests.to_vec(),
            others => others.rows().map(Self::keep).collect(),
        }
    }
}

/// Units are indices.
impl Compute for Verify {
    const BRIEF: Amount = Amount { requests: usize::MAX, units: 1 << 18 };
    const PIECE: Amount = Amount { requests: usize::MAX, units: 1 << 20 };

    /// The usual parameter sets; others are supported too.
    fn instances() -> Vec<String> {
        Params::USUAL.map(|set| set.to_string()).into()
    }

    fn compute(row: VerifyRow<'_>) -> Mask {
        let verifier = Verifier::new(row.params(), row.input());
        let mut mask = verifier.mask_of_checked(row.solution());
        if row.is_header() && !meets_target(&row.to_bytes()) {
            mask.set(Check::Difficulty);
        }
        mask
    }

    fn compute_batch(batch: VerifyBatch<'_>) -> Vec<Mask> {
        batch::map(batch, |row| row.params(), Self::compute)
    }
}
