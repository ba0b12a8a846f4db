// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Verification of a block on a device, with the time spent by step.

use std::time::{Duration, Instant};

use halimede_arith::job::{Answered, DeviceError, Execute, Operation};
use halimede_bls12_381::operations::VerifyProof;
use halimede_equihash::operations::Verify as VerifySolution;
use halimede_secp256k1::operations::Verify as VerifySignature;

use crate::block::Block;
use crate::checks::AnswerError;
use crate::known::Known;
use crate::report::Report;
use crate::spent::SpentOutputs;

/// The time spent by step.
#[derive(Clone, Copy, Debug, Default)]
pub struct Times {
    /// Reading the bytes.
    pub parsing: Duration,
    /// Preparing the requests: scripts and signature hashes.
    pub preparing: Duration,
    /// The device's verification of the proof of work.
    pub proof_of_work: Duration,
    /// The device's verification of signatures.
    pub signatures: Duration,
    /// The device's verification of Groth16 proofs.
    pub proofs: Duration,
    /// Verifying shielded signatures and Orchard proofs.
    pub shielded: Duration,
    /// The total, without parsing.
    pub total: Duration,
    /// The number of signatures sent to the device.
    pub signature_count: usize,
    /// The number of Groth16 proofs sent to the device.
    pub proof_count: usize,
}

/// Why verification failed without a verdict.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The device returned the wrong number of answers.
    #[error("wrong number of answers from the device: {0}")]
    Answers(#[from] AnswerError),
}

impl Block {
    /// Verifies the block on a device, given outputs that it spends. The caller fills in
    /// [`Times::parsing`]; [`Times::total`] does not include it.
    ///
    /// # Errors
    /// [`VerifyError`] if the device failed; there is then no verdict.
    pub fn verify<D>(
        &self,
        device: &D,
        spent: &SpentOutputs,
        known: Known,
    ) -> Result<(Report, Times), VerifyError>
    where
        D: Execute<VerifySolution> + Execute<VerifySignature> + Execute<VerifyProof>,
    {
        let (begin, mut times) = (Instant::now(), Times::default());
        let requests = [self.header().request().clone()];
        let solution = {
            let requests = VerifySolution::batch(&requests);
            timed::<VerifySolution>(device, requests, &mut times.proof_of_work)?
        };
        let [mask] = solution.replies[..] else {
            return Err(AnswerError { got: solution.replies.len(), expected: 1 }.into());
        };
        let start = Instant::now();
        let mut checks = self.checks(spent, known);
        times.shielded = checks.shielded_time();
        times.preparing = start.elapsed().saturating_sub(times.shielded);
        loop {
            let requests = checks.requests();
            if requests.is_empty() {
                break;
            }
            times.signature_count += requests.len();
            let answers = {
                let requests = requests[..].into();
                timed::<VerifySignature>(device, requests, &mut times.signatures)?
            };
            let start = Instant::now();
            checks.answer(&answers.replies)?;
            times.preparing += start.elapsed();
        }
        let requests = checks.proofs();
        times.proof_count = requests.len();
        if !requests.is_empty() {
            let requests = VerifyProof::batch(&requests);
            let answers = timed::<VerifyProof>(device, requests, &mut times.proofs)?;
            checks.answer_proofs(&answers.replies)?;
        }
        times.total = begin.elapsed();
        Ok((checks.report(mask), times))
    }
}

fn timed<Op: Operation>(
    device: &impl Execute<Op>,
    batch: Op::Batch<'_>,
    time: &mut Duration,
) -> Result<Answered<Op::Replies>, DeviceError> {
    let start = Instant::now();
    let answered = device.execute(batch)?;
    *time += start.elapsed();
    Ok(answered)
}
