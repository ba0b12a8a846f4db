// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A block's verification on a device, with where the time goes.

use std::time::{Duration, Instant};

use halimede_arith::job::{Answered, DeviceError, Execute, Operation};
use halimede_equihash::operations::Verify as VerifyProof;
use halimede_secp256k1::operations::Verify as VerifySignature;

use crate::block::Block;
use crate::checks::AnswerError;
use crate::known::Known;
use crate::report::Report;
use crate::spent::SpentOutputs;

/// Where the time went.
#[derive(Clone, Copy, Debug, Default)]
pub struct Times {
    /// Reading the bytes.
    pub parsing: Duration,
    /// Finding out what has to be asked: scripts and signature hashes.
    pub preparing: Duration,
    /// The device, about the proof of work.
    pub proof_of_work: Duration,
    /// The device, about signatures.
    pub signatures: Duration,
    /// All.
    pub total: Duration,
    /// How many signatures were asked about.
    pub signature_count: usize,
}

/// Why a block has no verdict.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// It gave more or fewer answers than it was asked for.
    #[error("the device answered wrongly: {0}")]
    Answers(#[from] AnswerError),
}

impl Block {
    /// Asks a device all that has to be asked about the block, given outputs that it spends. Of the
    /// times, [`Times::parsing`] is the caller's to fill in; [`Times::total`] is without it.
    ///
    /// # Errors
    /// [`VerifyError`]: no verdict, as the device failed.
    pub fn verify<D>(
        &self,
        device: &D,
        spent: &SpentOutputs,
        known: Known,
    ) -> Result<(Report, Times), VerifyError>
    where
        D: Execute<VerifyProof> + Execute<VerifySignature>,
    {
        let (begin, mut times) = (Instant::now(), Times::default());
        let requests = [self.header().request().clone()];
        let proof =
            timed::<VerifyProof>(device, VerifyProof::batch(&requests), &mut times.proof_of_work)?;
        let [mask] = proof.replies[..] else {
            return Err(AnswerError { got: proof.replies.len(), expected: 1 }.into());
        };
        let start = Instant::now();
        let mut checks = self.checks(spent, known);
        times.preparing = start.elapsed();
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
