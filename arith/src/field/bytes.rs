// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Elements as bytes and hex. A value at or above p is an error; it is never reduced silently.

use std::fmt;
use std::str::FromStr;

use super::arithmetic::{multiply_montgomery, Field};
use super::limbs::less_than;
use super::Modulus;

/// The reason why bytes or a text are not a field element.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FieldError {
    /// The integer is at or above the modulus.
    #[error("0x{value} is not below the {field} modulus 0x{modulus}")]
    NotReduced {
        /// The value, big-endian hex.
        value: String,
        /// The field's name.
        field: &'static str,
        /// The modulus, big-endian hex.
        modulus: String,
    },
    /// The text does not begin with `0x`.
    #[error("expected hexadecimal beginning with 0x, got {got:?}")]
    NoPrefix {
        /// The text, cut off if it is long.
        got: String,
    },
    /// The text has no digits, or more than 64.
    #[error("expected 1 to 64 hexadecimal digits after 0x, got {got}")]
    DigitCount {
        /// The number of digits found.
        got: usize,
    },
    /// A character is not a hexadecimal digit.
    #[error("{character:?} at position {position} is not a hexadecimal digit")]
    NotADigit {
        /// The character.
        character: char,
        /// The number of characters before it, including the `0x`.
        position: usize,
    },
}

fn hex(limbs: [u64; 4]) -> String {
    let [l0, l1, l2, l3] = limbs;
    format!("{l3:016x}{l2:016x}{l1:016x}{l0:016x}")
}

fn limbs_from_le_bytes(bytes: &[u8; 32]) -> [u64; 4] {
    let mut limbs = [0u64; 4];
    for (limb, chunk) in limbs.iter_mut().zip(bytes.chunks_exact(8)) {
        *limb = chunk.iter().rev().fold(0, |value, byte| (value << 8) | u64::from(*byte));
    }
    limbs
}

fn le_bytes(limbs: [u64; 4]) -> [u8; 32] {
    let mut bytes = [0u8; 32];
    for (chunk, limb) in bytes.chunks_exact_mut(8).zip(limbs) {
        chunk.copy_from_slice(&limb.to_le_bytes());
    }
    bytes
}

fn require_reduced<M: Modulus>(limbs: [u64; 4]) -> Result<[u64; 4], FieldError> {
    if less_than(limbs, M::VALUE) {
        return Ok(limbs);
    }
    Err(FieldError::NotReduced { value: hex(limbs), field: M::NAME, modulus: hex(M::VALUE) })
}

impl<M: Modulus> Field<M> {
    /// From the canonical integer's limbs, least significant first.
    ///
    /// # Errors
    /// [`FieldError::NotReduced`] for an integer at or above p.
    pub fn from_canonical_limbs(limbs: [u64; 4]) -> Result<Self, FieldError> {
        let limbs = require_reduced::<M>(limbs)?;
        Ok(Self::from_reduced(multiply_montgomery::<M>(limbs, M::R_SQUARED)))
    }

    /// From any integer below 2²⁵⁶, modulo p, least significant limb first.
    pub fn from_integer(limbs: [u64; 4]) -> Self {
        // The limbs of the first factor may be anything: each row stays below 2·p.
        Self::from_reduced(multiply_montgomery::<M>(limbs, M::R_SQUARED))
    }

    /// From the Montgomery form x·2²⁵⁶ mod p, least significant limb first.
    ///
    /// # Errors
    /// [`FieldError::NotReduced`] for an integer at or above p.
    pub fn from_montgomery_limbs(limbs: [u64; 4]) -> Result<Self, FieldError> {
        require_reduced::<M>(limbs).map(Self::from_reduced)
    }

    /// The canonical integer in [0, p), least significant limb first.
    pub fn canonical_limbs(&self) -> [u64; 4] {
        multiply_montgomery::<M>(self.limbs, [1, 0, 0, 0])
    }

    /// From 32 little-endian bytes of the canonical integer.
    ///
    /// # Errors
    /// [`FieldError::NotReduced`] for an integer at or above p.
    pub fn from_le_bytes(bytes: &[u8; 32]) -> Result<Self, FieldError> {
        Self::from_canonical_limbs(limbs_from_le_bytes(bytes))
    }

    /// From 32 big-endian bytes of the canonical integer.
    ///
    /// # Errors
    /// [`FieldError::NotReduced`] for an integer at or above p.
    pub fn from_be_bytes(bytes: &[u8; 32]) -> Result<Self, FieldError> {
        let mut reversed = *bytes;
        reversed.reverse();
        Self::from_le_bytes(&reversed)
    }

    /// The canonical integer as 32 little-endian bytes.
    pub fn to_le_bytes(&self) -> [u8; 32] {
        le_bytes(self.canonical_limbs())
    }

    /// The canonical integer as 32 big-endian bytes.
    pub fn to_be_bytes(&self) -> [u8; 32] {
        let mut bytes = self.to_le_bytes();
        bytes.reverse();
        bytes
    }

    /// From 32 little-endian bytes of the Montgomery form x·2²⁵⁶ mod p.
    ///
    /// # Errors
    /// [`FieldError::NotReduced`] for an integer at or above p.
    pub fn from_montgomery_le_bytes(bytes: &[u8; 32]) -> Result<Self, FieldError> {
        require_reduced::<M>(limbs_from_le_bytes(bytes)).map(Self::from_reduced)
    }

    /// The Montgomery form x·2²⁵⁶ mod p as 32 little-endian bytes.
    pub fn to_montgomery_le_bytes(&self) -> [u8; 32] {
        le_bytes(self.limbs)
    }
}

impl<M: Modulus> FromStr for Field<M> {
    type Err = FieldError;

    /// Reads `0x` and 1 to 64 hexadecimal digits of either case, most significant first.
    fn from_str(text: &str) -> Result<Self, FieldError> {
        let digits = text
            .strip_prefix("0x")
            .ok_or_else(|| FieldError::NoPrefix { got: text.chars().take(24).collect() })?;
        let count = digits.chars().count();
        if !(1..=64).contains(&count) {
            return Err(FieldError::DigitCount { got: count });
        }
        let mut limbs = [0u64; 4];
        for (index, character) in digits.chars().enumerate() {
            let digit = character
                .to_digit(16)
                .ok_or(FieldError::NotADigit { character, position: index + 2 })?;
            let place = count - 1 - index;
            limbs[place / 16] |= u64::from(digit) << (4 * (place % 16));
        }
        Self::from_canonical_limbs(limbs)
    }
}

impl<M: Modulus> fmt::Display for Field<M> {
    /// `0x` and 64 digits, zero-padded.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "0x{}", hex(self.canonical_limbs()))
    }
}
