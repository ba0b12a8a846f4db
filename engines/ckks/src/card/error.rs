// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The reasons why a program cannot run on the card.

use super::isa::Fault;
use crate::ring::{ModulusError, ProgramError};

/// A program that the card cannot run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "messages name the fields")]
pub enum CardError {
    /// The program is damaged.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// A modulus is invalid.
    #[error(transparent)]
    Modulus(#[from] ModulusError),
    /// The card's reduction needs other primes.
    #[error("the card supports only primes that are 1 modulo 2^17; {got} is not")]
    Prime { got: u32 },
    /// The limb of an external value is missing or has another length.
    #[error(
        "the limb of {name:?} modulo the prime at place {place} is missing or has another length"
    )]
    Limb { name: String, place: u16 },
    /// A task uses a limb that no task has computed.
    #[error("task {task} uses a limb that is not available")]
    Missing { task: usize },
    /// The scratchpad has too few slots.
    #[error("the scratchpad has {got} slots for limbs, but an instruction needs {wanted}")]
    Slots { got: usize, wanted: usize },
    /// A row of the card is longer than half a limb.
    #[error("a card with {lanes} lanes needs rings of a higher degree than {degree}")]
    Lanes { lanes: usize, degree: usize },
    /// The program has more memory regions than an instruction can address.
    #[error("the program has {got} external values and outputs; a card supports {limit}")]
    Segments { got: usize, limit: usize },
    /// The stream does not compute the program.
    #[error(transparent)]
    Stream(#[from] StreamFlaw),
    /// The card stops at an instruction.
    #[error(transparent)]
    Fault(#[from] ProgramFault),
}

/// The position and kind of a fault in a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("instruction {at} of the card's program: {}", fault.text())]
pub struct ProgramFault {
    /// The kind of the fault.
    pub fault: Fault,
    /// The number of the faulty word, counted from the first instruction; 0 for the header.
    pub at: usize,
}

/// The reason why a stream does not compute its program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "messages name the fields")]
pub enum StreamFlaw {
    /// A slot, a buffer or a memory location was not written before.
    #[error("command {command} reads a location that was not written")]
    Unwritten { command: usize },
    /// A transform has the factors of another prime or direction.
    #[error("command {command} transforms with factors of another prime or direction")]
    Factors { command: usize },
    /// The result is not part of the program.
    #[error("command {command} does not match any task: an operand was overwritten or moved")]
    Foreign { command: usize },
    /// The region or the offset does not match the limb.
    #[error("command {command} uses another region or offset than the program")]
    Region { command: usize },
    /// An output is missing or does not match.
    #[error("limb {limb} of the output {name:?} is missing or does not match")]
    Output { name: String, limb: usize },
}
