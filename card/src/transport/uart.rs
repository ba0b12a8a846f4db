// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A card behind a serial line: the two byte streams and nothing else.

use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::Duration;

use rustix::fs::{open, Mode, OFlags};
use rustix::termios::{isatty, tcflush, tcgetattr, tcsetattr, OptionalActions, QueueSelector};

use super::polled::PolledPipe;
use super::Transport;
use crate::error::CardError;

/// Bits per second where the user names none.
pub const DEFAULT_BAUD: u32 = 921_600;

/// Bits on the line for one byte: start, eight data, stop.
const BITS_PER_BYTE: u64 = 10;

/// Bytes of requests that may be without a reply. The line cannot hold the host back, so the card
/// has room for them, and for as many again (`card/rtl/uart_link.sv`).
pub const WINDOW_BYTES: usize = 8192;

/// A serial line in raw mode, eight data bits, no parity, one stop bit, no flow control.
#[derive(Debug)]
pub struct Uart {
    pipe: PolledPipe,
    baud: u32,
}

impl Uart {
    /// Opens the line at `path` and sets it to `baud` bits per second. A path that is not a
    /// terminal (a FIFO or a pseudo-device that stands in) is used as it is.
    ///
    /// # Errors
    /// [`CardError::Io`] where there is no such device or it does not take the rate.
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
    // Neither waits for what an earlier user of the line left in it.
    tcflush(line, QueueSelector::IOFlush)?;
    tcsetattr(line, OptionalActions::Now, &settings)
}

impl Drop for Uart {
    fn drop(&mut self) {
        // A close would wait, half a minute by default, for a line that takes nothing. What is no
        // terminal refuses this, and needs it not.
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
