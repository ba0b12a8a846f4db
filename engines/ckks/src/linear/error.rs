// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Errors of matrices.

use crate::encoding::EncodingError;
use crate::evaluator::EvaluationError;

/// Why a matrix cannot be applied.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "messages name the fields")]
pub enum LinearError {
    /// The number of entries is not rows · columns, or is 0.
    #[error("expected {rows} × {columns} entries, at least one; got {got}")]
    Shape { rows: usize, columns: usize, got: usize },
    /// The blocks of a matrix do not fit together.
    #[error(
        "a matrix of blocks needs rows of equal length with at least one nonzero block each, and \
        squares of one size; got {rows} rows, the first of {columns} blocks of {slots} slots"
    )]
    Blocks { rows: usize, columns: usize, slots: usize },
    /// Encoded blocks come from different matrices.
    #[error("blocks are encoded for different levels, or with different giant and baby steps")]
    MixedBlocks,
    /// The number of vectors does not match the matrix of blocks.
    #[error("a matrix of {wanted} columns of blocks needs {wanted} vectors; got {got}")]
    Vectors { got: usize, wanted: usize },
    /// The length of a diagonal differs from that of the vectors.
    #[error("diagonal {step} has {got} entries, but vectors have {slots} slots")]
    Diagonal { step: i64, got: usize, slots: usize },
    /// The number of slots is not a power of two.
    #[error("the number of slots must be a power of two; got {got}")]
    Slots { got: usize },
    /// An entry is infinite or not a number.
    #[error("entry {place} of diagonal {step} of the matrix is not finite")]
    NotFinite { step: i64, place: usize },
    /// An entry exceeds its declared bound.
    #[error(
        "the matrix has an entry of absolute value {got}, but {declared} is declared, and \
        products reveal it: declare a larger bound with the matrix"
    )]
    Bound { got: f64, declared: f64 },
    /// The absolute values in a row exceed their declared sum.
    #[error(
        "the absolute values of a row of the matrix have the sum {got}, but {declared} is declared"
    )]
    RowSum { got: f64, declared: f64 },
    /// A matrix that is declared real has complex entries.
    #[error("the matrix is declared real but has an imaginary entry")]
    NotReal,
    /// There are more rows or columns than slots.
    #[error(
        "the matrix has {got} rows or columns, but a ciphertext has {limit} slots; split the \
        matrix or use a larger N"
    )]
    TooLarge { got: usize, limit: usize },
    /// The nonzero diagonals need too much memory.
    #[error(
        "the matrix has {diagonals} or more nonzero diagonals of {slots} entries, and at \
        most {limit} entries fit into memory: split it, or multiply by its rows and sum over slots"
    )]
    TooMany { diagonals: usize, slots: usize, limit: usize },
    /// The level is 0 or above the highest.
    #[error("a transform needs a level from 1 to {top}; got {got}")]
    Level { got: usize, top: usize },
    /// The transform was encoded for other parameters.
    #[error("the transform was encoded for other parameters than the server's: encode it again")]
    Parameters,
    /// A diagonal cannot be encoded.
    #[error(transparent)]
    Encoding(#[from] EncodingError),
    /// An operation on ciphertexts failed.
    #[error(transparent)]
    Evaluation(#[from] EvaluationError),
}

impl LinearError {
    /// Returns the error of the operation on ciphertexts, if that is the cause.
    pub fn evaluation(&self) -> Option<&EvaluationError> {
        match self {
            Self::Evaluation(error) => Some(error),
            _ => None,
        }
    }
}
