// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Parts of files, read sequentially and independently of each other.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicBool, Ordering};

/// A reader of a range of a file. It fails if the file ends before the range.
pub struct Range<'f> {
    file: &'f File,
    position: u64,
    end: u64,
    stop: &'f AtomicBool,
}

impl<'f> Range<'f> {
    /// The `length` bytes from `start` on. Reads fail once `stop` is set.
    pub fn new(file: &'f File, start: u64, length: u64, stop: &'f AtomicBool) -> Self {
        // Only a hint: without it, the kernel reads ahead less.
        let _ = rustix::fs::fadvise(file, start, None, rustix::fs::Advice::Sequential);
        Self { file, position: start, end: start + length, stop }
    }
}

impl Read for Range<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(io::Error::other("stopped"));
        }
        let rest = usize::try_from(self.end - self.position).unwrap_or(usize::MAX);
        let length = buffer.len().min(rest);
        if length == 0 {
            return Ok(0);
        }
        let got = self.file.read_at(&mut buffer[..length], self.position)?;
        if got == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        self.position += got as u64;
        Ok(got)
    }
}
