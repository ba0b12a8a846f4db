// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A program and its external values.

use serde::{Deserialize, Serialize};

use super::step::Step;
use crate::ring::basis::Basis;
use crate::ring::form::Form;
use crate::ring::polynomial::Polynomial;

/// A polynomial and its name in a program.
pub type Named<'a> = (String, &'a Polynomial);

/// The ring operations of one operation on ciphertexts, in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// The degree N of the ring.
    pub degree: usize,
    /// The primes of the ring. Bases refer to them by their positions in this list.
    pub primes: Vec<Prime>,
    /// The external values.
    pub externals: Vec<External>,
    /// The steps, each after those on which it depends.
    pub steps: Vec<Step>,
    /// The outputs.
    pub outputs: Vec<Output>,
    /// Remarks on the steps.
    pub notes: Vec<Note>,
}

/// A prime, and the root that defines the values of its transforms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prime {
    /// The prime.
    pub modulus: u32,
    /// ψ, a primitive 2N-th root of unity: index i of the values is the value at ψ^(2·rev(i) + 1),
    /// where rev reverses the log₂ N bits of a number.
    pub root: u32,
}

/// The purpose of an external value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Different for each run.
    Input,
    /// A part of a key, in Montgomery form.
    Key,
    /// A plaintext.
    Constant,
}

/// An external value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct External {
    /// The number of the value in the steps.
    pub value: u64,
    /// The unique name of the value.
    pub name: String,
    /// The purpose of the value.
    pub role: Role,
    /// The primes of the value.
    pub basis: Basis,
    /// Coefficients or values.
    pub form: Form,
    /// The number of consecutive repetitions of each residue. It exceeds 1 only for second factors
    /// of [`SumOfProducts`](super::Operation::SumOfProducts), which have N/run stored residues per
    /// prime.
    pub run: usize,
}

/// An output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Output {
    /// The number of the value in the steps.
    pub value: u64,
    /// The name of the output.
    pub name: String,
}

/// A remark on the steps from one step on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// The index of the first step that the remark is about, from 0 on.
    pub step: usize,
    /// The remark.
    pub text: String,
}
