// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Files to read, and files that appear when they are whole.

mod signals;

use std::fs::File;
use std::path::Path;

use halimede_files::{read_to_limit, Folder, Options, Output, OutputError, Steady};

use crate::error::CommandError;

/// A file that is not a directory, and its length where it is a regular one.
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

/// A file that is read from its beginning to its end, and must not change meanwhile; its length
/// where it is a regular one.
pub fn open_whole(path: &Path) -> Result<(Steady, Option<u64>), CommandError> {
    let (file, length) = open_file(path)?;
    let steady = Steady::new(file);
    let steady =
        steady.map_err(|source| CommandError::File { path: path.to_path_buf(), source })?;
    Ok((steady, length))
}

/// The content of a file, or of standard input where the path is `-`, of no more bytes than the
/// limit.
pub fn read_limited(path: &Path, limit: u64) -> Result<Vec<u8>, CommandError> {
    if path == Path::new("-") {
        let read = read_to_limit(std::io::stdin().lock(), limit);
        return read.map_err(|source| CommandError::Stream { stream: "input", source });
    }
    let (input, _) = open_whole(path)?;
    let read = read_to_limit(input, limit);
    read.map_err(|source| CommandError::File { path: path.to_path_buf(), source })
}

/// Begins an output, which is written from its first byte to its last. It is made from these
/// inputs, and is not one of them.
pub fn create(path: &Path, inputs: &[&Path]) -> Result<Output, CommandError> {
    create_with(path, &Options { inputs, ..Options::default() })
}

/// Begins an output that its owner alone may read.
pub fn create_secret(path: &Path, inputs: &[&Path]) -> Result<Output, CommandError> {
    create_with(path, &Options { inputs, is_secret: true, ..Options::default() })
}

/// Begins an output that is read and written in any order.
pub fn create_seekable(path: &Path, inputs: &[&Path]) -> Result<Output, CommandError> {
    create_with(path, &Options { inputs, seeks: true, ..Options::default() })
}

fn create_with(path: &Path, options: &Options) -> Result<Output, CommandError> {
    signals::install();
    Ok(halimede_files::create(path, options)?)
}

/// Begins a folder of files, where the folder is absent or empty.
pub fn create_folder(path: &Path) -> Result<Folder, CommandError> {
    signals::install();
    Ok(halimede_files::create_folder(path)?)
}

/// Begins a folder of files that its owner alone can look into.
pub fn create_secret_folder(path: &Path) -> Result<Folder, CommandError> {
    signals::install();
    Ok(halimede_files::create_secret_folder(path)?)
}

/// An error of writing to an output.
pub fn write_error(path: &Path) -> impl Fn(std::io::Error) -> CommandError + Copy + '_ {
    move |source| OutputError::Io { path: path.to_path_buf(), source }.into()
}
