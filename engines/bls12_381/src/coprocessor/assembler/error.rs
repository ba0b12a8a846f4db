// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Errors in a program's text.

use super::SOURCE_LIMIT_BYTES;
use crate::coprocessor::isa::{INSTRUCTIONS, PAIRS, SLOTS};
use crate::coprocessor::NumberError;

/// An error in a program's text, and its line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct AssemblyError {
    /// The line, from 1.
    pub line: usize,
    /// The error.
    pub problem: Problem,
}

/// The error in a line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The text is longer than any program.
    #[error("the program has {got} bytes; the limit is {}", SOURCE_LIMIT_BYTES)]
    TooLong {
        /// The size of the text in bytes.
        got: usize,
    },
    /// No instruction has this name.
    #[error("no instruction is called {0:?}; `halimede bls manual` lists them")]
    Instruction(String),
    /// No directive has this name.
    #[error("no directive is called .{0}; the directives are .data, .equ, .inst, .org and .start")]
    Directive(String),
    /// A directive does not have the words that it requires.
    #[error("expected {0}")]
    Usage(&'static str),
    /// A name contains a character that is not allowed in names.
    #[error(
        "{0:?} is not a name: names have letters, digits and _, and do not begin with a digit"
    )]
    Name(String),
    /// A name is reserved.
    #[error("{0:?} is an instruction, a kind or a value: choose another name")]
    Reserved(String),
    /// The name, place or slot is already set.
    #[error("{what} is already set in line {before}")]
    Twice {
        /// The name, place or slot.
        what: String,
        /// The line that sets it.
        before: usize,
    },
    /// A name is not defined.
    #[error("{0:?} is neither a label nor an .equ")]
    Unknown(String),
    /// A number is invalid.
    #[error("{text:?}: {error}")]
    Number {
        /// The word in the text.
        text: String,
        /// The reason.
        error: NumberError,
    },
    /// A number is too large for its place.
    #[error("{text:?} is not below {limit}")]
    TooLarge {
        /// The word in the text.
        text: String,
        /// The exclusive upper limit.
        limit: usize,
    },
    /// The instructions do not fit in the memory.
    #[error("a program has at most {} instructions", INSTRUCTIONS)]
    TooManyInstructions,
    /// An instruction has a wrong number of operands.
    #[error("{name} has {expected} operands, not {got}")]
    Operands {
        /// The instruction.
        name: &'static str,
        /// The expected number of operands.
        expected: usize,
        /// The number of operands given.
        got: usize,
    },
    /// A slot is beyond the memory.
    #[error("slot {0} is beyond the last one, {last}", last = SLOTS - 1)]
    Slot(usize),
    /// The target of a jump is beyond the memory.
    #[error("place {0} is beyond the last one, {last}", last = INSTRUCTIONS - 1)]
    Target(u16),
    /// A count is 0 or too large.
    #[error("the count {0} is not from 1 to {SLOTS} (pairs: 1 to {PAIRS})")]
    Count(u16),
    /// A power of the Frobenius map is 12 or more.
    #[error("the power {0} is not from 0 to 11")]
    Power(u16),
    /// No kind has this name.
    #[error("no kind is called {0:?}; `halimede bls manual` lists them")]
    Kind(String),
    /// A word for a value does not fit the kind.
    #[error("{word} is not a value of {kind}")]
    Keyword {
        /// The word in the text.
        word: String,
        /// The kind.
        kind: &'static str,
    },
    /// An element has a wrong number of values.
    #[error("{kind} has {expected} values, not {got}")]
    Values {
        /// The kind.
        kind: &'static str,
        /// The number of slots of the kind.
        expected: usize,
        /// The number of values given.
        got: usize,
    },
    /// A value of an element of Fp is not below p.
    #[error("value {0} is not below the modulus")]
    Range(usize),
}
