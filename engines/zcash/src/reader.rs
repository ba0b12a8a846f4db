// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A reader that keeps its position, so that errors can state it.

use std::io::{self, Read};

use crate::error::{BlockError, Part};

/// The largest length or count of the Zcash encodings (zcashd's `MAX_SIZE`).
const MOST_ELEMENTS: u64 = 0x0200_0000;

/// Reads from a block's bytes.
pub struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Reader<'b> {
    /// Creates a reader from this position on, which must not exceed the length.
    pub fn from(bytes: &'b [u8], at: usize) -> Self {
        Self { bytes, at }
    }

    /// The position of the next byte.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Returns the bytes read from this position on.
    pub fn since(&self, begins: usize) -> &'b [u8] {
        &self.bytes[begins..self.at]
    }

    /// The number of bytes left.
    pub fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// Takes the next bytes, which belong to `part`.
    pub fn take(&mut self, count: usize, part: Part) -> Result<&'b [u8], BlockError> {
        let rest = &self.bytes[self.at..];
        let taken = rest.get(..count);
        let taken = taken.ok_or(BlockError::Truncated { at: self.bytes.len(), part })?;
        self.at += count;
        Ok(taken)
    }

    /// Takes the next bytes as an array.
    pub fn array<const N: usize>(&mut self, part: Part) -> Result<[u8; N], BlockError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N, part)?);
        Ok(array)
    }

    /// Reads a `compactSize` in its shortest encoding (Zcash protocol specification, section 7.1).
    pub fn compact_size(&mut self, part: Part) -> Result<usize, BlockError> {
        let at = self.at;
        let [first] = self.array(part)?;
        let (value, least) = match first {
            0xfd => (u64::from(u16::from_le_bytes(self.array(part)?)), 0xfd),
            0xfe => (u64::from(u32::from_le_bytes(self.array(part)?)), 0x1_0000),
            0xff => (u64::from_le_bytes(self.array(part)?), 0x1_0000_0000),
            small => (u64::from(small), 0),
        };
        match usize::try_from(value) {
            Ok(size) if value >= least && value <= MOST_ELEMENTS => Ok(size),
            _ => Err(BlockError::Length { at, part }),
        }
    }
}

impl Read for Reader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = buffer.len().min(self.left());
        buffer[..count].copy_from_slice(&self.bytes[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}
