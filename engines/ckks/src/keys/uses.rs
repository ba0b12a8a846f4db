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
    /// The same for matrices at level 1, with few primes: just enough for the modulus of level 1.
    LowAutomorphism(u64),
    /// Key of bootstraps: to the sparse secret, at the lowest level.
    ToSparse,
    /// Key of bootstraps: back from the sparse secret, at the highest level.
    FromSparse,
}

/// The highest level of keys with few primes: the lowest level at which a matrix can be applied.
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
