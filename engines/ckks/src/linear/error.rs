// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Why a matrix cannot be applied.

use crate::encoding::EncodingError;
use crate::evaluator::EvaluationError;

/// Why a matrix cannot be applied.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "messages name the fields")]
pub enum LinearError {
    /// A matrix has other than rows · columns entries, or none.
    #[error("a matrix of {rows} rows and {columns} columns has as many entries each; got {got}")]
    Shape { rows: usize, columns: usize, got: usize },
    /// Blocks of a matrix do not fit together.
    #[error(
        "a matrix of blocks has as many in each row, at least one of them not 0, and all of them are \
        squares of one size; got {rows} rows, the first of {columns} blocks of {slots} slots"
    )]
    Blocks { rows: usize, columns: usize, slots: usize },
    /// Encoded blocks are not of one matrix.
    #[error("blocks are encoded for different levels, or with different giant and baby steps")]
    MixedBlocks,
    /// A matrix of blocks takes another number of vectors.
    #[error("a matrix of {wanted} columns of blocks takes as many vectors; got {got}")]
    Vectors { got: usize, wanted: usize },
    /// A diagonal's length is not that of the vectors.
    #[error("diagonal {step} has {got} entries, and vectors have {slots} slots")]
    Diagonal { step: i64, got: usize, slots: usize },
    /// The number of slots is no power of two.
    #[error("vectors have a power of two of slots; got {got}")]
    Slots { got: usize },
    /// An entry is infinite or no number.
    #[error("entry {place} of diagonal {step} of the matrix is not finite")]
    NotFinite { step: i64, place: usize },
    /// An entry is larger than declared.
    #[error(
        "the matrix has an entry of absolute value {got}, and {declared} is declared, which \
        products tell: declare a larger bound with the matrix"
    )]
    Bound { got: f64, declared: f64 },
    /// A row is larger than declared.
    #[error(
        "the absolute values of a row of the matrix have the sum {got}, and {declared} is declared"
    )]
    RowSum { got: f64, declared: f64 },
    /// A matrix that is declared real has complex entries.
    #[error("the matrix is declared real and has an imaginary entry")]
    NotReal,
    /// There are more rows or columns than slots.
    #[error(
        "the matrix has {got} rows or columns, but a ciphertext has {limit} slots; split the \
        matrix or take a larger N"
    )]
    TooLarge { got: usize, limit: usize },
    /// The diagonals that are not zero take too much memory.
    #[error(
        "the matrix has {diagonals} diagonals or more of {slots} entries that are not zero, and at \
        most {limit} entries can be held: split it, or multiply by its rows and sum over slots"
    )]
    TooMany { diagonals: usize, slots: usize, limit: usize },
    /// The level cannot be used up by a product.
    #[error("a transform is encoded for a level from 1 to {top}; got {got}")]
    Level { got: usize, top: usize },
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
