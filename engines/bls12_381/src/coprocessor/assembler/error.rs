// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What is wrong with a program's text.

use super::SOURCE_LIMIT_BYTES;
use crate::coprocessor::isa::{INSTRUCTIONS, PAIRS, SLOTS};
use crate::coprocessor::NumberError;

/// What is wrong with a program's text, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct AssemblyError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub problem: Problem,
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The text is longer than any program.
    #[error("the program has {got} bytes; {} are the most", SOURCE_LIMIT_BYTES)]
    TooLong {
        /// Bytes of the text.
        got: usize,
    },
    /// No instruction has this name.
    #[error("no instruction is called {0:?}; `halimede bls manual` lists them")]
    Instruction(String),
    /// No directive has this name.
    #[error("no directive is called .{0}; there are .data, .equ, .inst, .org and .start")]
    Directive(String),
    /// A directive has other words than it takes.
    #[error("this is written {0}")]
    Usage(&'static str),
    /// A name has characters that names do not have.
    #[error("{0:?} is no name: names have letters, digits and _, and begin with no digit")]
    Name(String),
    /// A name has another meaning.
    #[error("{0:?} is an instruction, a kind or a value: another name is needed")]
    Reserved(String),
    /// Something is there already.
    #[error("{what} is set in line {before} already")]
    Twice {
        /// A name, a place or a slot.
        what: String,
        /// The line.
        before: usize,
    },
    /// A name is not set anywhere.
    #[error("{0:?} is no label and no .equ")]
    Unknown(String),
    /// A number is none.
    #[error("{text:?}: {error}")]
    Number {
        /// The word.
        text: String,
        /// Why.
        error: NumberError,
    },
    /// A number is too large for its place.
    #[error("{text:?} is not below {limit}")]
    TooLarge {
        /// The word.
        text: String,
        /// What it should be below.
        limit: usize,
    },
    /// The instructions do not fit the memory.
    #[error("a program has at most {} instructions", INSTRUCTIONS)]
    TooManyInstructions,
    /// An instruction has another number of operands.
    #[error("{name} has {expected} operands, not {got}")]
    Operands {
        /// The instruction.
        name: &'static str,
        /// Operands that it has.
        expected: usize,
        /// Operands given.
        got: usize,
    },
    /// A slot is beyond the memory.
    #[error("slot {0} is beyond the last one, {last}", last = SLOTS - 1)]
    Slot(usize),
    /// A jump leads beyond the memory.
    #[error("place {0} is beyond the last one, {last}", last = INSTRUCTIONS - 1)]
    Target(u16),
    /// A count is 0 or too large.
    #[error("a count of {0}: 1 to {SLOTS}, of pairs 1 to {PAIRS}")]
    Count(u16),
    /// A power of the Frobenius map is 12 or more.
    #[error("a power of {0}: 0 to 11")]
    Power(u16),
    /// No kind has this name.
    #[error("no kind is called {0:?}; `halimede bls manual` lists them")]
    Kind(String),
    /// A word for a value does not suit the kind.
    #[error("{word} is no value of {kind}")]
    Keyword {
        /// The word.
        word: String,
        /// The kind.
        kind: &'static str,
    },
    /// An element has another number of values.
    #[error("{kind} has {expected} values, not {got}")]
    Values {
        /// The kind.
        kind: &'static str,
        /// Its slots.
        expected: usize,
        /// Values given.
        got: usize,
    },
    /// A value of an element of Fp is not below p.
    #[error("value {0} is not below the modulus")]
    Range(usize),
}
