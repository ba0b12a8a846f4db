// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The state of a party in a file that only its owner can read. WebAssembly has no files.

use std::path::Path;

use halimede_files::{Options, OutputError};

use super::party::Party;
use crate::files::FileError;

impl Party {
    /// Writes the state of a new party to a new file of mode 0600, which appears when it is
    /// complete.
    ///
    /// # Errors
    /// [`FileError::Io`] if the file already exists or writing fails.
    pub fn create_file(&self, path: &Path) -> Result<(), FileError> {
        let options = Options { is_new: true, is_secret: true, ..Options::default() };
        let mut file = halimede_files::create(path, &options).map_err(OutputError::into_io)?;
        self.save(&mut file)?;
        Ok(file.complete().map_err(OutputError::into_io)?)
    }
}
