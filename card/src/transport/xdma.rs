// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A card behind the Xilinx XDMA driver: character devices with a common prefix.
//!
//! `<prefix>_h2c_0` is the stream to the card, `<prefix>_c2h_0` is the stream from it,
//! `<prefix>_events_1` is readable after an interrupt for replies, and `<prefix>_user` is the
//! window to the card's AXI4-Lite registers. The last two may be missing.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::device::{DeviceFile, Driver, OpenMode, System, SystemFile};
use super::threaded::{Devices, ThreadedPipe};
use super::{RegisterWindow, Transport};
use crate::error::CardError;

/// The pause between two attempts to open a stream that is in use.
const REOPEN_PAUSE: Duration = Duration::from_millis(10);

/// A card behind XDMA character devices, or behind files, pipes or sockets that replace them.
#[derive(Debug)]
pub struct Xdma {
    pipe: ThreadedPipe,
    registers: Option<RegisterWindow>,
}

impl Xdma {
    /// Opens the devices of a prefix such as `/dev/xdma0`, and waits at most `limit` for an earlier
    /// user of the card. Without a register window, registers are accessed through the stream.
    ///
    /// # Errors
    /// [`CardError::NotFound`] if the devices do not exist, [`CardError::Io`] if they cannot be
    /// opened.
    pub fn open(prefix: &Path, limit: Duration) -> Result<Self, CardError> {
        Self::open_with(&System, prefix, limit)
    }

    /// Opens the devices of a prefix with a driver.
    ///
    /// The stream from the card has one user at a time. An earlier user in this process keeps it
    /// until the driver has ended the last read, so an open waits for at most `limit`.
    ///
    /// # Errors
    /// See [`Self::open`].
    pub fn open_with(
        driver: &dyn Driver,
        prefix: &Path,
        limit: Duration,
    ) -> Result<Self, CardError> {
        let (to_card, from_card) = (with_suffix(prefix, "_h2c_0"), with_suffix(prefix, "_c2h_0"));
        let events = with_suffix(prefix, "_events_1");
        let window = with_suffix(prefix, "_user");
        let registers = if window.exists() { Some(RegisterWindow::open(window)?) } else { None };
        let writer = open_stream(driver, &to_card, OpenMode::Write)?;
        let start = Instant::now();
        let reader = loop {
            match open_stream(driver, &from_card, OpenMode::ReadPackets) {
                Err(error) if is_in_use(&error) && start.elapsed() < limit => sleep(REOPEN_PAUSE),
                other => break other?,
            }
        };
        let events = match driver.open(&events, OpenMode::Read) {
            Ok(file) => Some((file, events)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(CardError::io("open", events, error)),
        };
        let (to_card, from_card) = ((writer, to_card), (reader, from_card));
        Ok(Self { pipe: ThreadedPipe::new(Devices { to_card, from_card, events })?, registers })
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
        let open = |(file, path): (File, PathBuf)| match SystemFile::new(file) {
            Ok(file) => Ok((Box::new(file) as Box<dyn DeviceFile>, path)),
            Err(error) => Err(CardError::io("open", path, error)),
        };
        let (to_card, from_card) = (open(to_card)?, open(from_card)?);
        let devices = Devices { to_card, from_card, events: None };
        Ok(Self { pipe: ThreadedPipe::new(devices)?, registers })
    }
}

/// Opens a stream, with advice if it does not exist.
fn open_stream(
    driver: &dyn Driver,
    path: &Path,
    mode: OpenMode,
) -> Result<Box<dyn DeviceFile>, CardError> {
    driver.open(path, mode).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => CardError::NotFound {
            what: path.display().to_string(),
            hint: "load the xdma driver and give the prefix of its devices, such as /dev/xdma0"
                .into(),
        },
        _ => CardError::io("open", path, error),
    })
}

/// Returns `true` if another open of the stream has not ended (EBUSY).
fn is_in_use(error: &CardError) -> bool {
    matches!(error, CardError::Io { source, .. } if source.kind() == io::ErrorKind::ResourceBusy)
}

fn with_suffix(prefix: &Path, suffix: &str) -> PathBuf {
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
