// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Why a program cannot be brought to the card.

use crate::ring::{ModulusError, ProgramError};

/// A program that the card cannot run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CardError {
    /// It is damaged.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// A prime is none.
    #[error(transparent)]
    Modulus(#[from] ModulusError),
    /// The card's reduction takes other primes alone.
    #[error("the card takes primes that are 1 modulo 2^17, and {got} is not")]
    Prime {
        /// The prime.
        got: u32,
    },
    /// A limb from outside is missing or has another length.
    #[error(
        "the limb of {name:?} modulo the prime at place {place} is missing or has another length"
    )]
    Limb {
        /// The external value.
        name: String,
        /// The place of the prime.
        place: u16,
    },
    /// A task takes a limb that no task has given.
    #[error("task {task} takes a limb that is not there")]
    Missing {
        /// Its number.
        task: usize,
    },
}
