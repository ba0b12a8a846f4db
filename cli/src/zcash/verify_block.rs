// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede zcash verify-block`: verifies a block.

use std::io::{stdin, BufReader, Read};
use std::path::Path;
use std::time::Instant;

use halimede_zcash::{
    Block, BlockError, ChainState, Known, SpentOutputs, StateError, Submission, Summary,
    VerifyError, MOST_BLOCK_BYTES,
};

use super::block_report::BlockReport;
use crate::arguments::VerifyBlockOptions;
use crate::devices::open;
use crate::error::CommandError;
use crate::file_kind::{not_wanted, not_wanted_bytes, SPENT_OUTPUTS};
use crate::files::open_whole;

/// The maximum length of the input: hexadecimal digits and white space.
const INPUT_LIMIT_BYTES: u64 = 3 * MOST_BLOCK_BYTES as u64;

pub fn run(options: &VerifyBlockOptions, json: bool) -> Result<(), CommandError> {
    one_stdin(&[
        Some(&options.file),
        options.chain.spent.as_deref(),
        options.chain.state.as_deref(),
    ])?;
    let device = open(&options.chain.device)?;
    let input = read(&options.file)?;
    let spent = read_spent(options.chain.spent.as_deref())?;
    let state = read_state(options.chain.state.as_deref())?;
    let start = Instant::now();
    let block = Block::parse(&input, options.chain.network)
        .map_err(|error| not_a_block(&options.file, &input, &error))?;
    let parsing = start.elapsed();
    let VerifyBlockOptions { height, branch, history_root, .. } = *options;
    let known = Known { height, branch, history_root };
    let submission = Submission { block: &block, spent: &spent, known, state: state.as_ref() };
    let (report, mut times) = submission.verify(&device).map_err(failed)?;
    times.parsing = parsing;
    times.total = start.elapsed();
    let summary = Summary::new(&block, known, &report, times);
    let report = BlockReport { block: &block, report: &report, summary, options };
    report.print(json)?;
    report.outcome()
}

/// Converts an error of verification.
pub fn failed(error: VerifyError) -> CommandError {
    match error {
        VerifyError::Device(error) => error.into(),
        error => CommandError::BadInput(error.to_string()),
    }
}

fn bad_input(path: &Path, reason: String) -> CommandError {
    CommandError::BadInput(format!("{}: {reason}", path.display()))
}

fn not_a_block(path: &Path, input: &[u8], error: &BlockError) -> CommandError {
    let reason = format!("not a block: {error}");
    // Damaged blocks, and errors that name the kind of the input themselves.
    let is_block = input.starts_with(&[4, 0, 0, 0]) || input.trim_ascii_start().starts_with(b"04");
    match error {
        BlockError::Text { .. } => bad_input(path, reason),
        _ if is_block => bad_input(path, reason),
        _ => not_wanted_bytes(path, input, "a block", reason),
    }
}

/// Reads the file of the block.
fn read(path: &Path) -> Result<Vec<u8>, CommandError> {
    let file_error = |source| CommandError::File { path: path.to_path_buf(), source };
    let input: Box<dyn Read> = match path == Path::new("-") {
        true => Box::new(stdin()),
        false => Box::new(open_whole(path)?.0),
    };
    let mut bytes = Vec::new();
    input.take(INPUT_LIMIT_BYTES + 1).read_to_end(&mut bytes).map_err(file_error)?;
    if bytes.len() as u64 > INPUT_LIMIT_BYTES {
        let reason = format!("not a block: more than {INPUT_LIMIT_BYTES} bytes");
        return Err(bad_input(path, reason));
    }
    Ok(bytes)
}

/// Reads the file of spent outputs, if there is one.
pub fn read_spent(path: Option<&Path>) -> Result<SpentOutputs, CommandError> {
    let Some(path) = path else { return Ok(SpentOutputs::default()) };
    let spent = match path == Path::new("-") {
        true => SpentOutputs::read(stdin().lock()),
        false => SpentOutputs::read(BufReader::new(open_whole(path)?.0)),
    };
    spent.map_err(|error| not_wanted(path, SPENT_OUTPUTS, error))
}

/// Reads the file of the state, if there is one.
pub fn read_state(path: Option<&Path>) -> Result<Option<ChainState>, CommandError> {
    let Some(path) = path else { return Ok(None) };
    let state = match path == Path::new("-") {
        true => ChainState::read(stdin().lock()),
        false => ChainState::read(open_whole(path)?.0),
    };
    let bad = |error: StateError| bad_input(path, format!("not a state: {error}"));
    state.map(Some).map_err(bad)
}

/// Checks that at most one of the files is standard input.
pub fn one_stdin(files: &[Option<&Path>]) -> Result<(), CommandError> {
    match files.iter().flatten().filter(|path| **path == Path::new("-")).count() {
        0 | 1 => Ok(()),
        _ => Err(CommandError::BadInput("only one of the inputs can be standard input".into())),
    }
}
