// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The errors of starting a server.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// The reason why a server does not start.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Other machines can reach the address, but no tokens are configured.
    #[error(
        "other machines can reach {address}, but no tokens are configured: give a file of tokens \
         (--tokens), listen on 127.0.0.1, or allow anyone to use the server (--allow-anyone)"
    )]
    Open {
        /// The address.
        address: SocketAddr,
    },
    /// The server cannot listen on the address.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The cause.
        source: io::Error,
    },
    /// The file of tokens is refused.
    #[error("{path}: {reason}", path = path.display())]
    Tokens {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// The certificate or its key is refused.
    #[error("{path}: {reason}", path = path.display())]
    Tls {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// The folder of objects cannot be used.
    #[error("{path}: {source}", path = path.display())]
    Store {
        /// The folder.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The system has run out of threads, signals or sockets.
    #[error("the server cannot be started: {0}")]
    System(#[from] io::Error),
}

/// The reason why a request failed.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The connection failed.
    #[error("the connection failed: {0}")]
    Connection(#[from] io::Error),
    /// The certificates or the server name to trust are invalid.
    #[error("invalid certificates or server name: {0}")]
    Trust(String),
    /// The server refused.
    #[error("the server refused the request ({status}, {code}): {message}")]
    Refused {
        /// The HTTP status.
        status: u16,
        /// The word for programs.
        code: String,
        /// The sentence for people.
        message: String,
        /// The time after which to try again.
        retry_after: Option<Duration>,
    },
    /// The answer is not one of this service.
    #[error("the answer is not from a Halimede service: {0}")]
    Answer(String),
}
