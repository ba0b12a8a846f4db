// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a check of a signature finds.

use std::fmt;

/// A thing that must hold, in the order in which the first failure is named. Of a key that is not
/// on the curve, or of r or s out of range, nothing further is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Check {
    /// r lies in [1, n).
    RRange,
    /// s lies in [1, n).
    SRange,
    /// The key's coordinates lie in [0, p) and satisfy the curve's equation.
    OnCurve,
    /// u₁G + u₂Q is not the point at infinity.
    Infinity,
    /// Its x, modulo n, is r.
    Match,
}

impl Check {
    /// All, in the order in which the first failure is named.
    pub const ALL: [Self; 5] =
        [Self::RRange, Self::SRange, Self::OnCurve, Self::Infinity, Self::Match];

    /// Its bit in the card's mask (reply of `verify_secp256k1_sig`); bit 4 is the card's time-out.
    pub fn bit(self) -> u8 {
        match self {
            Self::RRange => 0,
            Self::SRange => 1,
            Self::Infinity => 2,
            Self::Match => 3,
            Self::OnCurve => 5,
        }
    }

    /// What is wrong where it fails.
    pub fn message(self) -> &'static str {
        match self {
            Self::RRange => "r is not from 1 to n - 1",
            Self::SRange => "s is not from 1 to n - 1",
            Self::OnCurve => "the key is not a point of the curve",
            Self::Infinity => "the signature leads to the point at infinity",
            Self::Match => "the signature is not this key's on this digest",
        }
    }
}

/// The failed checks, a bit for each, as the card replies; 0 is a valid signature. Range and curve
/// checks are all made; where one fails, the other two bits are 0. The point at infinity has no x
/// to compare: its bit stands alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Mask(u8);

impl Mask {
    /// No failure.
    pub const VALID: Self = Self(0);
    /// Bits with a meaning.
    const KNOWN: u8 = 0b10_1111;

    /// From a reply's bits; `None` where a bit has no meaning here.
    pub fn from_bits(bits: u8) -> Option<Self> {
        (bits & !Self::KNOWN == 0).then_some(Self(bits))
    }

    /// As a reply has them.
    pub fn bits(self) -> u8 {
        self.0
    }

    /// Notes that this check failed.
    pub fn set(&mut self, check: Check) {
        self.0 |= 1 << check.bit();
    }

    /// Whether this check failed.
    pub fn has(self, check: Check) -> bool {
        self.0 >> check.bit() & 1 == 1
    }

    /// Whether nothing failed.
    pub fn is_valid(self) -> bool {
        self.0 == 0
    }

    /// The first check, in the order of [`Check::ALL`], that failed.
    pub fn first(self) -> Option<Check> {
        Check::ALL.into_iter().find(|check| self.has(*check))
    }
}

impl fmt::Display for Mask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.first().map_or("valid", Check::message))
    }
}
