// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Streams that hash the bytes that pass.

use std::io::{ErrorKind, Read, Write};

use blake3::Hasher;
use zeroize::Zeroizing;

use super::error::FileError;

/// The size of a checksum in bytes.
const CHECKSUM_BYTES: usize = 32;

/// An output with the hash of all bytes written. The hash is wiped, since a secret key may pass
/// through it, and boxed, since a move would leave a copy of its last block behind.
pub(crate) struct CheckedWriter<W> {
    inner: W,
    hasher: Box<Zeroizing<Hasher>>,
}

/// An input with the hash and the number of the bytes read.
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

    /// Ends a record with its checksum.
    pub fn checksum(&mut self) -> Result<(), FileError> {
        Ok(self.inner.write_all(self.hasher.finalize().as_bytes())?)
    }

    /// Returns the hash of all content.
    pub fn hash(&self) -> [u8; CHECKSUM_BYTES] {
        *self.hasher.finalize().as_bytes()
    }

    /// Ends the file.
    pub fn finish(mut self) -> Result<W, FileError> {
        self.inner.flush()?;
        Ok(self.inner)
    }
}

impl<'a> CheckedReader<&'a [u8]> {
    /// Reads bytes of a slice without a copy. Returns them with the `more` bytes after them, which
    /// are not read. Errors call them `what`.
    pub fn slice(
        &mut self,
        bytes: usize,
        more: usize,
        what: &'static str,
    ) -> Result<&'a [u8], FileError> {
        let all = self.inner;
        let truncated = || FileError::Truncated { at: self.at + all.len() as u64, what };
        let whole = all.get(..bytes + more).ok_or_else(truncated)?;
        self.hasher.update(&whole[..bytes]);
        self.inner = &all[bytes..];
        self.at += bytes as u64;
        Ok(whole)
    }
}

impl<R: Read> CheckedReader<R> {
    pub fn new(inner: R) -> Self {
        Self { inner, hasher: Box::new(Zeroizing::new(Hasher::new())), at: 0 }
    }

    /// Returns the number of bytes read.
    pub fn at(&self) -> u64 {
        self.at
    }

    /// Fills a buffer. Errors call its content `what`.
    pub fn fill(&mut self, buffer: &mut [u8], what: &'static str) -> Result<(), FileError> {
        self.read_into(buffer, what)?;
        self.hasher.update(buffer);
        Ok(())
    }

    /// Reads the next bytes. Errors call them `what`.
    pub fn array<const BYTES: usize>(
        &mut self,
        what: &'static str,
    ) -> Result<[u8; BYTES], FileError> {
        let mut bytes = [0; BYTES];
        self.fill(&mut bytes, what)?;
        Ok(bytes)
    }

    /// Ends a record: reads its checksum, verifies and returns it.
    pub fn checksum(&mut self) -> Result<[u8; CHECKSUM_BYTES], FileError> {
        let at = self.at;
        let mut checksum = [0; CHECKSUM_BYTES];
        self.read_into(&mut checksum, "a checksum")?;
        // Hashes compare in constant time.
        if self.hasher.finalize() != checksum {
            return Err(FileError::Checksum { at });
        }
        Ok(checksum)
    }

    /// Returns an error about the last `bytes` bytes read.
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
