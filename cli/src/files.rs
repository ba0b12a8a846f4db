// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Files to read, and files that appear when they are whole.

use std::fs::File;
use std::path::{Path, PathBuf};

use crate::error::CommandError;

/// Whether two paths name one file.
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
}

/// A file that is no directory, and its length where it is a regular one.
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

/// A file that takes its name when it is complete, and is removed where that never comes.
pub struct PartialFile {
    path: PathBuf,
    partial: PathBuf,
}

impl PartialFile {
    /// Opens `PATH.partial` for reading and writing.
    pub fn create(path: &Path) -> Result<(Self, File), CommandError> {
        let mut partial = path.as_os_str().to_owned();
        partial.push(".partial");
        let partial = PathBuf::from(partial);
        let file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .open(&partial)
            .map_err(|source| CommandError::File { path: partial.clone(), source })?;
        Ok((Self { path: path.to_path_buf(), partial }, file))
    }

    /// Gives it its name, in place of whatever had it.
    pub fn complete(self, file: &File) -> Result<(), CommandError> {
        file.sync_all()
            .and_then(|()| std::fs::rename(&self.partial, &self.path))
            .map_err(|source| CommandError::File { path: self.path.clone(), source })
    }
}

impl Drop for PartialFile {
    fn drop(&mut self) {
        // Gone already where it was completed; where it cannot be removed, its name says enough.
        let _ = std::fs::remove_file(&self.partial);
    }
}
