// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Secret keys in files that only their owner can read. WebAssembly has no files.

use std::fs::File;
use std::path::Path;

use halimede_files::{Options, OutputError};

use super::error::FileError;
use super::kind::FileKind;
use super::reader::{expect_end, FileReader};
use crate::keys::SecretKey;
use crate::params::Parameters;

impl SecretKey {
    /// Writes the key to a new file of mode 0600. The file appears only when it is complete.
    ///
    /// # Errors
    /// [`FileError::Io`] if the file already exists or writing fails.
    pub fn create_file(&self, path: &Path) -> Result<(), FileError> {
        let options = Options { is_new: true, is_secret: true, ..Options::default() };
        let mut file = halimede_files::create(path, &options).map_err(OutputError::into_io)?;
        self.save(&mut file)?;
        Ok(file.complete().map_err(OutputError::into_io)?)
    }

    /// Reads a key from a file that only its owner can read.
    ///
    /// # Errors
    /// [`FileError::Permissions`] if others can read it too; otherwise as [`Self::load`].
    pub fn open_file(path: &Path, parameters: &Parameters) -> Result<Self, FileError> {
        let mut file = open_secret_file(path)?;
        let key = Self::load(&mut file, parameters)?;
        expect_end(file)?;
        Ok(key)
    }
}

/// Opens a secret key's file that only its owner can read.
///
/// # Errors
/// [`FileError::Permissions`] if others can read or write it. If others can, and it is not a secret
/// key, the error is [`FileError::Kind`] or that of the header. Also if it cannot be opened.
pub fn open_secret_file(path: &Path) -> Result<File, FileError> {
    open_secret_of_kind(path, FileKind::SecretKey)
}

/// Opens the file of a party's state that only its owner can read.
///
/// # Errors
/// As [`open_secret_file`].
pub fn open_party_file(path: &Path) -> Result<File, FileError> {
    open_secret_of_kind(path, FileKind::Party)
}

fn open_secret_of_kind(path: &Path, wanted: FileKind) -> Result<File, FileError> {
    let file = File::open(path)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = file.metadata()?.permissions().mode() & 0o7777;
        if mode & 0o077 != 0 {
            // For a file of another kind, the error reports the kind: its mode does not matter.
            let got = FileReader::new(&file)?.header().kind();
            if got != wanted {
                return Err(FileError::Kind { got, wanted });
            }
            return Err(FileError::Permissions { path: path.to_path_buf(), mode });
        }
    }
    Ok(file)
}
