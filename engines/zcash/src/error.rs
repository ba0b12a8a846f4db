// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Why bytes are not a block, and where.

use halimede_equihash::HeaderError;

/// What ends the reading of a block. Places count the block's bytes from 0, also where it came in
/// hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BlockError {
    /// Nothing at all.
    #[error("it is empty")]
    Empty,
    /// More bytes than a block may have.
    #[error("it has {got} bytes: a block has at most {limit}")]
    TooLong {
        /// Its bytes.
        got: usize,
        /// The most.
        limit: usize,
    },
    /// Text that holds the digits in something else, or holds none.
    #[error(
        "it is {what}: give the block's bytes, or their hexadecimal digits alone, as `getblock \
         HASH 0` prints them"
    )]
    Text {
        /// The kind of text.
        what: &'static str,
    },
    /// Hexadecimal that something else stands in.
    #[error("character {at} is {got:?}, which is not a hexadecimal digit")]
    HexDigit {
        /// Which character, from 0.
        at: usize,
        /// The value at this place.
        got: char,
    },
    /// Hexadecimal that ends within a byte.
    #[error("{digits} hexadecimal digits: the last byte, {at}, has only one")]
    HexLength {
        /// How many.
        digits: usize,
        /// The byte.
        at: usize,
    },
    /// It ends early.
    #[error("at byte {at}: the block ends within {part}")]
    Truncated {
        /// Where it ends.
        at: usize,
        /// Within what.
        part: Part,
    },
    /// A length or count that could be written in fewer bytes, or is larger than any may be.
    #[error("at byte {at}: {part} begins with a length that is not written as it must be")]
    Length {
        /// Where it stands.
        at: usize,
        /// The part that the length begins.
        part: Part,
    },
    /// Not a valid header.
    #[error(transparent)]
    Header(#[from] HeaderError),
    /// Not a valid transaction.
    #[error("at byte {at}: transaction {index}, which begins at byte {begins}: {reason}")]
    Transaction {
        /// Where the reading stopped.
        at: usize,
        /// Which one, from 0.
        index: usize,
        /// Where it begins.
        begins: usize,
        /// The fault.
        reason: String,
    },
    /// Something after the last transaction.
    #[error("at byte {at}: {bytes} bytes follow the last transaction")]
    Trailing {
        /// Where the block ends.
        at: usize,
        /// How many follow.
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
        /// Which one, from 0.
        index: usize,
        /// Where it begins.
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
