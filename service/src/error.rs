// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Errors of a server that does not start, and of a client.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// Why a server does not start.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address is reached from other machines, and there are no tokens.
    #[error(
        "{address} is reached from other machines, and there are no tokens: give a file of tokens \
         (--tokens), listen on 127.0.0.1, or say that anyone may use the server (--allow-anyone)"
    )]
    Open {
        /// The address.
        address: SocketAddr,
    },
    /// The address cannot be listened on.
    #[error("{address} cannot be listened on: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The cause.
        source: io::Error,
    },
    /// The file of tokens.
    #[error("{path}: {reason}", path = path.display())]
    Tokens {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The certificate, or its key.
    #[error("{path}: {reason}", path = path.display())]
    Tls {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The folder of objects.
    #[error("{path}: {source}", path = path.display())]
    Store {
        /// The folder.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The system has no threads, signals or sockets left.
    #[error("the server cannot be started: {0}")]
    System(#[from] io::Error),
}

/// Why a client has no answer.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The connection.
    #[error("the connection failed: {0}")]
    Connection(#[from] io::Error),
    /// What the client should trust.
    #[error("nobody can be trusted by that: {0}")]
    Trust(String),
    /// The server refused.
    #[error("the server refused ({status}, {code}): {message}")]
    Refused {
        /// The status of HTTP.
        status: u16,
        /// The word for programs.
        code: String,
        /// The sentence for people.
        message: String,
        /// When to try again.
        retry_after: Option<Duration>,
    },
    /// The answer is not one of this service.
    #[error("the answer is not one of Halimede's service: {0}")]
    Answer(String),
}
