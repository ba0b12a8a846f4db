// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Opens input files, and creates output files that appear when they are complete.

mod signals;

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

use halimede_files::{
    read_secret_to_limit, read_to_limit, Folder, Options, Output, OutputError, Steady,
};
use zeroize::Zeroizing;

use crate::error::CommandError;

/// Opens a file that is not a directory. Also returns its length, if it is a regular file.
pub fn open_file(path: &Path) -> Result<(File, Option<u64>), CommandError> {
    let file_error = |source| CommandError::File { path: path.to_path_buf(), source };
    let file = File::open(path).map_err(file_error)?;
    let metadata = file.metadata().map_err(file_error)?;
    if metadata.is_dir() {
        return Err(file_error(std::io::ErrorKind::IsADirectory.into()));
    }
    let length = metadata.is_file().then_some(metadata.len());
    Ok((file, length))
}

/// Opens a file to be read from its beginning to its end, which must not change meanwhile. Also
/// returns its length, if it is a regular file.
pub fn open_whole(path: &Path) -> Result<(Steady, Option<u64>), CommandError> {
    let (file, length) = open_file(path)?;
    let steady = Steady::new(file);
    let steady =
        steady.map_err(|source| CommandError::File { path: path.to_path_buf(), source })?;
    Ok((steady, length))
}

/// Reads a file, or standard input if the path is `-`, of at most `limit` bytes.
pub fn read_limited(path: &Path, limit: u64) -> Result<Vec<u8>, CommandError> {
    read_by(path, |input| read_to_limit(input, limit))
}

/// As [`read_limited`], into memory that is overwritten when it is dropped.
pub fn read_secret(path: &Path, limit: u64) -> Result<Zeroizing<Vec<u8>>, CommandError> {
    read_by(path, |input| read_secret_to_limit(input, limit))
}

/// Reads a file, or standard input if the path is `-`, by a function.
fn read_by<T>(
    path: &Path,
    read: impl FnOnce(&mut dyn Read) -> std::io::Result<T>,
) -> Result<T, CommandError> {
    if path == Path::new("-") {
        let read = read(&mut std::io::stdin().lock());
        return read.map_err(|source| CommandError::Stream { stream: "input", source });
    }
    let (mut input, _) = open_whole(path)?;
    read(&mut input).map_err(|source| CommandError::File { path: path.to_path_buf(), source })
}

/// Creates an output that is written sequentially. It must not be one of the inputs.
pub fn create(path: &Path, inputs: &[&Path]) -> Result<Output, CommandError> {
    create_with(path, &Options { inputs, ..Options::default() })
}

/// Creates an output that only its owner may read.
pub fn create_secret(path: &Path, inputs: &[&Path]) -> Result<Output, CommandError> {
    create_with(path, &Options { inputs, is_secret: true, ..Options::default() })
}

/// Creates an output that is read and written in any order.
pub fn create_seekable(path: &Path, inputs: &[&Path]) -> Result<Output, CommandError> {
    create_with(path, &Options { inputs, seeks: true, ..Options::default() })
}

fn create_with(path: &Path, options: &Options) -> Result<Output, CommandError> {
    signals::install();
    Ok(halimede_files::create(path, options)?)
}

/// Creates a folder of files; an existing folder must be empty.
pub fn create_folder(path: &Path) -> Result<Folder, CommandError> {
    signals::install();
    Ok(halimede_files::create_folder(path)?)
}

/// Creates a folder of files that only its owner can read.
pub fn create_secret_folder(path: &Path) -> Result<Folder, CommandError> {
    signals::install();
    Ok(halimede_files::create_secret_folder(path)?)
}

/// Writes an output that is complete at once. It must not be one of the inputs.
pub fn write_whole(path: &Path, inputs: &[&Path], content: &[u8]) -> Result<(), CommandError> {
    let mut output = create(path, inputs)?;
    output.write_all(content).map_err(write_error(path))?;
    Ok(output.complete()?)
}

/// Converts an error of writing to an output.
pub fn write_error(path: &Path) -> impl Fn(std::io::Error) -> CommandError + Copy + '_ {
    move |source| OutputError::Io { path: path.to_path_buf(), source }.into()
}
