// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A card that listens on a Unix stream socket.

use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::sockopt::{set_socket_timeout, Timeout};
use rustix::net::{connect, socket_with, AddressFamily, SocketAddrUnix, SocketFlags, SocketType};

use super::polled::PolledPipe;
use super::Transport;
use crate::error::CardError;

/// A connection to a simulated card that is already running.
#[derive(Debug)]
pub struct Socket {
    pipe: PolledPipe,
}

impl Socket {
    /// Connects to the socket at `path`, within `limit`.
    ///
    /// # Errors
    /// [`CardError::Io`] if nothing listens on the socket, [`CardError::TimedOut`] if the server
    /// does not accept the connection because it serves another client.
    pub fn connect(path: &Path, limit: Duration) -> Result<Self, CardError> {
        let connected = || -> Result<OwnedFd, Errno> {
            let (family, flags) = (AddressFamily::UNIX, SocketFlags::CLOEXEC);
            let socket = socket_with(family, SocketType::STREAM, flags, None)?;
            // A timeout of zero would mean no limit.
            let limit = limit.max(Duration::from_millis(1));
            // For a Unix socket, this bounds the wait for a place in the listener's queue.
            set_socket_timeout(&socket, Timeout::Send, Some(limit))?;
            connect(&socket, &SocketAddrUnix::new(path)?)?;
            Ok(socket)
        };
        match connected() {
            Ok(socket) => Ok(Self { pipe: PolledPipe::new(socket, path.to_owned())? }),
            Err(Errno::AGAIN) => {
                let awaited = format!("connection to {}", path.display());
                Err(CardError::TimedOut { awaited, limit })
            }
            Err(error) => Err(CardError::io("connect to", path, error)),
        }
    }

    /// Uses a connected stream. `path` is its name in messages.
    ///
    /// # Errors
    /// [`CardError::Io`] if the stream cannot be made non-blocking.
    pub fn from_stream(stream: UnixStream, path: impl Into<PathBuf>) -> Result<Self, CardError> {
        Ok(Self { pipe: PolledPipe::new(OwnedFd::from(stream), path.into())? })
    }
}

impl Transport for Socket {
    fn exchange(
        &mut self,
        outgoing: &[u8],
        incoming: &mut Vec<u8>,
        limit: Duration,
    ) -> Result<usize, CardError> {
        self.pipe.exchange(outgoing, incoming, limit)
    }
}
