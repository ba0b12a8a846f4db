// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Why a program cannot be brought to the card.

use super::isa::Fault;
use crate::ring::{ModulusError, ProgramError};

/// A program that the card cannot run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "messages name the fields")]
pub enum CardError {
    /// It is damaged.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// A prime is none.
    #[error(transparent)]
    Modulus(#[from] ModulusError),
    /// The card's reduction takes other primes alone.
    #[error("the card takes primes that are 1 modulo 2^17, and {got} is not")]
    Prime { got: u32 },
    /// A limb from outside is missing or has another length.
    #[error(
        "the limb of {name:?} modulo the prime at place {place} is missing or has another length"
    )]
    Limb { name: String, place: u16 },
    /// A task takes a limb that no task has given.
    #[error("task {task} takes a limb that is not there")]
    Missing { task: usize },
    /// The scratchpad has too few slots.
    #[error("the scratchpad has {got} slots for limbs, and an instruction takes {wanted}")]
    Slots { got: usize, wanted: usize },
    /// A row of the card is no part of a limb.
    #[error("a card of {lanes} lanes takes rings of a higher degree than {degree}")]
    Lanes { lanes: usize, degree: usize },
    /// More regions of memory than an instruction can name.
    #[error("the program has {got} values from outside and outputs: a card takes {limit}")]
    Segments { got: usize, limit: usize },
    /// The stream does not compute the program.
    #[error(transparent)]
    Stream(#[from] StreamFlaw),
    /// The card stops at an instruction.
    #[error(transparent)]
    Fault(#[from] ProgramFault),
}

/// Where a program is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("instruction {at} of the card's program: {}", fault.text())]
pub struct ProgramFault {
    /// What is wrong.
    pub fault: Fault,
    /// The word that it is about, counted from the first instruction; 0 for the header.
    pub at: usize,
}

/// Why a stream does not compute its program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "messages name the fields")]
pub enum StreamFlaw {
    /// A slot, a buffer or a place of memory was never written.
    #[error("command {command} reads what was not written")]
    Unwritten { command: usize },
    /// A transform has another prime's factors, or another direction's.
    #[error("command {command} transforms by other factors than its prime's")]
    Factors { command: usize },
    /// What it computes is not part of the program.
    #[error("command {command} computes what no task does: an operand was overwritten, or moved")]
    Foreign { command: usize },
    /// A region or an offset is not that of the limb.
    #[error("command {command} takes another region or offset than the program has")]
    Region { command: usize },
    /// An output is missing, or is another limb.
    #[error("limb {limb} of the output {name:?} is missing or another one")]
    Output { name: String, limb: usize },
}
