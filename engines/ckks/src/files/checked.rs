// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Streams that are hashed as they pass.

use std::io::{ErrorKind, Read, Write};

use blake3::Hasher;
use zeroize::Zeroizing;

use super::error::FileError;

/// Bytes of a checksum.
const CHECKSUM_BYTES: usize = 32;

/// What is written, and its hash. The hash is wiped, since a secret key may go through it, and in a
/// box, since a move would leave a copy of its last block behind.
pub(crate) struct CheckedWriter<W> {
    inner: W,
    hasher: Box<Zeroizing<Hasher>>,
}

/// What is read, its hash, and how much it was.
pub(crate) struct CheckedReader<R> {
    inner: R,
    hasher: Box<Zeroizing<Hasher>>,
    at: u64,
}

impl<W: Write> CheckedWriter<W> {
    pub fn new(inner: W) -> Self {
        Self { inner, hasher: Box::new(Zeroizing::new(Hasher::new())) }
    }

    pub fn write(&mut self, bytes: &[u8]) -> Result<(), FileError> {
        self.hasher.update(bytes);
        Ok(self.inner.write_all(bytes)?)
    }

    /// Ends a record.
    pub fn checksum(&mut self) -> Result<(), FileError> {
        Ok(self.inner.write_all(self.hasher.finalize().as_bytes())?)
    }

    /// The hash of all content.
    pub fn hash(&self) -> [u8; CHECKSUM_BYTES] {
        *self.hasher.finalize().as_bytes()
    }

    /// Ends the file.
    pub fn finish(mut self) -> Result<W, FileError> {
        self.inner.flush()?;
        Ok(self.inner)
    }
}

impl<R: Read> CheckedReader<R> {
    pub fn new(inner: R) -> Self {
        Self { inner, hasher: Box::new(Zeroizing::new(Hasher::new())), at: 0 }
    }

    /// How many bytes have been read.
    pub fn at(&self) -> u64 {
        self.at
    }

    /// Fills a buffer; `what` stands in it.
    pub fn fill(&mut self, buffer: &mut [u8], what: &'static str) -> Result<(), FileError> {
        self.read_into(buffer, what)?;
        self.hasher.update(buffer);
        Ok(())
    }

    /// The next bytes, which are `what`.
    pub fn array<const BYTES: usize>(
        &mut self,
        what: &'static str,
    ) -> Result<[u8; BYTES], FileError> {
        let mut bytes = [0; BYTES];
        self.fill(&mut bytes, what)?;
        Ok(bytes)
    }

    /// Ends a record, and gives its checksum.
    pub fn checksum(&mut self) -> Result<[u8; CHECKSUM_BYTES], FileError> {
        let at = self.at;
        let mut checksum = [0; CHECKSUM_BYTES];
        self.read_into(&mut checksum, "a checksum")?;
        // The comparison of hashes takes the same time for any.
        if self.hasher.finalize() != checksum {
            return Err(FileError::Checksum { at });
        }
        Ok(checksum)
    }

    /// An error of what was last read, `bytes` bytes.
    pub fn malformed(&self, bytes: usize, what: impl Into<String>) -> FileError {
        FileError::Malformed { at: self.at - bytes as u64, what: what.into() }
    }

    fn read_into(&mut self, buffer: &mut [u8], what: &'static str) -> Result<(), FileError> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.inner.read(&mut buffer[filled..]) {
                Ok(0) => return Err(FileError::Truncated { at: self.at, what }),
                Ok(count) => {
                    filled += count;
                    self.at += count as u64;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}
