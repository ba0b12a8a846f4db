// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A card behind the Xilinx XDMA driver: three character devices with a common prefix.
//!
//! `<prefix>_h2c_0` is the stream to the card, `<prefix>_c2h_0` is the stream from it, and
//! `<prefix>_user` is the window to its AXI4-Lite registers.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::OFlags;

use super::threaded::ThreadedPipe;
use super::Transport;
use crate::error::CardError;

/// A card behind XDMA character devices, or behind files, pipes or sockets that replace them.
#[derive(Debug)]
pub struct Xdma {
    pipe: ThreadedPipe,
    registers: Option<RegisterWindow>,
}

impl Xdma {
    /// Opens the three devices of a prefix such as `/dev/xdma0`. The register window may be
    /// missing; registers are then accessed through the stream.
    ///
    /// # Errors
    /// [`CardError::NotFound`] if the devices do not exist, [`CardError::Io`] if they cannot be
    /// opened.
    pub fn open(prefix: &Path) -> Result<Self, CardError> {
        let (to_card, from_card) = (with_suffix(prefix, "_h2c_0"), with_suffix(prefix, "_c2h_0"));
        for path in [&to_card, &from_card] {
            if !path.exists() {
                return Err(CardError::NotFound {
                    what: path.display().to_string(),
                    hint: "load the xdma driver and give the prefix of its devices, \
                           such as /dev/xdma0"
                        .into(),
                });
            }
        }
        let window = with_suffix(prefix, "_user");
        let registers = if window.exists() { Some(RegisterWindow::open(window)?) } else { None };
        let reader = open_stream(OpenOptions::new().read(true), &from_card)?;
        let writer = open_stream(OpenOptions::new().write(true), &to_card)?;
        Self::from_files((writer, to_card), (reader, from_card), registers)
    }

    /// Uses open files. The paths are their names in messages.
    ///
    /// # Errors
    /// [`CardError::Io`] if the threads that serve the files cannot be started.
    pub fn from_files(
        to_card: (File, PathBuf),
        from_card: (File, PathBuf),
        registers: Option<RegisterWindow>,
    ) -> Result<Self, CardError> {
        Ok(Self { pipe: ThreadedPipe::new(to_card, from_card)?, registers })
    }
}

/// Opens without a wait for a peer, which a FIFO would require.
fn open_stream(options: &mut OpenOptions, path: &Path) -> Result<File, CardError> {
    // The flag's bits fit: the value is 0o4000.
    let flags = OFlags::NONBLOCK.bits() as i32;
    options.custom_flags(flags).open(path).map_err(|error| CardError::io("open", path, error))
}

pub(super) fn with_suffix(prefix: &Path, suffix: &str) -> PathBuf {
    let mut path = prefix.as_os_str().to_owned();
    path.push(suffix);
    path.into()
}

impl Transport for Xdma {
    fn exchange(
        &mut self,
        outgoing: &[u8],
        incoming: &mut Vec<u8>,
        limit: Duration,
    ) -> Result<usize, CardError> {
        self.pipe.exchange(outgoing, incoming, limit)
    }

    fn register_window(&self) -> Option<&RegisterWindow> {
        self.registers.as_ref()
    }
}

/// The card's AXI4-Lite registers as a file: 32-bit words at their byte addresses.
#[derive(Debug)]
pub struct RegisterWindow {
    file: File,
    path: PathBuf,
}

impl RegisterWindow {
    /// Opens the window.
    ///
    /// # Errors
    /// [`CardError::Io`].
    pub fn open(path: PathBuf) -> Result<Self, CardError> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .open(&path)
            .map_err(|error| CardError::io("open", &path, error))?;
        Ok(Self { file, path })
    }

    /// Reads the word at a byte address.
    ///
    /// # Errors
    /// [`CardError::Io`].
    pub fn read(&self, address: u32) -> Result<u32, CardError> {
        let mut word = [0; 4];
        self.file
            .read_exact_at(&mut word, u64::from(address))
            .map_err(|error| CardError::io("read a register of", &self.path, error))?;
        Ok(u32::from_le_bytes(word))
    }

    /// Writes the word at a byte address.
    ///
    /// # Errors
    /// [`CardError::Io`].
    pub fn write(&self, address: u32, value: u32) -> Result<(), CardError> {
        self.file
            .write_all_at(&value.to_le_bytes(), u64::from(address))
            .map_err(|error| CardError::io("write a register of", &self.path, error))
    }
}
