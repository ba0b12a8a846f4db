// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The uses of evaluation keys.

use std::fmt;

/// An operation that needs a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KeyUse {
    /// Products of ciphertexts.
    Multiply,
    /// X → X^exponent: a rotation or the conjugation.
    Automorphism(u64),
    /// In a bootstrap, to a sparse secret at the lowest level.
    ToSparse,
    /// In a bootstrap, back from it at the highest level.
    FromSparse,
}

impl fmt::Display for KeyUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Multiply => f.write_str("for products"),
            Self::Automorphism(exponent) => write!(f, "for the automorphism X^{exponent}"),
            Self::ToSparse => f.write_str("to a bootstrap's sparse secret"),
            Self::FromSparse => f.write_str("from a bootstrap's sparse secret"),
        }
    }
}
