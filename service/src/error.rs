// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The errors of starting a server.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use halimede_ckks::FileError;
use halimede_ckks_nn::NetworkError;

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
    /// A network cannot be read or compiled.
    #[error("{path}: {reason}", path = path.display())]
    Network {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
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

impl ClientError {
    /// Returns the error for an interface of the standard library.
    pub(crate) fn into_io(self) -> io::Error {
        match self {
            Self::Connection(error) => error,
            other => io::Error::new(io::ErrorKind::InvalidData, other.to_string()),
        }
    }
}

/// The reason why a network has no output for an input.
#[derive(Debug, thiserror::Error)]
pub enum InferenceError {
    /// The service refused, or the connection failed.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// The input cannot be encrypted, or the result cannot be decrypted.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// The interface or the result is not a valid file.
    #[error("the file from the service: {0}")]
    File(#[from] FileError),
    /// The run failed, or was cancelled.
    #[error("the run {run} has no result: {reason}")]
    NoResult {
        /// The name of the run.
        run: String,
        /// The reason.
        reason: String,
    },
}
