// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Errors between host and card.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use halimede_arith::job::{Failure, FailureKind};

use crate::frame::FrameError;
use crate::spec;

/// The reason why a card could not be opened, or failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CardError {
    /// A file or program that the transport needs is not on this machine.
    #[error("{what} not found: {hint}")]
    NotFound {
        /// The missing item.
        what: String,
        /// Where it was expected, and what to do.
        hint: String,
    },
    /// A file or socket could not be opened, or the link broke.
    #[error("{action} {}: {source}", path.display())]
    Io {
        /// The attempted action as a verb: `open`, `connect to`, `write to`…
        action: &'static str,
        /// The file or socket.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The other end closed the link.
    #[error("the card hung up{}", detail(diagnosis))]
    HungUp {
        /// The last output of the other side, if any; otherwise empty.
        diagnosis: String,
    },
    /// Nothing arrived within the time limit.
    #[error("no {awaited} within {:.1} s", limit.as_secs_f64())]
    TimedOut {
        /// The awaited item.
        awaited: String,
        /// The time limit.
        limit: Duration,
    },
    /// The card's stream contains bytes that are not a frame.
    #[error("corrupt stream: {0}")]
    Frame(#[from] FrameError),
    /// A frame that is well-formed, but that the protocol does not allow here.
    #[error("unexpected frame: {0}")]
    Unexpected(String),
    /// A reply that cannot be the answer to its request.
    #[error("bad reply to request {request_index}: {reason}")]
    BadReply {
        /// The position of the request in its batch.
        request_index: usize,
        /// A sentence about the error.
        reason: String,
    },
    /// The card could not decode a frame, or lacks the engine for it.
    #[error("the card ignored a frame of {length} bytes with command {command:#010x}")]
    Ignored {
        /// The length word of the ignored header.
        length: u32,
        /// The command word of the ignored header.
        command: u32,
    },
    /// An engine of the card has failed and lost the requests in flight to it.
    #[error("the card's engine {engine} has failed: {reason}")]
    EngineFailed {
        /// The name of the engine.
        engine: String,
        /// A sentence about the reason.
        reason: String,
    },
    /// The card uses another version of the protocol.
    #[error(
        "the card uses protocol version {}.{}, this library {}.{}",
        got >> 16, got & 0xFFFF, spec::VERSION_MAJOR, spec::VERSION_MINOR
    )]
    Version {
        /// The card's version, `major << 16 | minor`.
        got: u32,
    },
    /// The card reports beats of an invalid size.
    #[error(
        "the card reports stream beats of {got} bytes; expected a power of two from \
         {} to {}",
        spec::ALIGNMENT_BYTES,
        spec::MAX_ALIGNMENT_BYTES
    )]
    StreamBytes {
        /// The reported bytes per beat.
        got: u32,
    },
    /// A register command was refused.
    #[error("register {address:#06x}: {reason}")]
    Register {
        /// The byte address.
        address: u32,
        /// The status as words.
        reason: String,
    },
    /// The caller interrupted the work.
    #[error("interrupted")]
    Interrupted,
    /// The card could not be resynchronized after an earlier failure.
    #[error("the card was given up after an earlier failure ({reason}); open it again")]
    GivenUp {
        /// The earlier failure.
        reason: String,
    },
}

impl CardError {
    /// Wraps an operating-system error.
    pub(crate) fn io(
        action: &'static str,
        path: impl Into<PathBuf>,
        source: impl Into<io::Error>,
    ) -> Self {
        Self::Io { action, path: path.into(), source: source.into() }
    }

    /// The error of a link that closed for an unknown reason.
    pub(crate) fn hung_up() -> Self {
        Self::HungUp { diagnosis: String::new() }
    }

    /// Returns `true` if a retry with a newly opened card may succeed.
    pub fn is_passing(&self) -> bool {
        let is_final =
            matches!(self, Self::Version { .. } | Self::StreamBytes { .. } | Self::Interrupted);
        !is_final && !self.is_unavailable()
    }

    /// Returns `true` if the card or its software is missing, rather than failing.
    pub fn is_unavailable(&self) -> bool {
        matches!(self, Self::NotFound { .. })
            || matches!(self, Self::Io { action: "open" | "connect to" | "start", .. })
    }
}

impl From<CardError> for Failure {
    fn from(error: CardError) -> Self {
        let kind = match &error {
            CardError::Interrupted => FailureKind::Interrupted,
            CardError::GivenUp { .. } => FailureKind::Final,
            _ => FailureKind::Passing,
        };
        Self { reason: error.to_string(), kind }
    }
}

fn detail(diagnosis: &str) -> String {
    match diagnosis.trim() {
        "" => String::new(),
        words => format!(" ({words})"),
    }
}
