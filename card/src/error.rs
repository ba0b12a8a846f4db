// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Errors between host and card.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use halimede_arith::job::{Failure, FailureKind};

use crate::frame::FrameError;
use crate::spec;

/// Why a card could not be opened or failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CardError {
    /// Something that the transport needs is not on this machine.
    #[error("{what} not found: {hint}")]
    NotFound {
        /// What is missing.
        what: String,
        /// Where it was looked for and what to do.
        hint: String,
    },
    /// A file or socket could not be opened, or the link broke.
    #[error("{action} {}: {source}", path.display())]
    Io {
        /// What was tried, as a verb: `open`, `connect to`, `write to`…
        action: &'static str,
        /// Where.
        path: PathBuf,
        /// The operating system's answer.
        source: io::Error,
    },
    /// The other end closed the link.
    #[error("the card hung up{}", detail(diagnosis))]
    HungUp {
        /// Last words of the other side, where there are any; else empty.
        diagnosis: String,
    },
    /// Nothing arrived for too long.
    #[error("no {awaited} within {:.1} s", limit.as_secs_f64())]
    TimedOut {
        /// What was waited for.
        awaited: String,
        /// How long.
        limit: Duration,
    },
    /// The card's stream holds something that is no frame.
    #[error("corrupt stream: {0}")]
    Frame(#[from] FrameError),
    /// A frame that is well-formed but that the protocol does not allow here.
    #[error("unexpected frame: {0}")]
    Unexpected(String),
    /// A reply to one of our requests that cannot be its answer.
    #[error("bad reply to request {request_index}: {reason}")]
    BadReply {
        /// The request's place in its batch.
        request_index: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// The card could not decode a frame of ours, or lacks the engine for it.
    #[error("the card ignored a frame of {length} bytes with command {command:#010x}")]
    Ignored {
        /// Length word of the ignored header.
        length: u32,
        /// Command word of the ignored header.
        command: u32,
    },
    /// An engine of the card has failed, and has lost what was in flight to it.
    #[error("the card's engine {engine} has failed: {reason}")]
    EngineFailed {
        /// The engine's name.
        engine: String,
        /// Why, in words.
        reason: String,
    },
    /// The card speaks another version of the protocol.
    #[error(
        "the card speaks protocol version {}.{}, this library {}.{}",
        got >> 16, got & 0xFFFF, spec::VERSION_MAJOR, spec::VERSION_MINOR
    )]
    Version {
        /// `major << 16 | minor` of the card.
        got: u32,
    },
    /// The card's frames would begin where none can.
    #[error(
        "the card says that its stream has beats of {got} bytes, which is no power of two from \
         {} to {}",
        spec::ALIGNMENT_BYTES,
        spec::MAX_ALIGNMENT_BYTES
    )]
    StreamBytes {
        /// What it says.
        got: u32,
    },
    /// A register command was refused.
    #[error("register {address:#06x}: {reason}")]
    Register {
        /// Byte address.
        address: u32,
        /// The status in words.
        reason: String,
    },
    /// The caller interrupted the work.
    #[error("interrupted")]
    Interrupted,
    /// The card could not be brought back in step after an earlier failure.
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

    /// The link closed, with nothing known of the reason.
    pub(crate) fn hung_up() -> Self {
        Self::HungUp { diagnosis: String::new() }
    }

    /// Whether opening the card again may succeed.
    pub fn is_passing(&self) -> bool {
        let is_final =
            matches!(self, Self::Version { .. } | Self::StreamBytes { .. } | Self::Interrupted);
        !is_final && !self.is_unavailable()
    }

    /// Whether the card or its software is missing, rather than failing.
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
