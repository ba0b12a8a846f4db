// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A file whose header has been read, and which describes itself.

use std::io::Read;

use super::checked::CheckedReader;
use super::error::FileError;
use super::header::Header;
use super::kind::FileKind;
use crate::params::Parameters;

/// Checks that a file or stream has no more bytes. The `load` functions read no further than the
/// end of their file, so that other files may follow in a stream.
///
/// # Errors
/// [`FileError::Longer`] if more bytes follow. Also if reading fails.
pub fn expect_end(input: impl Read) -> Result<(), FileError> {
    match CheckedReader::new(input).array::<1>("nothing") {
        Ok(_) => Err(FileError::Longer),
        Err(FileError::Truncated { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}

/// A file of any kind. Its header gives the kind and the parameters with which to read its content.
pub struct FileReader<R> {
    pub(crate) input: CheckedReader<R>,
    header: Header,
}

impl<R: Read> FileReader<R> {
    /// Reads the header.
    ///
    /// # Errors
    /// [`FileError`] for an input that is not a CKKS file of this format.
    pub fn new(input: R) -> Result<Self, FileError> {
        let mut input = CheckedReader::new(input);
        let header = Header::read(&mut input)?;
        Ok(Self { input, header })
    }

    /// Returns the header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Checks that the file is of this kind and for these parameters.
    pub(crate) fn check(&self, kind: FileKind, parameters: &Parameters) -> Result<(), FileError> {
        self.header.check(kind, parameters)
    }
}
