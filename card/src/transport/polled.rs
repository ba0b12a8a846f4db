// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A byte pipe over descriptors that support poll(2): sockets and serial lines.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;
use std::time::Duration;

use rustix::event::{poll, PollFd, PollFlags, Timespec};
use rustix::fs::{fcntl_getfl, fcntl_setfl, fstat, FileType, OFlags};
use rustix::io::Errno;
use rustix::net::SendFlags;

use super::CHUNK_BYTES;
use crate::error::CardError;

/// Both directions of one descriptor. Only poll(2) blocks.
#[derive(Debug)]
pub(crate) struct PolledPipe {
    descriptor: OwnedFd,
    /// Sockets are written such that a closed peer does not raise SIGPIPE.
    is_socket: bool,
    path: PathBuf,
    buffer: Vec<u8>,
}

impl PolledPipe {
    /// Uses a descriptor. `path` is its name in messages.
    pub fn new(descriptor: OwnedFd, path: PathBuf) -> Result<Self, CardError> {
        let prepare = || -> Result<bool, Errno> {
            set_nonblocking(&descriptor)?;
            let mode = fstat(&descriptor)?.st_mode;
            Ok(FileType::from_raw_mode(mode) == FileType::Socket)
        };
        let is_socket = prepare().map_err(|error| CardError::io("open", &path, error))?;
        Ok(Self { descriptor, is_socket, path, buffer: vec![0; CHUNK_BYTES] })
    }

    /// Returns the descriptor.
    pub fn descriptor(&self) -> impl AsFd + '_ {
        self.descriptor.as_fd()
    }

    /// See [`super::Transport::exchange`].
    pub fn exchange(
        &mut self,
        outgoing: &[u8],
        incoming: &mut Vec<u8>,
        limit: Duration,
    ) -> Result<usize, CardError> {
        let interest =
            if outgoing.is_empty() { PollFlags::IN } else { PollFlags::IN | PollFlags::OUT };
        let Some(ready) = wait(&self.descriptor, interest, limit)
            .map_err(|error| CardError::io("wait for", &self.path, error))?
        else {
            return Ok(0);
        };
        let mut gone = ready.intersects(PollFlags::HUP | PollFlags::ERR);
        let mut sent = 0;
        if ready.intersects(PollFlags::OUT) && !outgoing.is_empty() {
            match self.write(outgoing) {
                Ok(count) => sent = count,
                // Replies may still be waiting: the reading side notices when all are received.
                Err(_) => gone = true,
            }
        }
        if gone || ready.intersects(PollFlags::IN) {
            let received = self.read(incoming)?;
            if gone && received == 0 {
                return Err(CardError::hung_up());
            }
        }
        Ok(sent)
    }

    fn write(&self, outgoing: &[u8]) -> Result<usize, Errno> {
        let written = if self.is_socket {
            rustix::net::send(&self.descriptor, outgoing, SendFlags::NOSIGNAL)
        } else {
            rustix::io::write(&self.descriptor, outgoing)
        };
        match written {
            Err(Errno::AGAIN | Errno::INTR) => Ok(0),
            other => other,
        }
    }

    /// Reads the available bytes, and returns their number.
    fn read(&mut self, incoming: &mut Vec<u8>) -> Result<usize, CardError> {
        match rustix::io::read(&self.descriptor, &mut self.buffer[..]) {
            Ok(0) | Err(Errno::CONNRESET | Errno::PIPE | Errno::IO) => Err(CardError::hung_up()),
            Ok(count) => {
                incoming.extend_from_slice(&self.buffer[..count]);
                Ok(count)
            }
            Err(Errno::AGAIN | Errno::INTR) => Ok(0),
            Err(error) => Err(CardError::io("read from", &self.path, error)),
        }
    }
}

/// Makes reads and writes return at once.
pub(crate) fn set_nonblocking(descriptor: impl AsFd) -> Result<(), Errno> {
    let flags = fcntl_getfl(&descriptor)?;
    fcntl_setfl(&descriptor, flags | OFlags::NONBLOCK)
}

/// Waits until the descriptor is ready for `interest`. Returns `None` when `limit` passed or a
/// signal arrived.
pub(crate) fn wait(
    descriptor: impl AsFd,
    interest: PollFlags,
    limit: Duration,
) -> io::Result<Option<PollFlags>> {
    let mut descriptors = [PollFd::new(&descriptor, interest)];
    match poll(&mut descriptors, Some(&timespec(limit))) {
        Ok(0) | Err(Errno::INTR) => Ok(None),
        Ok(_) => Ok(Some(descriptors[0].revents())),
        Err(error) => Err(error.into()),
    }
}

/// Converts a duration for poll(2); at most a day.
pub(crate) fn timespec(limit: Duration) -> Timespec {
    const DAY_S: u64 = 86_400;
    let limit = limit.min(Duration::from_secs(DAY_S));
    // Both parts fit: less than 86,401 and less than 10⁹.
    Timespec { tv_sec: limit.as_secs() as i64, tv_nsec: i64::from(limit.subsec_nanos()) }
}
