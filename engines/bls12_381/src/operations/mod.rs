// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a device can be asked of this engine, and this processor's answers.

mod aggregates;
mod calls;
mod openings;
mod programs;
mod proofs;
mod signatures;

pub use aggregates::{
    AggregateRequest, MessagesRequest, PossessionRequest, VerifyAggregate,
    VerifyAggregateOfMessages, VerifyPossession,
};
pub use calls::{Call, Evaluate, Hash, PrecompileRequest, RunPrecompile};
pub use openings::{OpeningRequest, OwnedOpening, VerifyOpening};
pub use programs::{End, Outcome, ProgramError, ProgramRequest, RunProgram, Sent, RESULT_BYTES};
pub use proofs::{ProofRequest, VerifyProof};
pub use signatures::{SignatureRequest, VerifySignature};

/// Replies to neighbors that belong together, each run of them at once.
fn grouped<Request, Reply>(
    batch: &[Request],
    belong_together: impl Fn(&Request, &Request) -> bool,
    answer: impl Fn(&[Request]) -> Vec<Reply>,
) -> Vec<Reply> {
    batch.chunk_by(belong_together).flat_map(answer).collect()
}
