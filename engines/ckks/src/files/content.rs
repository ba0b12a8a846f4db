// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Files whose content other crates define: a header, a number of bytes, the bytes, and their
//! checksum.

use std::io::{Read, Write};

use super::checked::CheckedWriter;
use super::error::FileError;
use super::header::Header;
use super::kind::FileKind;
use super::reader::FileReader;
use super::whole::read_count;
use crate::params::Parameters;

/// The number of bytes read at a time, so that a file needs no more memory than it fills.
const CHUNK_BYTES: usize = 1 << 16;

/// Writes a file of the given kind whose content has at most 2³² − 1 bytes.
///
/// # Errors
/// If writing fails.
///
/// # Panics
/// If the content is longer.
pub fn write_content(
    output: impl Write,
    kind: FileKind,
    parameters: &Parameters,
    content: &[u8],
) -> Result<(), FileError> {
    let length = u32::try_from(content.len());
    assert!(length.is_ok(), "content of {} bytes is too long", content.len());
    let mut output = CheckedWriter::new(output);
    Header::new(kind, parameters).write(&mut output)?;
    output.write(&length.unwrap_or(0).to_le_bytes())?;
    output.write(content)?;
    output.checksum()?;
    output.finish().map(drop)
}

impl<R: Read> FileReader<R> {
    /// Reads the content that [`write_content`] wrote. Returns it with the offset of its first
    /// byte.
    ///
    /// # Errors
    /// [`FileError`] for a file of another kind, for content of more than `most` bytes, and for a
    /// damaged file.
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
