// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Why a matrix cannot be applied.

use crate::encoding::EncodingError;
use crate::evaluator::EvaluationError;

/// Why a matrix cannot be applied.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LinearError {
    /// A matrix has other than rows · columns entries, or none.
    #[error("a matrix of {rows} rows and {columns} columns has as many entries each; got {got}")]
    Shape {
        /// Rows.
        rows: usize,
        /// Columns.
        columns: usize,
        /// Entries.
        got: usize,
    },
    /// Blocks of a matrix do not fit together.
    #[error(
        "a matrix of blocks has as many in each row, at least one of them not 0, and all of them are \
        squares of one size; got {rows} rows, the first of {columns} blocks of {slots} slots"
    )]
    Blocks {
        /// Rows of blocks.
        rows: usize,
        /// Blocks of the first row.
        columns: usize,
        /// Slots of the first block.
        slots: usize,
    },
    /// Encoded blocks are not of one matrix.
    #[error("blocks are encoded for different levels, or with different giant and baby steps")]
    MixedBlocks,
    /// A matrix of blocks takes another number of vectors.
    #[error("a matrix of {wanted} columns of blocks takes as many vectors; got {got}")]
    Vectors {
        /// The vectors.
        got: usize,
        /// The columns.
        wanted: usize,
    },
    /// A diagonal's length is not that of the vectors.
    #[error("diagonal {step} has {got} entries, and vectors have {slots} slots")]
    Diagonal {
        /// Which.
        step: i64,
        /// Its length.
        got: usize,
        /// The vectors' length.
        slots: usize,
    },
    /// The number of slots is no power of two.
    #[error("vectors have a power of two of slots; got {got}")]
    Slots {
        /// What was given.
        got: usize,
    },
    /// An entry is infinite or no number.
    #[error("entry {place} of diagonal {step} of the matrix is not finite")]
    NotFinite {
        /// The diagonal.
        step: i64,
        /// The row.
        place: usize,
    },
    /// An entry is larger than declared.
    #[error(
        "the matrix has an entry of absolute value {got}, and {declared} is declared, which \
        products tell: declare a larger bound with the matrix"
    )]
    Bound {
        /// The largest.
        got: f64,
        /// What was declared.
        declared: f64,
    },
    /// A row is larger than declared.
    #[error(
        "the absolute values of a row of the matrix have the sum {got}, and {declared} is declared"
    )]
    RowSum {
        /// The largest.
        got: f64,
        /// What was declared.
        declared: f64,
    },
    /// A matrix that is declared real has complex entries.
    #[error("the matrix is declared real and has an imaginary entry")]
    NotReal,
    /// There are more rows or columns than slots.
    #[error(
        "the matrix has {got} rows or columns, but a ciphertext has {limit} slots; split the \
        matrix or take a larger N"
    )]
    TooLarge {
        /// The larger side.
        got: usize,
        /// N/2.
        limit: usize,
    },
    /// The diagonals that are not zero take too much memory.
    #[error(
        "the matrix has {diagonals} diagonals or more of {slots} entries that are not zero, and at \
        most {limit} entries can be held: split it, or multiply by its rows and sum over slots"
    )]
    TooMany {
        /// Diagonals that are not zero.
        diagonals: usize,
        /// Their length.
        slots: usize,
        /// The most entries.
        limit: usize,
    },
    /// The level cannot be used up by a product.
    #[error("a transform is encoded for a level from 1 to {top}; got {got}")]
    Level {
        /// What was given.
        got: usize,
        /// The highest.
        top: usize,
    },
    /// It was encoded for other parameters.
    #[error("the transform was encoded for other parameters than the server's: encode it again")]
    Parameters,
    /// A diagonal cannot be encoded.
    #[error(transparent)]
    Encoding(#[from] EncodingError),
    /// An operation on ciphertexts is refused.
    #[error(transparent)]
    Evaluation(#[from] EvaluationError),
}

impl LinearError {
    /// The error of the operation on ciphertexts, if the cause is one.
    pub fn evaluation(&self) -> Option<&EvaluationError> {
        match self {
            Self::Evaluation(error) => Some(error),
            _ => None,
        }
    }
}
