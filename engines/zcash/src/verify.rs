// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Verification of blocks on a device, with the time spent by step.

use std::sync::Arc;
use std::time::{Duration, Instant};

use halimede_arith::job::{Answered, DeviceError, Execute, Operation};
use halimede_bls12_381::operations::VerifyProof;
use halimede_equihash::operations::Verify as VerifySolution;
use halimede_secp256k1::operations::Verify as VerifySignature;

use crate::block::Block;
use crate::checks::{AnswerError, Checks, Submission};
use crate::known::Known;
use crate::report::Report;
use crate::shielded::{self, old_proofs, ShieldedChecks, ShieldedFault, Subject};
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
        Submission { block: self, spent, known, state: None }.verify(device)
    }
}

impl Submission<'_> {
    /// Verifies the block on a device, as [`Block::verify`] does.
    ///
    /// # Errors
    /// [`VerifyError`] if the device failed; there is then no verdict.
    pub fn verify<D>(self, device: &D) -> Result<(Report, Times), VerifyError>
    where
        D: Execute<VerifySolution> + Execute<VerifySignature> + Execute<VerifyProof>,
    {
        let (mut reports, times) = verify_blocks(device, &[self])?;
        let got = reports.len();
        let report = reports.pop().ok_or(AnswerError { got, expected: 1 })?;
        Ok((report, times))
    }
}

/// Verifies blocks on a device together: a batch holds the signatures, or the proofs of one key, of
/// all blocks. The verdict on a block does not depend on the others. Returns one report per block,
/// and the times of the whole.
///
/// # Errors
/// [`VerifyError`] if the device failed; there are then no verdicts.
pub fn verify_blocks<D>(
    device: &D,
    submissions: &[Submission<'_>],
) -> Result<(Vec<Report>, Times), VerifyError>
where
    D: Execute<VerifySolution> + Execute<VerifySignature> + Execute<VerifyProof>,
{
    let (begin, mut times) = (Instant::now(), Times::default());
    let headers: Vec<_> =
        submissions.iter().map(|of| of.block.header().request().clone()).collect();
    let masks = match headers.is_empty() {
        true => Vec::new(),
        false => {
            let requests = VerifySolution::batch(&headers);
            timed::<VerifySolution>(device, requests, &mut times.proof_of_work)?.replies
        }
    };
    check_count(masks.len(), headers.len())?;
    let start = Instant::now();
    let mut blocks: Vec<_> = submissions.iter().map(|of| Checks::prepare(*of)).collect();
    times.preparing = start.elapsed();
    let start = Instant::now();
    Checks::check_shielded(&mut blocks);
    times.shielded = start.elapsed();
    verify_signatures(device, &mut blocks, &mut times)?;
    let shielded = blocks.iter_mut().flat_map(Checks::shielded).collect();
    verify_proofs(device, shielded, &mut times)?;
    times.total = begin.elapsed();
    let reports = blocks.into_iter().zip(masks).map(|(checks, mask)| checks.report(mask));
    Ok((reports.collect(), times))
}

/// Verifies transparent signatures until no script asks for another.
fn verify_signatures<D: Execute<VerifySignature>>(
    device: &D,
    blocks: &mut [Checks<'_>],
    times: &mut Times,
) -> Result<(), VerifyError> {
    loop {
        let requests: Vec<_> = blocks.iter().map(Checks::requests).collect();
        let counts: Vec<_> = requests.iter().map(Vec::len).collect();
        let requests = requests.concat();
        if requests.is_empty() {
            return Ok(());
        }
        times.signature_count += requests.len();
        let answers =
            timed::<VerifySignature>(device, requests[..].into(), &mut times.signatures)?.replies;
        check_count(answers.len(), requests.len())?;
        let start = Instant::now();
        let mut rest = &answers[..];
        for (checks, count) in blocks.iter_mut().zip(counts) {
            let (own, others) = rest.split_at(count);
            checks.answer(own)?;
            rest = others;
        }
        times.preparing += start.elapsed();
    }
}

/// Verifies the shielded parts of transactions together, for callers without blocks: proofs,
/// signatures and the orders of points, but not the other rules of consensus. Returns the faults of
/// each transaction.
///
/// # Errors
/// [`VerifyError`] if the device failed; there are then no verdicts.
pub fn verify_shielded<D: Execute<VerifyProof>>(
    device: &D,
    subjects: &[Subject<'_>],
) -> Result<Vec<ShieldedVerdict>, VerifyError> {
    let mut checks = shielded::check(subjects);
    verify_proofs(device, checks.iter_mut().collect(), &mut Times::default())?;
    let verdict = |(of, checks): (&Subject<'_>, &ShieldedChecks)| ShieldedVerdict {
        faults: checks.faults(),
        unchecked: old_proofs(of.of) + checks.unsigned() + checks.unanswered(of.of),
    };
    Ok(subjects.iter().zip(&checks).map(verdict).collect())
}

/// The verdict on the shielded parts of a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShieldedVerdict {
    /// The violated rules.
    pub faults: Vec<ShieldedFault>,
    /// The number of proofs and signatures that were not checked: proofs of before Sapling, and
    /// signatures whose digest is unknown. Transactions of version 6 are not checked at all.
    pub unchecked: usize,
}

/// Verifies Groth16 proofs, those of one key together.
fn verify_proofs<D: Execute<VerifyProof>>(
    device: &D,
    mut transactions: Vec<&mut ShieldedChecks>,
    times: &mut Times,
) -> Result<(), VerifyError> {
    let requests = transactions.iter().flat_map(|checks| checks.requests());
    let mut requests: Vec<_> = requests.cloned().enumerate().collect();
    if requests.is_empty() {
        return Ok(());
    }
    times.proof_count = requests.len();
    // A device batches neighbors with the same key.
    requests.sort_by_key(|(_, request)| Arc::as_ptr(&request.key));
    let (order, requests): (Vec<_>, Vec<_>) = requests.into_iter().unzip();
    let answers =
        timed::<VerifyProof>(device, VerifyProof::batch(&requests), &mut times.proofs)?.replies;
    check_count(answers.len(), requests.len())?;
    let mut answers: Vec<_> = order.into_iter().zip(answers).collect();
    answers.sort_by_key(|(index, _)| *index);
    let mut answers = answers.into_iter().map(|(_, answer)| answer);
    for checks in &mut transactions {
        let count = checks.requests().count();
        checks.answer(answers.by_ref().take(count));
    }
    Ok(())
}

fn check_count(got: usize, expected: usize) -> Result<(), AnswerError> {
    match got == expected {
        true => Ok(()),
        false => Err(AnswerError { got, expected }),
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
