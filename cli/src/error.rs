// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The errors of commands, and their exit codes.

use std::path::PathBuf;

use halimede_arith::job::DeviceError;
use halimede_filecoin::Precommit2Error;
use halimede_files::OutputError;
use halimede_poseidon::tree::TreeError;

/// The reason why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// An option or an input is wrong.
    #[error("{0}")]
    BadInput(String),
    /// The arguments are wrong.
    #[error("{}", usage_message(.0))]
    Usage(Box<clap::Error>),
    /// Some lines are bad input, and were answered by errors.
    #[error("{count} of {lines} lines were bad input; the first is line {first}")]
    BadLines {
        /// The number of bad lines.
        count: u64,
        /// The number of lines.
        lines: u64,
        /// The number of the first bad line, from 1.
        first: u64,
    },
    /// The input is empty, which is also what a broken pipe looks like.
    #[error("0 items: the input has no lines; to allow that, give --allow-empty")]
    NoItems,
    /// A file cannot be read.
    #[error("{path}: {source}", path = path.display())]
    File {
        /// The path of the file.
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
        /// The path of the input.
        path: PathBuf,
        /// The cause.
        source: TreeError,
    },
    /// A sector cannot be sealed.
    #[error(transparent)]
    Precommit2(#[from] Precommit2Error),
    /// A proof is well-formed but invalid.
    #[error("{path}: the proof is invalid: {reason}", path = path.display())]
    ProofFails {
        /// The path of the proof.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// A block is invalid.
    #[error("{0}")]
    BlockInvalid(String),
    /// No check of a block failed, but some checks were skipped.
    #[error("{0}")]
    BlockIncomplete(String),
    /// A coprocessor program stopped with an error.
    #[error("{0}")]
    ProgramStopped(String),
    /// A file's hash does not match, or the file is absent. As in `b3sum`, the exit code is 1.
    #[error("{0}")]
    Checksum(String),
    /// An encrypted result failed its check and is meaningless, or a setting is wrong.
    #[error("{0}")]
    NotValid(String),
    /// Standard input or output failed.
    #[error("standard {stream}: {source}")]
    Stream {
        /// The name of the stream: `input` or `output`.
        stream: &'static str,
        /// The cause.
        source: std::io::Error,
    },
    /// A device failed while it verified headers.
    #[error("{source} ({headers} headers were verified before)")]
    HeadersDevice {
        /// The number of headers that had been verified.
        headers: u64,
        /// The cause.
        source: DeviceError,
    },
    /// A device failed while it verified blocks.
    #[error("{source} ({before})")]
    BlocksDevice {
        /// The number of verified blocks, in words.
        before: String,
        /// The cause.
        source: DeviceError,
    },
    /// A device failed or is not available.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The machine has too little free memory.
    #[error(
        "{what} needs {:.1} GB of memory, but only {:.1} GB are free: close other programs, or use \
         a machine with more memory",
        *needed as f64 / 1e9, *available as f64 / 1e9
    )]
    Memory {
        /// The intended work.
        what: String,
        /// The needed memory, in bytes.
        needed: u64,
        /// The free memory, in bytes.
        available: u64,
    },
    /// A server ended before it had answered all accepted requests.
    #[cfg(feature = "serve")]
    #[error("{0}")]
    Unanswered(String),
    /// Some headers are invalid.
    #[error("{invalid} of {headers} headers are invalid")]
    HeadersInvalid {
        /// The number of invalid headers.
        invalid: u64,
        /// The number of headers.
        headers: u64,
    },
    /// The tried nonces have fewer Equihash solutions than requested.
    #[error("found {found} of {wanted} requested solutions in {nonces} nonces")]
    TooFewSolutions {
        /// The number of solutions found.
        found: u64,
        /// The number of solutions requested.
        wanted: u64,
        /// The number of nonces tried.
        nonces: u64,
    },
    /// Some checks failed.
    #[error("{failed} of {checks} checks failed")]
    ChecksFailed {
        /// The number of failed checks.
        failed: usize,
        /// The number of checks.
        checks: usize,
    },
}

impl CommandError {
    /// Returns the exit code: 1 a check failed; 2 bad input, which includes an output path that is
    /// refused; 3 a device failed or is not available; 4 writing output failed, also to a closed
    /// pipe; 5 nothing failed, but something was not checked.
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
            Self::Precommit2(error) if error.is_of_device() => 3,
            Self::Precommit2(error) if error.is_of_output() => 4,
            Self::Output(error) if !error.is_refusal() => 4,
            Self::Stream { stream: "output", .. } => 4,
            #[cfg(feature = "serve")]
            Self::Unanswered(_) => 3,
            Self::Device(_)
            | Self::HeadersDevice { .. }
            | Self::BlocksDevice { .. }
            | Self::Memory { .. } => 3,
            _ => 2,
        }
    }

    /// Returns `true` if standard output is a pipe whose reader closed it.
    pub fn is_closed_output(&self) -> bool {
        let Self::Stream { stream: "output", source } = self else { return false };
        source.kind() == std::io::ErrorKind::BrokenPipe
    }
}

/// Returns a usage error in one line, without the usage text below it.
fn usage_message(usage: &clap::Error) -> String {
    // clap renders this error as help, without a message.
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
