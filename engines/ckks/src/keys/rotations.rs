// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The keys of a matrix's rotations.

use super::switching::Gadget;
use super::uses::{KeyUse, LOW_LEVEL};
use crate::params::Parameters;

/// Which keys the rotations of a matrix take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum RotationKeys {
    /// Those of all levels.
    Usual,
    /// [`KeyUse::LowAutomorphism`].
    Low,
}

impl RotationKeys {
    /// The use of the key for an automorphism.
    pub fn of(self, exponent: u64) -> KeyUse {
        match self {
            Self::Usual => KeyUse::Automorphism(exponent),
            Self::Low => KeyUse::LowAutomorphism(exponent),
        }
    }

    /// When they are used, behind what they do.
    pub fn when(self) -> String {
        match self {
            Self::Usual => String::new(),
            Self::Low => format!(" at level {LOW_LEVEL}"),
        }
    }

    /// How they take polynomials apart.
    pub fn gadget(self, parameters: &Parameters) -> Gadget {
        Gadget::of_use(parameters, self.of(1))
    }
}
