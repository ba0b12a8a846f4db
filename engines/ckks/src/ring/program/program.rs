// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A program, and what it takes from outside.

use serde::{Deserialize, Serialize};

use super::step::Step;
use crate::ring::basis::Basis;
use crate::ring::form::Form;
use crate::ring::polynomial::Polynomial;

/// A polynomial and its name in a program.
pub type Named<'a> = (String, &'a Polynomial);

/// The operations of the ring that an operation on ciphertexts takes, in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// The degree N of the ring.
    pub degree: usize,
    /// The ring's primes. Bases name them by their places in this list.
    pub primes: Vec<Prime>,
    /// The values that come from outside.
    pub externals: Vec<External>,
    /// Each behind those that it depends on.
    pub steps: Vec<Step>,
    /// The values that are wanted.
    pub outputs: Vec<Output>,
    /// Remarks on the steps.
    pub notes: Vec<Note>,
}

/// A prime, and the values that transforms give modulo it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prime {
    /// The prime.
    pub modulus: u32,
    /// ψ, a primitive 2N-th root of unity: place i of values is that at ψ^(2·rev(i) + 1), in which
    /// rev reverses the log₂ N bits of a number.
    pub root: u32,
}

/// The purpose of a value from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Another one each time.
    Input,
    /// A part of a key, in Montgomery form.
    Key,
    /// A plaintext.
    Constant,
}

/// A value from outside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct External {
    /// Its number in the steps.
    pub value: u64,
    /// Its name, which no other has.
    pub name: String,
    /// Its purpose.
    pub role: Role,
    /// Its primes.
    pub basis: Basis,
    /// Coefficients or values.
    pub form: Form,
    /// The number of times that each of its values stands in a row: more than once in the second
    /// factors of [`SumOfProducts`](super::Operation::SumOfProducts) alone, of which N/run residues
    /// a prime are held.
    pub run: usize,
}

/// A value that is wanted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Output {
    /// Its number in the steps.
    pub value: u64,
    /// Its name.
    pub name: String,
}

/// A remark on the steps from one on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// The index of the first step that it is about, from 0 on.
    pub step: usize,
    /// The remark.
    pub text: String,
}
