// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede zcash verify-block`: whether a block's proof of work and its signatures hold.

use std::io::{stdin, BufReader, Read};
use std::path::Path;
use std::time::{Duration, Instant};

use halimede_arith::job::{Batch, DeviceError, Execute, Operation};
use halimede_equihash::operations::Verify as VerifyProof;
use halimede_secp256k1::operations::Verify as VerifySignature;
use halimede_zcash::{Block, Known, Report, SpentOutputs, MOST_BLOCK_BYTES};

use super::block_report::BlockReport;
use crate::arguments::VerifyBlockOptions;
use crate::devices::open;
use crate::error::CommandError;
use crate::files::open_file;

/// The longest input: hexadecimal digits and white space.
const INPUT_LIMIT_BYTES: u64 = 3 * MOST_BLOCK_BYTES as u64;

pub fn run(options: &VerifyBlockOptions, json: bool) -> Result<(), CommandError> {
    let is_stdin = |path: &Path| path == Path::new("-");
    if is_stdin(&options.file) && options.spent.as_deref().is_some_and(is_stdin) {
        let reason = "standard input is the block or the spent outputs, not both";
        return Err(CommandError::BadInput(reason.into()));
    }
    let device = open(&options.device)?;
    let input = read(&options.file)?;
    let spent = read_spent(options.spent.as_deref())?;
    let start = Instant::now();
    let block = Block::parse(&input, options.network)
        .map_err(|error| bad_input(&options.file, format!("not a block: {error}")))?;
    let parsing = start.elapsed();
    let known = Known { height: options.height, branch: options.branch };
    let (report, mut times) = verify(&device, &block, &spent, known)?;
    times.parsing = parsing;
    times.total = start.elapsed();
    let report = BlockReport { block: &block, known, report: &report, times, options };
    report.print(json)?;
    report.outcome()
}

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

/// Asks a device what has to be asked about a block.
fn verify<D>(
    device: &D,
    block: &Block,
    spent: &SpentOutputs,
    known: Known,
) -> Result<(Report, Times), CommandError>
where
    D: Execute<VerifyProof> + Execute<VerifySignature>,
{
    let mut times = Times::default();
    let requests = [block.header().request().clone()];
    let proof = timed::<VerifyProof>(device, &requests, &mut times.proof_of_work)?;
    let start = Instant::now();
    let mut checks = block.checks(spent, known);
    times.preparing = start.elapsed();
    loop {
        let requests = checks.requests();
        if requests.is_empty() {
            break;
        }
        times.signature_count += requests.len();
        let answers = timed::<VerifySignature>(device, &requests, &mut times.signatures)?;
        let start = Instant::now();
        checks.answer(&answers.replies).map_err(|error| wrong_count(&error))?;
        times.preparing += start.elapsed();
    }
    let mask = proof.replies.first().copied();
    let mask = mask.ok_or_else(|| wrong_count(&"no answer to one question"))?;
    Ok((checks.report(mask), times))
}

fn timed<Op: Operation>(
    device: &impl Execute<Op>,
    requests: &[Op::Request],
    time: &mut Duration,
) -> Result<Batch<Op::Reply>, DeviceError> {
    let start = Instant::now();
    let batch = device.execute(requests)?;
    *time += start.elapsed();
    Ok(batch)
}

/// A device that answers more or less than it was asked.
fn wrong_count(reason: &dyn std::fmt::Display) -> CommandError {
    CommandError::BadInput(format!("the device answered wrongly: {reason}"))
}

fn bad_input(path: &Path, reason: String) -> CommandError {
    CommandError::BadInput(format!("{}: {reason}", path.display()))
}

/// The block's file.
fn read(path: &Path) -> Result<Vec<u8>, CommandError> {
    let file_error = |source| CommandError::File { path: path.to_path_buf(), source };
    let input: Box<dyn Read> = match path == Path::new("-") {
        true => Box::new(stdin()),
        false => Box::new(open_file(path)?.0),
    };
    let mut bytes = Vec::new();
    input.take(INPUT_LIMIT_BYTES + 1).read_to_end(&mut bytes).map_err(file_error)?;
    if bytes.len() as u64 > INPUT_LIMIT_BYTES {
        let reason = format!("not a block: more than {INPUT_LIMIT_BYTES} bytes");
        return Err(bad_input(path, reason));
    }
    Ok(bytes)
}

fn read_spent(path: Option<&Path>) -> Result<SpentOutputs, CommandError> {
    let Some(path) = path else { return Ok(SpentOutputs::default()) };
    let spent = match path == Path::new("-") {
        true => SpentOutputs::read(stdin().lock()),
        false => SpentOutputs::read(BufReader::new(open_file(path)?.0)),
    };
    spent.map_err(|error| bad_input(path, error.to_string()))
}
