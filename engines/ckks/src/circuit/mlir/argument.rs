// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The arguments of a function.

/// An argument of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// Its name, without `%`.
    pub name: String,
    /// What is given for it.
    pub kind: ArgumentKind,
    /// The number of values, if the type says it.
    pub length: Option<usize>,
}

/// What is given for an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentKind {
    /// A ciphertext.
    Encrypted,
    /// Unencrypted values.
    Plain,
    /// Nothing: a key.
    Key,
}
