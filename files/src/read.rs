// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Inputs with limits, and files that must not change while they are read.

use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use zeroize::Zeroizing;

use crate::error::{Changed, TooLong};

/// The bytes that are allocated first for a secret.
const SECRET_BYTES: usize = 1 << 16;

/// Reads a reader to its end.
///
/// # Errors
/// Errors of the reader, and [`ErrorKind::FileTooLarge`] with [`TooLong`] if there are more bytes
/// than the limit.
pub fn read_to_limit(input: impl Read, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > limit {
        true => Err(io::Error::new(ErrorKind::FileTooLarge, TooLong { limit })),
        false => Ok(bytes),
    }
}

/// Reads a reader to its end, as [`read_to_limit`] does, into memory that is overwritten when it is
/// dropped.
///
/// # Errors
/// As [`read_to_limit`].
pub fn read_secret_to_limit(mut input: impl Read, limit: u64) -> io::Result<Zeroizing<Vec<u8>>> {
    let mut bytes = Zeroizing::new(Vec::with_capacity(SECRET_BYTES));
    loop {
        let room = bytes.capacity() - bytes.len();
        let read = input.by_ref().take(room as u64).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > limit {
            return Err(io::Error::new(ErrorKind::FileTooLarge, TooLong { limit }));
        }
        if read < room {
            return Ok(bytes);
        }
        // A list that grows by itself would leave a copy behind.
        let mut larger = Zeroizing::new(Vec::with_capacity(2 * bytes.capacity()));
        larger.extend_from_slice(&bytes);
        bytes = larger;
    }
}

/// Reads the content of a file into memory that is overwritten when it is dropped.
///
/// # Errors
/// As [`read_limited`].
pub fn read_secret(path: &Path, limit: u64) -> io::Result<Zeroizing<Vec<u8>>> {
    read_secret_to_limit(Steady::new(File::open(path)?)?, limit)
}

/// Reads the content of a file.
///
/// # Errors
/// As [`read_to_limit`], and if a regular file changes meanwhile.
pub fn read_limited(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    read_to_limit(Steady::new(File::open(path)?)?, limit)
}

/// A reader of a file from its beginning to its end. It fails at the end if a regular file was
/// truncated or grew while it was read.
#[derive(Debug)]
pub struct Steady {
    file: File,
    start: Start,
    read: u64,
}

/// The state of a file when it was opened.
#[derive(Clone, Copy, Debug)]
pub struct Start {
    is_regular: bool,
    length: u64,
    modified: Option<std::time::SystemTime>,
}

impl Start {
    /// Takes the state from a file's metadata.
    pub fn new(metadata: &Metadata) -> Self {
        let modified = metadata.modified().ok();
        Self { is_regular: metadata.is_file(), length: metadata.len(), modified }
    }

    /// Checks that a regular file that was read to its end has not changed. It has changed if its
    /// length differs, or if it was written to and the number of bytes read differs from its
    /// length. Files of the kernel report arbitrary lengths, which do not change.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidData`] with [`Changed`], and if the metadata cannot be read.
    pub fn check(&self, file: &File, read: u64) -> io::Result<()> {
        if !self.is_regular {
            return Ok(());
        }
        let now = Self::new(&file.metadata()?);
        let before = self.length;
        let after = if now.length == before { read } else { now.length };
        let is_changed = now.length != before || read != before && now.modified != self.modified;
        match is_changed {
            true => Err(io::Error::new(ErrorKind::InvalidData, Changed { before, after })),
            false => Ok(()),
        }
    }
}

impl Steady {
    /// Creates a reader. The file must be at its first byte.
    ///
    /// # Errors
    /// If the metadata cannot be read.
    pub fn new(file: File) -> io::Result<Self> {
        let start = Start::new(&file.metadata()?);
        Ok(Self { file, start, read: 0 })
    }
}

impl Read for Steady {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let got = self.file.read(buffer)?;
        self.read += got as u64;
        if got == 0 && !buffer.is_empty() {
            self.start.check(&self.file, self.read)?;
        }
        Ok(got)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_limit_is_the_last_length_that_is_read() {
        for limit in [0u64, 1, 17, 4096] {
            let bytes: Vec<u8> = (0..limit).map(|at| (at % 251) as u8).collect();
            assert_eq!(read_to_limit(&bytes[..], limit).unwrap(), bytes);
            assert_eq!(*read_secret_to_limit(&bytes[..], limit).unwrap(), bytes);
            let error = read_to_limit(&[&bytes[..], b"x"].concat()[..], limit).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::FileTooLarge);
            assert!(error.to_string().contains(&format!("more than {limit} bytes")), "{error}");
        }
        let error = read_limited(Path::new("/dev/zero"), 1 << 16).unwrap_err();
        assert!(error.to_string().contains("more than 65536 bytes"), "{error}");
    }

    /// A reader that gives its bytes in pieces of one to 999.
    struct InPieces<'a>(&'a [u8]);

    impl Read for InPieces<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let piece = buffer.len().min(1 + self.0.len() % 999);
            self.0.read(&mut buffer[..piece])
        }
    }

    #[test]
    fn secrets_are_read_whole_whatever_the_pieces() {
        let lengths = [-1i64, 0, 1].map(|more| (SECRET_BYTES as i64 + more) as usize);
        for length in lengths.into_iter().chain([0, 1, 5 * SECRET_BYTES + 3]) {
            let bytes: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
            let limit = length as u64;
            assert_eq!(*read_secret_to_limit(InPieces(&bytes), limit).unwrap(), bytes, "{length}");
            if let Some(less) = limit.checked_sub(1) {
                let error = read_secret_to_limit(InPieces(&bytes), less).unwrap_err();
                assert_eq!(error.kind(), ErrorKind::FileTooLarge, "{length}");
            }
        }
        let error = read_secret(Path::new("/dev/zero"), 1 << 20).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::FileTooLarge);
    }

    #[test]
    fn files_that_change_are_refused_and_files_of_the_kernel_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let content: Vec<u8> = (0..10_000u32).map(|at| (at % 251) as u8).collect();
        for change in [-1i64, 1, -10_000, 5_000, 0] {
            std::fs::write(&path, &content).unwrap();
            let mut file = Steady::new(File::open(&path).unwrap()).unwrap();
            let mut first = [0; 100];
            file.read_exact(&mut first).unwrap();
            let changed = File::options().write(true).open(&path).unwrap();
            changed.set_len((10_000 + change) as u64).unwrap();
            let read = read_to_limit(file, 1 << 20);
            match change {
                0 => assert_eq!(read.unwrap(), content[100..]),
                _ => {
                    let text = read.unwrap_err().to_string();
                    assert!(text.contains("had 10000 bytes"), "{text}");
                }
            }
        }
        // Truncated, read to the end, and as long as before at the time of the check.
        std::fs::write(&path, &content).unwrap();
        let start = Start::new(&std::fs::metadata(&path).unwrap());
        let mut file = File::options().read(true).write(true).open(&path).unwrap();
        file.write_all(b"changed").unwrap();
        file.set_modified(std::time::UNIX_EPOCH).unwrap();
        assert!(start.check(&file, 9_000).is_err());
        for path in ["/proc/self/status", "/proc/cpuinfo"] {
            if Path::new(path).exists() {
                assert!(!read_limited(Path::new(path), 1 << 24).unwrap().is_empty());
            }
        }
    }
}
