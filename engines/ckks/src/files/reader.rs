// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A file whose header has been read, and that says itself what it is.

use std::io::Read;

use super::checked::CheckedReader;
use super::error::FileError;
use super::header::Header;
use super::kind::FileKind;
use crate::params::Parameters;

/// That a file or stream has nothing more: what is loaded reads no further than its own end, so
/// that others may follow.
///
/// # Errors
/// [`FileError::Longer`] where there is more, and where reading fails.
pub fn expect_end(input: impl Read) -> Result<(), FileError> {
    match CheckedReader::new(input).array::<1>("nothing") {
        Ok(_) => Err(FileError::Longer),
        Err(FileError::Truncated { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}

/// A file of any kind. Its header tells what it holds and for which parameters; then what it holds
/// is read with those.
pub struct FileReader<R> {
    pub(crate) input: CheckedReader<R>,
    header: Header,
}

impl<R: Read> FileReader<R> {
    /// Reads the header.
    ///
    /// # Errors
    /// [`FileError`] for what is no CKKS file of this format.
    pub fn new(input: R) -> Result<Self, FileError> {
        let mut input = CheckedReader::new(input);
        let header = Header::read(&mut input)?;
        Ok(Self { input, header })
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// That it holds what is wanted, for these parameters.
    pub(crate) fn check(&self, kind: FileKind, parameters: &Parameters) -> Result<(), FileError> {
        self.header.check(kind, parameters)
    }
}
