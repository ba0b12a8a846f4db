// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Files whose content other crates define: a header, a number of bytes, the bytes, and their checksum.

use std::io::{Read, Write};

use super::checked::CheckedWriter;
use super::error::FileError;
use super::header::Header;
use super::kind::FileKind;
use super::reader::FileReader;
use super::whole::read_count;
use crate::params::Parameters;

/// Bytes that are read at a time, so that no more memory is taken than a file fills.
const CHUNK_BYTES: usize = 1 << 16;

/// Writes a file of some kind whose content has at most 2³² − 1 bytes.
///
/// # Errors
/// Where writing fails.
///
/// # Panics
/// For more bytes.
pub fn write_content(
    output: impl Write,
    kind: FileKind,
    parameters: &Parameters,
    content: &[u8],
) -> Result<(), FileError> {
    let length = u32::try_from(content.len());
    assert!(length.is_ok(), "{} bytes are too many", content.len());
    let mut output = CheckedWriter::new(output);
    Header::new(kind, parameters).write(&mut output)?;
    output.write(&length.unwrap_or(0).to_le_bytes())?;
    output.write(content)?;
    output.checksum()?;
    output.finish().map(drop)
}

impl<R: Read> FileReader<R> {
    /// What [`write_content`] wrote, and the place of its first byte in the file.
    ///
    /// # Errors
    /// [`FileError`] for a file of another kind, for more than `most` bytes, and for a damaged file.
    pub fn content(mut self, kind: FileKind, most: u32) -> Result<(Vec<u8>, u64), FileError> {
        let got = self.header().kind();
        if got != kind {
            return Err(FileError::Kind { got, wanted: kind });
        }
        let length = read_count(&mut self.input, "the number of bytes", most)?;
        let at = self.input.at();
        let mut content = Vec::new();
        while content.len() < length {
            let before = content.len();
            content.resize(length.min(before + CHUNK_BYTES), 0);
            self.input.fill(&mut content[before..], "the content")?;
        }
        self.input.checksum()?;
        Ok((content, at))
    }
}
