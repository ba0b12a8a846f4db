// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A card behind a serial line, which carries only the two byte streams.

use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::Duration;

use rustix::fs::{open, Mode, OFlags};
use rustix::termios::{isatty, tcflush, tcgetattr, tcsetattr, OptionalActions, QueueSelector};

use super::polled::PolledPipe;
use super::Transport;
use crate::error::CardError;

/// The bit rate in bits per second, if the user gives none.
pub const DEFAULT_BAUD: u32 = 921_600;

/// The bits on the line for one byte: a start bit, eight data bits and a stop bit.
const BITS_PER_BYTE: u64 = 10;

/// The maximum bytes of unanswered requests. The line has no flow control, so the card has room for
/// twice this number of bytes (`card/rtl/uart_link.sv`).
pub const WINDOW_BYTES: usize = 8192;

/// A serial line in raw mode, eight data bits, no parity, one stop bit, no flow control.
#[derive(Debug)]
pub struct Uart {
    pipe: PolledPipe,
    baud: u32,
}

impl Uart {
    /// Opens the line at `path` and sets it to `baud` bits per second. A path that is not a
    /// terminal (a FIFO or a pseudo-device for tests) is used unchanged.
    ///
    /// # Errors
    /// [`CardError::Io`] if the device does not exist or does not support the rate.
    pub fn open(path: &Path, baud: u32) -> Result<Self, CardError> {
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let line =
            open(path, flags, Mode::empty()).map_err(|error| CardError::io("open", path, error))?;
        if isatty(&line) {
            set_raw(&line, baud)
                .map_err(|error| CardError::io("set the baud rate of", path, error))?;
        }
        Ok(Self { pipe: PolledPipe::new(line, path.to_owned())?, baud })
    }
}

fn set_raw(line: &OwnedFd, baud: u32) -> rustix::io::Result<()> {
    let mut settings = tcgetattr(line)?;
    settings.make_raw();
    settings.set_speed(baud)?;
    // Neither waits for bytes that an earlier user left in the line.
    tcflush(line, QueueSelector::IOFlush)?;
    tcsetattr(line, OptionalActions::Now, &settings)
}

impl Drop for Uart {
    fn drop(&mut self) {
        // A close would wait, half a minute by default, for a line that accepts no bytes. A file
        // that is not a terminal refuses the flush and does not need it.
        let _ = tcflush(self.pipe.descriptor(), QueueSelector::OFlush);
    }
}

impl Transport for Uart {
    fn exchange(
        &mut self,
        outgoing: &[u8],
        incoming: &mut Vec<u8>,
        limit: Duration,
    ) -> Result<usize, CardError> {
        self.pipe.exchange(outgoing, incoming, limit)
    }

    fn window_bytes(&self) -> Option<usize> {
        Some(WINDOW_BYTES)
    }

    fn can_slip(&self) -> bool {
        true
    }

    fn transfer_time(&self, bytes: usize) -> Duration {
        let bits = bytes as u64 * BITS_PER_BYTE;
        Duration::from_micros(bits * 1_000_000 / u64::from(self.baud.max(1)))
    }
}
