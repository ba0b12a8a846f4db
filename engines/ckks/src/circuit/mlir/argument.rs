// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The arguments of a function.

/// An argument of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// Its name, without `%`.
    pub name: String,
    /// The kind of its value.
    pub kind: ArgumentKind,
    /// The number of values, if the type says it.
    pub length: Option<usize>,
}

/// The kind of an argument's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentKind {
    /// A ciphertext.
    Encrypted,
    /// Unencrypted values.
    Plain,
    /// Nothing: a key.
    Key,
}
