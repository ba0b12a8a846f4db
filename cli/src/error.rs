// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What ends a command early, and the exit code that says so.

use std::path::PathBuf;

use halimede_arith::job::DeviceError;
use halimede_files::OutputError;
use halimede_poseidon::tree::TreeError;

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// An option or an input is wrong.
    #[error("{0}")]
    BadInput(String),
    /// The arguments are wrong.
    #[error("{}", usage_message(.0))]
    Usage(Box<clap::Error>),
    /// Some lines were answered by errors in their places.
    #[error("{count} of {lines} lines were bad input; the first is line {first}")]
    BadLines {
        /// How many.
        count: u64,
        /// How many lines there were.
        lines: u64,
        /// The first, from 1.
        first: u64,
    },
    /// There was nothing to answer, which a broken pipe looks like.
    #[error("0 items: the input has no lines; --allow-empty accepts that")]
    NoItems,
    /// A file cannot be read.
    #[error("{path}: {source}", path = path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// A file cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The input of a tree is wrong, or its device failed.
    #[error("{path}: {source}", path = path.display())]
    Tree {
        /// Which file.
        path: PathBuf,
        /// The fault.
        source: TreeError,
    },
    /// A proof is well-formed and does not hold.
    #[error("{path}: the proof does not hold: {reason}", path = path.display())]
    ProofFails {
        /// Which file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// A block is invalid.
    #[error("{0}")]
    BlockInvalid(String),
    /// Nothing is wrong with a block, but something was not checked.
    #[error("{0}")]
    BlockIncomplete(String),
    /// A program of a coprocessor has stopped with an error.
    #[error("{0}")]
    ProgramStopped(String),
    /// A file's hash is not what it should be, or is absent: `b3sum` ends with code 1 for this.
    #[error("{0}")]
    Checksum(String),
    /// An encrypted result was checked and means nothing.
    #[error("{0}")]
    NotValid(String),
    /// Standard input or output failed.
    #[error("standard {stream}: {source}")]
    Stream {
        /// `input` or `output`.
        stream: &'static str,
        /// The cause.
        source: std::io::Error,
    },
    /// A device failed among many headers.
    #[error("{source} (verified before it: {headers} headers)")]
    HeadersDevice {
        /// Headers that have been verified.
        headers: u64,
        /// The cause.
        source: DeviceError,
    },
    /// A device failed or is not there.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The machine has too little memory free.
    #[error(
        "{what} takes {:.1} GB of memory, and {:.1} GB are free: end other programs, or take a \
         machine with more",
        *needed as f64 / 1e9, *available as f64 / 1e9
    )]
    Memory {
        /// The intended work.
        what: String,
        /// The bytes that it takes.
        needed: u64,
        /// The bytes that there are.
        available: u64,
    },
    /// A server has ended before it had answered everything.
    #[cfg(feature = "serve")]
    #[error("{0}")]
    Unanswered(String),
    /// Some headers are invalid.
    #[error("{invalid} of {headers} headers are invalid")]
    HeadersInvalid {
        /// How many.
        invalid: u64,
        /// Of how many.
        headers: u64,
    },
    /// A puzzle has fewer solutions than were asked for.
    #[error("{found} solutions, of {wanted} that were asked for, in {nonces} nonces")]
    TooFewSolutions {
        /// How many there are.
        found: u64,
        /// How many were asked for.
        wanted: u64,
        /// How many nonces were tried.
        nonces: u64,
    },
    /// Answers were wrong.
    #[error("{failed} of {checks} checks failed")]
    ChecksFailed {
        /// How many.
        failed: usize,
        /// Of how many.
        checks: usize,
    },
}

impl CommandError {
    /// 0 the reader of our output has seen enough; 1 a check failed; 2 bad input, an output that
    /// is refused among it; 3 a device failed or is not there; 4 an output failed; 5 nothing
    /// failed, and something was not checked.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::ChecksFailed { .. }
            | Self::ProofFails { .. }
            | Self::BlockInvalid(_)
            | Self::ProgramStopped(_)
            | Self::Checksum(_)
            | Self::NotValid(_)
            | Self::HeadersInvalid { .. }
            | Self::TooFewSolutions { .. } => 1,
            Self::BlockIncomplete(_) => 5,
            Self::Tree { source, .. } if source.is_of_device() => 3,
            Self::Tree { source: TreeError::Write { .. }, .. } => 4,
            Self::Output(error) if !error.is_refusal() => 4,
            Self::Stream { stream: "output", .. } if self.is_closed_output() => 0,
            Self::Stream { stream: "output", .. } => 4,
            #[cfg(feature = "serve")]
            Self::Unanswered(_) => 3,
            Self::Device(_) | Self::HeadersDevice { .. } | Self::Memory { .. } => 3,
            _ => 2,
        }
    }

    /// Whether the reader of our output has seen enough.
    pub fn is_closed_output(&self) -> bool {
        let Self::Stream { stream: "output", source } = self else { return false };
        source.kind() == std::io::ErrorKind::BrokenPipe
    }
}

/// An error of usage in one line, without the usage that stands below it.
fn usage_message(usage: &clap::Error) -> String {
    // That help alone says nothing of an error.
    if usage.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return "a command is missing: --help lists them".into();
    }
    let text = usage.render().to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    let is_usage =
        |line: &&str| line.starts_with("Usage:") || line.starts_with("For more information");
    let lines = text.lines().take_while(|line| !is_usage(line)).map(str::trim);
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}
