// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Reads and hashes files and standard input, in bounded memory.

use std::fs::File;
use std::io::{self, stdin, ErrorKind, Read};
use std::path::Path;

use halimede_blake3::blake3::OutputReader;
use halimede_blake3::Mode;
use halimede_files::{Start, Steady};
use indicatif::ProgressBar;
use zeroize::Zeroizing;

use super::subtrees;
use crate::progress::bytes_bar;

/// The number of bytes read at once: enough work for all threads.
const BUFFER_BYTES: usize = 1 << 20;
/// The minimum number of bytes for several threads: below it, according to the crate `blake3`, they
/// do not help.
const PARALLEL_BYTES: usize = 128 << 10;
/// The minimum number of bytes for a progress bar.
const LONG_BYTES: u64 = 64 << 20;

/// Returns `true` if the path means standard input.
pub fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

/// Settings for reading inputs.
#[derive(Clone, Copy, Debug)]
pub struct Sources {
    /// The other use of standard input, if it is not an input.
    pub stdin_is: Option<&'static str>,
}

impl Sources {
    /// Hashes an input, and returns its number of bytes. Long inputs show a progress bar on a
    /// terminal.
    ///
    /// # Errors
    /// If the input cannot be read, or a regular file changes meanwhile.
    pub fn hash(&self, path: &Path, mode: &Mode) -> io::Result<(OutputReader, u64)> {
        if is_stdin(path) {
            self.check_stdin()?;
            return read(stdin().lock(), Bar::new(None), mode);
        }
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        let length = metadata.is_file().then_some(metadata.len());
        let bar = Bar::new(length);
        match length {
            Some(length) if length >= subtrees::LEAST_BYTES && !bar.is_wanted(length) => {
                let start = Start::new(&metadata);
                match subtrees::hash(&file, length, mode) {
                    Ok(hashed) => start.check(&file, length).map(|()| (hashed, length)),
                    Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
                        start.check(&file, 0)?;
                        // Files of the kernel may report any length.
                        read(file, bar, mode)
                    }
                    Err(error) => Err(error),
                }
            }
            _ => read(Steady::new(file)?, bar, mode),
        }
    }

    /// Reads an input of at most `limit` bytes.
    pub fn bytes(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        if is_stdin(path) {
            self.check_stdin()?;
            stdin().lock().take(limit + 1).read_to_end(&mut bytes)?;
        } else {
            File::open(path)?.take(limit + 1).read_to_end(&mut bytes)?;
        }
        if bytes.len() as u64 > limit {
            let reason = format!("a device accepts at most {limit} bytes; use --device cpu");
            return Err(io::Error::new(ErrorKind::FileTooLarge, reason));
        }
        Ok(bytes)
    }

    fn check_stdin(&self) -> io::Result<()> {
        match self.stdin_is {
            Some(other) => Err(io::Error::other(format!("standard input is the {other}"))),
            None => Ok(()),
        }
    }
}

/// A progress bar that appears when an input turns out to be long.
struct Bar {
    length: Option<u64>,
    done: u64,
    bar: Option<ProgressBar>,
}

impl Bar {
    fn new(length: Option<u64>) -> Self {
        Self { length, done: 0, bar: None }
    }

    /// Returns `true` if an input of this many bytes gets a visible bar.
    fn is_wanted(&self, bytes: u64) -> bool {
        bytes >= LONG_BYTES && !bytes_bar(self.length).is_hidden()
    }

    fn advance(&mut self, bytes: usize) {
        self.done += bytes as u64;
        if self.bar.is_none() && self.done.max(self.length.unwrap_or(0)) >= LONG_BYTES {
            self.bar = Some(bytes_bar(self.length));
        }
        if let Some(bar) = &self.bar {
            bar.set_position(self.done);
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Hashes a reader, a buffer at a time, with all threads.
fn read(mut input: impl Read, mut bar: Bar, mode: &Mode) -> io::Result<(OutputReader, u64)> {
    // The hasher holds the key.
    let mut hasher = Zeroizing::new(mode.hasher());
    let mut buffer = vec![0; BUFFER_BYTES];
    loop {
        let got = fill(&mut input, &mut buffer)?;
        let bytes = &buffer[..got];
        match got >= PARALLEL_BYTES {
            true => hasher.update_rayon(bytes),
            false => hasher.update(bytes),
        };
        bar.advance(got);
        if got < buffer.len() {
            return Ok((hasher.finalize_xof(), hasher.count()));
        }
    }
}

/// Reads until the buffer is full or the input ends.
fn fill(input: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut got = 0;
    while got < buffer.len() {
        match input.read(&mut buffer[got..]) {
            Ok(0) => break,
            Ok(more) => got += more,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(got)
}
