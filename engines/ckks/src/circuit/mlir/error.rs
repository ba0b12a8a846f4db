// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The fault of an MLIR program, with its position.

/// A position in a text, both numbers from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
}

/// The fault of an MLIR program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {}, column {}: {reason}", at.line, at.column)]
pub struct MlirError {
    /// The position of the fault.
    pub at: Position,
    /// The fault.
    pub reason: String,
}

impl MlirError {
    pub(super) fn new(at: Position, reason: impl Into<String>) -> Self {
        Self { at, reason: reason.into() }
    }
}
