// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Errors of parsing a block, with their positions.

use halimede_equihash::HeaderError;

/// Why a block cannot be read. Positions count the block's bytes from 0, also if the block is given
/// in hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BlockError {
    /// The input is empty.
    #[error("it is empty")]
    Empty,
    /// The input is longer than a block may be.
    #[error("it has {got} bytes, but a block has at most {limit}")]
    TooLong {
        /// The length in bytes.
        got: usize,
        /// The largest length in bytes.
        limit: usize,
    },
    /// The input is text other than hexadecimal digits, or has the digits inside other text.
    #[error(
        "it is {what}: give the block's bytes, or only their hexadecimal digits, as `getblock HASH \
         0` prints them"
    )]
    Text {
        /// The kind of text.
        what: &'static str,
    },
    /// Hexadecimal input has another character.
    #[error("character {at} is {got:?}, which is not a hexadecimal digit")]
    HexDigit {
        /// The index of the character, from 0.
        at: usize,
        /// The character.
        got: char,
    },
    /// Hexadecimal input ends within a byte.
    #[error("{digits} hexadecimal digits: the last byte, {at}, has only one")]
    HexLength {
        /// The number of digits.
        digits: usize,
        /// The index of the last byte.
        at: usize,
    },
    /// The block ends early.
    #[error("at byte {at}: the block ends within {part}")]
    Truncated {
        /// The position of the end.
        at: usize,
        /// The incomplete part.
        part: Part,
    },
    /// A length or count is not in its shortest encoding, or exceeds the limit.
    #[error("at byte {at}: {part} begins with a length that is not validly encoded")]
    Length {
        /// The position of the length.
        at: usize,
        /// The part that the length begins.
        part: Part,
    },
    /// The header is invalid.
    #[error(transparent)]
    Header(#[from] HeaderError),
    /// A transaction is invalid.
    #[error("at byte {at}: transaction {index}, which begins at byte {begins}: {reason}")]
    Transaction {
        /// The position at which parsing stopped.
        at: usize,
        /// The index of the transaction, from 0.
        index: usize,
        /// The position of the transaction.
        begins: usize,
        /// The reason.
        reason: String,
    },
    /// Bytes follow the last transaction.
    #[error("at byte {at}: {bytes} bytes follow the last transaction")]
    Trailing {
        /// The position of the end of the block.
        at: usize,
        /// The number of bytes that follow.
        bytes: usize,
    },
}

/// A part of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The number of transactions.
    Count,
    /// A transaction.
    Transaction {
        /// The index of the transaction, from 0.
        index: usize,
        /// The position of the transaction.
        begins: usize,
    },
}

impl std::fmt::Display for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Count => f.write_str("the number of transactions"),
            Self::Transaction { index, begins } => {
                write!(f, "transaction {index}, which begins at byte {begins}")
            }
        }
    }
}
