// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede blake3 verify`: verifies a slice against a root, and writes its verified bytes.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, stdin, BufReader, Read, Seek, SeekFrom};

use bao::decode::{Decoder, SliceDecoder};
use halimede_files::Output;

use super::output::Printer;
use super::slice::copy;
use super::source::is_stdin;
use super::tree::{Stored, BUFFER_BYTES};
use crate::arguments::VerifySliceOptions;
use crate::error::CommandError;
use crate::files::{create, open_whole};
use crate::progress::bytes_bar;

pub fn run(options: &VerifySliceOptions, json: bool) -> Result<(), CommandError> {
    let mut inputs = vec![options.slice.as_path()];
    inputs.extend(options.tree.as_deref());
    let out = options.out.as_deref().map(|out| create(out, &inputs)).transpose()?;
    let bytes = match &options.tree {
        Some(_) => verify_file(options, out)?,
        None => verify_slice(options, out)?,
    };
    if json && options.out.is_some() {
        let object = serde_json::json!({
            "valid": true, "root": options.root.to_hex().as_str(), "start": options.range.start,
            "bytes": bytes,
        });
        Printer::new().line(&object.to_string())?;
    }
    Ok(())
}

/// Decodes a slice. Returns the number of bytes of the file in it.
fn verify_slice(options: &VerifySliceOptions, out: Option<Output>) -> Result<u64, CommandError> {
    let input: Box<dyn Read> = match is_stdin(&options.slice) {
        true => Box::new(stdin().lock()),
        false => Box::new(open_whole(&options.slice)?.0),
    };
    let input = BufReader::with_capacity(BUFFER_BYTES, input);
    let start = options.range.start;
    let count = options.range.count.unwrap_or(u64::MAX).min(u64::MAX - start);
    let decoder = SliceDecoder::new(input, &options.root, start, count);
    write_verified(options, out, WholeSlice { decoder: Some(decoder) })
}

/// A slice without data after its end.
struct WholeSlice<R: Read> {
    decoder: Option<SliceDecoder<R>>,
}

/// The error of data after the last byte that a decoder needs.
#[derive(Debug, thiserror::Error)]
#[error("there is data after the end of the slice")]
struct LeftBehind;

impl<R: Read> Read for WholeSlice<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(decoder) = &mut self.decoder else { return Ok(0) };
        let got = decoder.read(buffer)?;
        if got > 0 || buffer.is_empty() {
            return Ok(got);
        }
        let mut behind = [0];
        match self.decoder.take().map(|decoder| decoder.into_inner().read(&mut behind)) {
            Some(Ok(1..)) => Err(io::Error::other(LeftBehind)),
            Some(Err(error)) => Err(error),
            _ => Ok(0),
        }
    }
}

/// Verifies a part of a file against its stored tree. Returns its number of bytes.
fn verify_file(options: &VerifySliceOptions, out: Option<Output>) -> Result<u64, CommandError> {
    let Some(tree) = &options.tree else { return Ok(0) };
    let stored = Stored::open(&options.slice, tree)?.map_err(|reason| fails(options, reason))?;
    let start = options.range.start;
    if start > stored.bytes {
        let reason = format!("--start {start}: the file has {} bytes", stored.bytes);
        return Err(CommandError::BadInput(reason));
    }
    let mut decoder: Decoder<BufReader<File>> =
        Decoder::new_outboard(stored.file, stored.tree, &options.root);
    decoder.seek(SeekFrom::Start(start)).map_err(|error| unverified(options, error, 0))?;
    write_verified(options, out, decoder.take(options.range.count.unwrap_or(u64::MAX)))
}

/// Writes the output of a decoder, which returns only verified bytes.
fn write_verified(
    options: &VerifySliceOptions,
    out: Option<Output>,
    decoder: impl Read,
) -> Result<u64, CommandError> {
    let bar = bytes_bar(options.range.count);
    let verified = Cell::new(0u64);
    let counted = Counted { reader: decoder, count: &verified, progress: |n| bar.set_position(n) };
    let outcome = copy(counted, out, |error| unverified(options, error, verified.get()));
    bar.finish_and_clear();
    outcome
}

/// Counts the bytes of a reader.
struct Counted<'c, R, P> {
    reader: R,
    count: &'c Cell<u64>,
    progress: P,
}

impl<R: Read, P: Fn(u64)> Read for Counted<'_, R, P> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let got = self.reader.read(buffer)?;
        self.count.set(self.count.get() + got as u64);
        (self.progress)(self.count.get());
        Ok(got)
    }
}

/// Explains why a decoder stopped, and after how many verified bytes.
fn unverified(options: &VerifySliceOptions, error: io::Error, verified: u64) -> CommandError {
    if error.get_ref().is_some_and(|error| error.is::<LeftBehind>()) {
        let reason = format!(
            "{verified} bytes were verified, but more data follows: --start and --count do not \
             match the slice, or something was added"
        );
        return fails(options, reason);
    }
    let place = options.range.start.saturating_add(verified);
    let what = match error.kind() {
        io::ErrorKind::InvalidData => {
            format!("the data from byte {place} on does not hash to the root")
        }
        io::ErrorKind::UnexpectedEof => format!("it ends before byte {place} can be verified"),
        _ => return file_error(options, error),
    };
    let written = match (verified, &options.out) {
        (0, _) => "nothing was written".into(),
        (_, Some(_)) => {
            format!("the {verified} bytes before it were verified, but no file was written")
        }
        (_, None) => format!("the {verified} bytes before it were verified and written"),
    };
    fails(options, format!("{what}; {written}"))
}

fn fails(options: &VerifySliceOptions, reason: String) -> CommandError {
    CommandError::ProofFails { path: options.slice.clone(), reason }
}

fn file_error(options: &VerifySliceOptions, source: io::Error) -> CommandError {
    CommandError::File { path: options.slice.clone(), source }
}
