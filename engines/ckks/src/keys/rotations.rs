// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The keys of a matrix's rotations.

use super::switching::Gadget;
use super::uses::{KeyUse, LOW_LEVEL};
use crate::params::Parameters;

/// The kind of keys that the rotations of a matrix use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum RotationKeys {
    /// Keys for all levels.
    Usual,
    /// [`KeyUse::LowAutomorphism`].
    Low,
}

impl RotationKeys {
    /// The key use for an automorphism.
    pub fn of(self, exponent: u64) -> KeyUse {
        match self {
            Self::Usual => KeyUse::Automorphism(exponent),
            Self::Low => KeyUse::LowAutomorphism(exponent),
        }
    }

    /// The level at which the keys are used, as a suffix of the description of their use.
    pub fn when(self) -> String {
        match self {
            Self::Usual => String::new(),
            Self::Low => format!(" at level {LOW_LEVEL}"),
        }
    }

    /// The gadget with which these keys decompose polynomials.
    pub fn gadget(self, parameters: &Parameters) -> Gadget {
        Gadget::of_use(parameters, self.of(1))
    }
}
