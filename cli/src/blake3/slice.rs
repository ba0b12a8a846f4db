// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede blake3 slice`: writes a part of a file with the tree nodes that prove it.

use std::io::{self, BufWriter, Read, Seek, Write};

use bao::decode::SliceDecoder;
use bao::encode::SliceExtractor;
use halimede_blake3::blake3::Hash;
use halimede_files::Output;

use super::output::Printer;
use super::tree::{Stored, BUFFER_BYTES};
use crate::arguments::{RangeOptions, SliceOptions};
use crate::error::CommandError;
use crate::files::{create, write_error};
use crate::output::{output_error, standard_output};

pub fn run(options: &SliceOptions, json: bool) -> Result<(), CommandError> {
    let inputs = [options.file.as_path(), options.tree.as_path()];
    let out = options.out.as_deref().map(|out| create(out, &inputs)).transpose()?;
    let mut stored = Stored::open(&options.file, &options.tree)?.map_err(CommandError::BadInput)?;
    let range = within(options.range, stored.bytes)?;
    let file_error = |source| CommandError::File { path: options.file.clone(), source };
    let root = stored.root().map_err(file_error)?;
    if options.root.is_some_and(|wanted| wanted != root) {
        let reason = format!("{}: the stored tree has the root {root}", options.tree.display());
        return Err(CommandError::BadInput(reason));
    }
    let bytes = verify(&mut stored, &root, range).map_err(|error| match error.kind() {
        io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => {
            let (file, tree) = (options.file.display(), options.tree.display());
            CommandError::BadInput(format!("{file} is not the file of the tree {tree}: {error}"))
        }
        _ => file_error(error),
    })?;
    let slice = extractor(&mut stored, range).map_err(file_error)?;
    copy(slice, out, file_error)?;
    if json && options.out.is_some() {
        let object = serde_json::json!({
            "root": root.to_hex().as_str(), "start": range.0, "bytes": bytes,
            "file_bytes": stored.bytes,
        });
        Printer::new().line(&object.to_string())?;
    }
    Ok(())
}

/// Returns the first byte and the number of bytes, limited to the file.
fn within(range: RangeOptions, bytes: u64) -> Result<(u64, u64), CommandError> {
    if range.start > bytes {
        let reason = format!("--start {}: the file has {bytes} bytes", range.start);
        return Err(CommandError::BadInput(reason));
    }
    let rest = bytes - range.start;
    Ok((range.start, range.count.unwrap_or(rest).min(rest)))
}

type Extractor<'s> =
    SliceExtractor<&'s mut io::BufReader<std::fs::File>, &'s mut io::BufReader<std::fs::File>>;

fn extractor(stored: &mut Stored, (start, count): (u64, u64)) -> io::Result<Extractor<'_>> {
    stored.file.rewind()?;
    stored.tree.rewind()?;
    Ok(SliceExtractor::new_outboard(&mut stored.file, &mut stored.tree, start, count))
}

/// Decodes the slice without keeping it. Returns the number of bytes of the file in it.
fn verify(stored: &mut Stored, root: &Hash, range: (u64, u64)) -> io::Result<u64> {
    let slice = io::BufReader::with_capacity(BUFFER_BYTES, extractor(stored, range)?);
    io::copy(&mut SliceDecoder::new(slice, root, range.0, range.1), &mut io::sink())
}

/// Copies a reader to a file, which appears when it is complete, or to standard output. Returns the
/// number of bytes.
pub fn copy(
    reader: impl Read,
    out: Option<Output>,
    read_error: impl FnOnce(io::Error) -> CommandError,
) -> Result<u64, CommandError> {
    let Some(mut out) = out else {
        return pump(reader, standard_output(), read_error, output_error);
    };
    let path = out.path().to_path_buf();
    let copied = pump(reader, &mut out, read_error, write_error(&path))?;
    out.complete()?;
    Ok(copied)
}

/// Copies, with separate errors for reading and writing.
fn pump(
    mut reader: impl Read,
    writer: impl Write,
    read_error: impl FnOnce(io::Error) -> CommandError,
    write_error: impl Fn(io::Error) -> CommandError,
) -> Result<u64, CommandError> {
    let mut writer = BufWriter::with_capacity(BUFFER_BYTES, writer);
    let mut buffer = vec![0; BUFFER_BYTES];
    let mut copied = 0;
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => break,
            Ok(got) => {
                writer.write_all(&buffer[..got]).map_err(&write_error)?;
                copied += got as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => {
                // The bytes read so far are good, e.g. verified data.
                writer.flush().map_err(&write_error)?;
                return Err(read_error(error));
            }
        }
    }
    writer.flush().map_err(&write_error)?;
    Ok(copied)
}
