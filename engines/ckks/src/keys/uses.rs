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
    /// The same for matrices at level 1, by a key with few primes: as many as are as large as what a
    /// ciphertext has there.
    LowAutomorphism(u64),
    /// In a bootstrap, to a sparse secret at the lowest level.
    ToSparse,
    /// In a bootstrap, back from it at the highest level.
    FromSparse,
}

/// The highest level of the keys with few primes: the lowest that a matrix can be applied at.
pub const LOW_LEVEL: usize = 1;

impl fmt::Display for KeyUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Multiply => f.write_str("for products"),
            Self::Automorphism(exponent) => write!(f, "for the automorphism X^{exponent}"),
            Self::LowAutomorphism(exponent) => {
                write!(f, "for the automorphism X^{exponent} at level {LOW_LEVEL}")
            }
            Self::ToSparse => f.write_str("to a bootstrap's sparse secret"),
            Self::FromSparse => f.write_str("from a bootstrap's sparse secret"),
        }
    }
}
