// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A card that listens on a Unix stream socket.

use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::polled::PolledPipe;
use super::Transport;
use crate::error::CardError;

/// A connection to a simulated card that is already running.
#[derive(Debug)]
pub struct Socket {
    pipe: PolledPipe,
}

impl Socket {
    /// Connects to the socket at `path`.
    ///
    /// # Errors
    /// [`CardError::Io`] where nothing listens there.
    pub fn connect(path: &Path) -> Result<Self, CardError> {
        let stream =
            UnixStream::connect(path).map_err(|error| CardError::io("connect to", path, error))?;
        Self::from_stream(stream, path)
    }

    /// Takes over a connected stream; `path` names it in messages.
    ///
    /// # Errors
    /// [`CardError::Io`] where it cannot be made non-blocking.
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
