// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The state of a party on disk. One command at a time uses it.

use std::fs::{File, TryLockError};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use halimede_ckks::files::{expect_end, open_party_file};
use halimede_ckks::parties::Party;
use halimede_ckks::FileError;

use super::super::describe::warn_insecure;
use super::super::messages::{bad_input, of_file, of_party_file};
use super::super::open::reader_and_parameters;
use crate::error::CommandError;
use crate::files::{create_secret, write_error};

/// A party, whose file no other command uses meanwhile.
pub struct State<'p> {
    pub party: Party,
    path: &'p Path,
    /// The lock, which ends with the file.
    _file: File,
}

impl<'p> State<'p> {
    pub fn open(path: &'p Path) -> Result<Self, CommandError> {
        let failed = |source| CommandError::File { path: path.to_path_buf(), source };
        let file = open_party_file(path).map_err(of_file(path))?;
        let in_use = || {
            let path = path.display();
            bad_input(format!("{path}: another command uses this state: wait for its end"))
        };
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(in_use()),
            Err(TryLockError::Error(source)) => return Err(failed(source)),
        }
        // Another command may have replaced the file before it was locked.
        let (ours, now) =
            (file.metadata().map_err(failed)?, std::fs::metadata(path).map_err(failed)?);
        if (ours.dev(), ours.ino()) != (now.dev(), now.ino()) {
            return Err(in_use());
        }
        let (reader, parameters) = reader_and_parameters(&file, path)?;
        warn_insecure(&parameters);
        let party = reader.party(&parameters).map_err(of_party_file(path))?;
        expect_end(&file).map_err(of_file(path))?;
        Ok(Self { party, path, _file: file })
    }

    /// Replaces the file by the present state, on disk before this returns.
    pub fn save(&self) -> Result<(), CommandError> {
        // Unbuffered, because a buffer would not be wiped.
        let mut output = create_secret(self.path, &[])?;
        self.party.save(&mut output).map_err(|error| match error {
            FileError::Io(source) => write_error(self.path)(source),
            error => of_file(self.path)(error),
        })?;
        Ok(output.complete()?)
    }
}
