// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The character devices of a driver, or replacements with the same rules.

use std::fmt::Debug;
use std::fs::{metadata, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::{fcntl_getfl, fcntl_setfl, fstat, FileType, OFlags};
use rustix::io::Errno;

use super::polled::set_nonblocking;

/// The mode in which a stream is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenMode {
    /// The stream to the card.
    Write,
    /// The stream from the card. A read ends when its buffer is full.
    Read,
    /// The stream from the card. A read also ends at the end of a packet (`O_TRUNC`).
    ReadPackets,
}

/// Opens the devices of a driver.
pub trait Driver {
    /// Opens a device.
    ///
    /// # Errors
    /// An error of the operating system.
    fn open(&self, path: &Path, mode: OpenMode) -> io::Result<Box<dyn DeviceFile>>;
}

/// An open device.
pub trait DeviceFile: Send + Debug {
    /// Reads, and returns the number of bytes.
    ///
    /// # Errors
    /// An error of the driver.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize>;

    /// Writes, and returns the number of bytes.
    ///
    /// # Errors
    /// An error of the driver.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize>;

    /// Returns the descriptor on which poll(2) waits for the device. `None`: the driver waits
    /// inside of reads and writes, and poll(2) tells nothing.
    fn pollable(&self) -> Option<BorrowedFd<'_>>;
}

/// The devices of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct System;

impl Driver for System {
    fn open(&self, path: &Path, mode: OpenMode) -> io::Result<Box<dyn DeviceFile>> {
        let kind = metadata(path)?.file_type();
        // O_TRUNC would empty a regular file.
        if !(kind.is_char_device() || kind.is_fifo()) {
            let reason = "neither a character device nor a pipe";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
        }
        // A FIFO would otherwise wait for a peer.
        let flags = match mode {
            OpenMode::ReadPackets => OFlags::NONBLOCK | OFlags::TRUNC,
            OpenMode::Read | OpenMode::Write => OFlags::NONBLOCK,
        };
        let writes = mode == OpenMode::Write;
        // The bits fit: the flags are below 2¹⁶.
        let flags = flags.bits() as i32;
        let file = OpenOptions::new().read(!writes).write(writes).custom_flags(flags).open(path)?;
        Ok(Box::new(SystemFile::new(file)?))
    }
}

/// A file of this machine.
#[derive(Debug)]
pub(crate) struct SystemFile {
    file: File,
    is_pollable: bool,
}

impl SystemFile {
    /// Makes reads and writes of a device blocking, because its driver waits in them. Pipes and
    /// sockets that replace a device in tests become non-blocking, since poll(2) waits for them.
    pub fn new(file: File) -> Result<Self, Errno> {
        let kind = FileType::from_raw_mode(fstat(&file)?.st_mode);
        let is_pollable = matches!(kind, FileType::Fifo | FileType::Socket);
        if is_pollable {
            set_nonblocking(&file)?;
        } else {
            fcntl_setfl(&file, fcntl_getfl(&file)? - OFlags::NONBLOCK)?;
        }
        Ok(Self { file, is_pollable })
    }
}

impl DeviceFile for SystemFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.file.read(buffer)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn pollable(&self) -> Option<BorrowedFd<'_>> {
        self.is_pollable.then(|| self.file.as_fd())
    }
}
