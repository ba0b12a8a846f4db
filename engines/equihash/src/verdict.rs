// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a check of a solution finds.

use std::fmt;

/// A thing that must hold, in the order in which the first failure is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Check {
    /// The header's double SHA-256 is at most the target, and the target is one.
    Difficulty,
    /// No index stands twice.
    Duplicate,
    /// Of two subtrees that meet, the left one's first index is the smaller.
    IndexOrder,
    /// Where two subtrees meet, their level's bits collide: they XOR to zero.
    Collision,
    /// All leaves XOR to zero.
    Xor,
}

impl Check {
    /// All, in the order in which the first failure is named: what costs least first.
    pub const ALL: [Self; 5] =
        [Self::Difficulty, Self::Duplicate, Self::IndexOrder, Self::Collision, Self::Xor];

    /// Its bit in the card's mask (reply of `verify_equihash`).
    pub fn bit(self) -> u8 {
        match self {
            Self::Difficulty => 0,
            Self::Xor => 1,
            Self::IndexOrder => 2,
            Self::Collision => 3,
            Self::Duplicate => 4,
        }
    }

    /// What is wrong where it fails.
    pub fn message(self) -> &'static str {
        match self {
            Self::Difficulty => "the header's hash does not meet its target",
            Self::Duplicate => "an index stands twice",
            Self::IndexOrder => "subtrees stand in the wrong order",
            Self::Collision => "hashes do not collide where subtrees meet",
            Self::Xor => "the hashes do not XOR to zero",
        }
    }
}

/// The failed checks, a bit for each, as the card replies; 0 is a valid solution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Mask(u8);

impl Mask {
    /// No failure.
    pub const VALID: Self = Self(0);

    /// From a reply's bits; `None` where a bit has no meaning.
    pub fn from_bits(bits: u8) -> Option<Self> {
        (bits < 1 << Check::ALL.len()).then_some(Self(bits))
    }

    /// As a reply has them.
    pub fn bits(self) -> u8 {
        self.0
    }

    /// Notes that this check failed.
    pub fn set(&mut self, check: Check) {
        self.0 |= 1 << check.bit();
    }

    /// The same, with this check as if it had not failed.
    #[must_use]
    pub fn without(self, check: Check) -> Self {
        Self(self.0 & !(1 << check.bit()))
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
        let mut failed = Check::ALL.into_iter().filter(|check| self.has(*check)).peekable();
        if failed.peek().is_none() {
            return f.write_str("valid");
        }
        for (number, check) in failed.enumerate() {
            let comma = if number == 0 { "" } else { "; " };
            write!(f, "{comma}{}", check.message())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_keep_their_bits_and_name_the_first() {
        for bits in 0..32 {
            let mask = Mask::from_bits(bits).expect("five bits");
            let again = Check::ALL.into_iter().filter(|check| mask.has(*check));
            let mut built = Mask::VALID;
            again.for_each(|check| built.set(check));
            assert_eq!((built, built.bits()), (mask, bits));
            assert_eq!(mask.first().is_none(), mask.is_valid());
            let without = mask.without(Check::IndexOrder);
            assert_eq!(without.bits(), bits & !(1 << Check::IndexOrder.bit()));
        }
        assert_eq!(Mask::from_bits(32), None);
        assert_eq!(Mask::from_bits(0b1_1110).and_then(Mask::first), Some(Check::Duplicate));
        assert_eq!(
            Mask::from_bits(0b11).map(|mask| mask.to_string()).as_deref(),
            Some("the header's hash does not meet its target; the hashes do not XOR to zero")
        );
    }
}
