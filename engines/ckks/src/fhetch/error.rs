// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The errors of traces.

use crate::ring::ProgramError;

/// Why a trace cannot be made, read or replayed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "messages name the fields")]
pub enum FhetchError {
    /// The program is damaged.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// A name would not fit in its line.
    #[error("the name {name:?} contains a line break or another control character")]
    Name { name: String },
    /// A line cannot be read.
    #[error("line {line}: {reason}")]
    Line { line: usize, reason: String },
    /// The text has no degree.
    #[error("the trace does not say its degree: add the line \"# halimede degree N\"")]
    NoDegree,
    /// An input is missing, or has residues that do not fit.
    #[error("the input %{address}: {reason}")]
    Input { address: u64, reason: String },
    /// An instruction cannot be computed.
    #[error("instruction {instruction}: {reason}")]
    Instruction { instruction: usize, reason: String },
    /// Too much memory is needed.
    #[error("the trace needs {needed} words of memory at once, and the limit is {limit}")]
    Memory { needed: usize, limit: usize },
}
