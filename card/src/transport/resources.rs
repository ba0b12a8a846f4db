// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The resources of a PCI function as a bus: the files `resource0` (the card's registers) and
//! `resource4` (its rings) in the folder that Linux has for the function, such as
//! `/sys/bus/pci/devices/0000:34:00.0`.
//!
//! The rings are mapped through `resource4_wc` if it exists: the processor then combines stores to
//! a line into one transfer, in any order. The control window is never combined. `resource0` may be
//! missing.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::fs::{flock, FlockOperation};
use rustix::io::Errno;

use super::bus::{Bus, ControlWord, WINDOW_BYTES};
use super::memory::{fence, Memory};
use super::registers::{open, RegisterWindow};
use crate::error::CardError;

const REQUESTS: u64 = 0;
const REPLIES: u64 = 0x1_0000;
const CONTROL: u64 = 0x2_0000;
/// The mapped bytes of the control window: a page.
const CONTROL_BYTES: usize = 0x1000;

/// The folder in which Linux has a folder for each PCI function.
const FUNCTIONS: &str = "/sys/bus/pci/devices";

/// The pause between two attempts to open a function that is in use.
const REOPEN_PAUSE: Duration = Duration::from_millis(10);

/// The mapped resources of a PCI function. Only one process at a time has them.
#[derive(Debug)]
pub struct Resources {
    requests: Memory,
    replies: Memory,
    control: Memory,
    /// Holds the lock.
    _file: File,
}

impl Resources {
    /// Returns the folder of a function: its address, such as `0000:34:00.0` or `34:00.0`, or the
    /// path of a folder.
    pub fn folder(function: &str) -> PathBuf {
        let functions = Path::new(FUNCTIONS);
        match function.split(':').count() {
            _ if function.contains('/') => function.into(),
            2 => functions.join(format!("0000:{function}")),
            _ => functions.join(function),
        }
    }

    /// Maps the resources in a folder, and waits at most `limit` for an earlier user.
    ///
    /// # Errors
    /// [`CardError::NotFound`] if the function does not exist, [`CardError::Io`] if its resources
    /// cannot be mapped or are in use.
    pub fn open(folder: &Path, limit: Duration) -> Result<Self, CardError> {
        let path = folder.join("resource4");
        if !path.exists() {
            return Err(CardError::NotFound {
                what: path.display().to_string(),
                hint: "load the card's image (fpga-load-local-image) and give the address of its \
                       PCI function, such as f2:0000:34:00.0"
                    .into(),
            });
        }
        let file = open(&path)?;
        lock(&file, limit).map_err(|error| CardError::io("open", &path, error))?;
        let map = |file: &File, path: &Path, offset: u64, bytes: usize| {
            Memory::map(file, offset, bytes).map_err(|error| CardError::io("open", path, error))
        };
        let control = map(&file, &path, CONTROL, CONTROL_BYTES)?;
        let combining = folder.join("resource4_wc");
        let (requests, replies) = if combining.exists() {
            let file = open(&combining)?;
            let window = |offset| map(&file, &combining, offset, WINDOW_BYTES);
            (window(REQUESTS)?, window(REPLIES)?)
        } else {
            let window = |offset| map(&file, &path, offset, WINDOW_BYTES);
            (window(REQUESTS)?, window(REPLIES)?)
        };
        Ok(Self { requests, replies, control, _file: file })
    }

    /// Maps the registers in a folder, if the function has them.
    ///
    /// # Errors
    /// [`CardError::Io`] if they cannot be mapped.
    pub fn registers(folder: &Path) -> Result<Option<RegisterWindow>, CardError> {
        let path = folder.join("resource0");
        path.exists().then(|| RegisterWindow::map(path)).transpose()
    }
}

/// Locks a file for this process: two users of the rings would overwrite each other's positions.
fn lock(file: &File, limit: Duration) -> io::Result<()> {
    let start = Instant::now();
    loop {
        match flock(file, FlockOperation::NonBlockingLockExclusive) {
            Err(Errno::WOULDBLOCK) if start.elapsed() < limit => sleep(REOPEN_PAUSE),
            Err(Errno::WOULDBLOCK) => {
                let reason = "another process or device uses the card";
                return Err(io::Error::new(io::ErrorKind::ResourceBusy, reason));
            }
            other => return Ok(other?),
        }
    }
}

impl Bus for Resources {
    fn read_control(&mut self, first: ControlWord) -> [u32; 2] {
        self.control.read_words(first.offset())
    }

    fn write_control(&mut self, word: ControlWord, value: u32) {
        // The stores and loads of the lines to which the position refers come first.
        fence();
        self.control.write_word(word.offset(), value);
    }

    fn write_requests(&mut self, offset: usize, lines: &[u8]) {
        self.requests.write_lines(offset, lines);
    }

    fn read_replies(&mut self, offset: usize, lines: &mut [u8]) {
        fence();
        self.replies.read_lines(offset, lines);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_folders_of_functions() {
        let folder = |function| Resources::folder(function).display().to_string();
        assert_eq!(folder("0000:34:00.0"), "/sys/bus/pci/devices/0000:34:00.0");
        assert_eq!(folder("34:00.0"), "/sys/bus/pci/devices/0000:34:00.0");
        assert_eq!(folder("0001:34:00.1"), "/sys/bus/pci/devices/0001:34:00.1");
        assert_eq!(folder("/run/card"), "/run/card");
        assert_eq!(folder("./a:b"), "./a:b");
        assert_eq!(folder("34"), "/sys/bus/pci/devices/34");
    }
}
