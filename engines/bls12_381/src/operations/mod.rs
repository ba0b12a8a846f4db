// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The operations of this engine, and their implementation on this processor.

mod aggregates;
mod calls;
mod cells;
mod openings;
mod programs;
mod proofs;
mod signatures;

pub use aggregates::{
    AggregateRequest, MessagesRequest, PossessionRequest, VerifyAggregate,
    VerifyAggregateOfMessages, VerifyPossession,
};
pub use calls::{Call, Evaluate, Hash, PrecompileRequest, RunPrecompile};
pub use cells::{BlobCall, BlobRequest, CellRequest, ComputeBlob, VerifyCell};
pub use openings::{OpeningRequest, OwnedOpening, VerifyOpening};
pub use programs::{End, Outcome, ProgramError, ProgramRequest, RunProgram, Sent, RESULT_BYTES};
pub use proofs::{ProofRequest, VerifyProof};
pub use signatures::{SignatureRequest, VerifySignature};

/// Answers each run of neighboring requests that belong together with one call.
fn grouped<Request, Reply>(
    batch: &[Request],
    belong_together: impl Fn(&Request, &Request) -> bool,
    answer: impl Fn(&[Request]) -> Vec<Reply>,
) -> Vec<Reply> {
    batch.chunk_by(belong_together).flat_map(answer).collect()
}
